/* SPDX-License-Identifier: Apache-2.0 */
#include "far/e2b_relay_parts.h"

#include "tap.h"

#define RULE "---------------------------------------------------------------------------"

static void same(const char *trace, const char *want)
{
    AUTO_BUF struct buf out = {0};

    buf_init(&out, 1 << 20);
    relay_put_trace(&out, str_from(trace), 4, "a.py");
    EQ_STR(out.n ? out.p : "", want);
}

static void test_frames(void)
{
    same(RULE "ZeroDivisionError                         Traceback (most recent call last)Cell "
              "In[4], line 5\n      1 def f(x):\n      2     return 1/x\n      3 \n      4 \n"
              "----> 5 f(0)\nCell In[3], line 2, in f(x)\n      1 def f(x):\n"
              "----> 2     return 1/x\nZeroDivisionError: division by zero",
         "Traceback (most recent call last):\n  File \"a.py\", line 5, in <module>\n    f(0)\n"
         "  File \"<an earlier cell>\", line 2, in f\n    return 1/x\n"
         "ZeroDivisionError: division by zero\n");
    same(RULE "E    Traceback (most recent call last)File /a/b.py:346, in loads(s, **kw)\n"
              "    343 x = 1\n--> 346 return g(s)\nE: two\nlines",
         "Traceback (most recent call last):\n  File \"/a/b.py\", line 346, in loads\n"
         "    return g(s)\nE: two\nlines\n");
}

static void test_chain(void)
{
    same(RULE "A  Traceback (most recent call last)Cell In[4], line 2\n----> 2 f()\nA: a\n"
              "The above exception was the direct cause of the following exception:\n"
              "B  Traceback (most recent call last)Cell In[4], line 4\n----> 4 raise B\nB: b",
         "Traceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    f()\nA: "
         "a\n\n"
         "The above exception was the direct cause of the following exception:\n\n"
         "Traceback (most recent call last):\n  File \"a.py\", line 4, in <module>\n    raise B\n"
         "B: b\n");
}

static void test_others(void)
{
    same("  Cell In[4], line 1\n    1 + (\n         ^\nSyntaxError: incomplete input\n",
         "  File \"a.py\", line 1\n    1 + (\n         ^\nSyntaxError: incomplete input\n");
    same("", "");
    same("Cell In[x], line 1\nFile a\nCell In[99999999999999999999], line 1",
         "Cell In[x], line 1\nFile a\nCell In[99999999999999999999], line 1\n");
}

int main(void)
{
    test_frames();
    test_chain();
    test_others();
    return tap_done();
}
