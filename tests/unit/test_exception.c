/* SPDX-License-Identifier: Apache-2.0 */
#include "session/exception.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "tap.h"

#define WORK "/box/work/"

static void check(const char *what, const char *text, const char *type, const char *message,
                  int line)
{
    struct result_exception *e = exception_read(str_from(text), WORK);

    if (!OK((e != NULL) == (type != NULL), "%s: %s", what, type ? "an exception" : "none") || !e)
        return;
    EQ_STR(e->type, type);
    EQ_STR(e->message, message);
    EQ_INT(e->line, line);
    OK(strstr(text, e->traceback) != NULL, "%s: its traceback is a part of the text", what);
    exception_free(e);
}

static void test_plain(void)
{
    check("a function's error",
          "some warning\n"
          "Traceback (most recent call last):\n"
          "  File \"/box/work/main.py\", line 7, in <module>\n"
          "    f()\n"
          "  File \"/box/work/main.py\", line 3, in f\n"
          "    json.loads('x')\n"
          "  File \"/usr/lib/python3.11/json/decoder.py\", line 355, in raw_decode\n"
          "    raise JSONDecodeError(\"Expecting value\", s, err.value) from None\n"
          "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n",
          "json.decoder.JSONDecodeError", "Expecting value: line 1 column 1 (char 0)", 3);
    check("an error without a message",
          "Traceback (most recent call last):\n"
          "  File \"/box/work/main.py\", line 1, in <module>\n"
          "KeyboardInterrupt\n",
          "KeyboardInterrupt", "", 1);
    check("a message of several lines",
          "Traceback (most recent call last):\n"
          "  File \"/box/work/main.py\", line 12, in <module>\n"
          "ValueError: one\ntwo\n\nTypeError: no other error\n",
          "ValueError", "one\ntwo\n\nTypeError: no other error", 12);
    check("CRLF",
          "Traceback (most recent call last):\n  File \"/box/work/m.py\", line 2\r\nE: x\r\n", "E",
          "x", 2);
}

static void test_syntax(void)
{
    check("a syntax error",
          "  File \"/box/work/main.py\", line 4\n"
          "    print(1\n"
          "         ^\n"
          "SyntaxError: '(' was never closed\n",
          "SyntaxError", "'(' was never closed", 4);
    check("a syntax error on line 0",
          "  File \"/box/work/main.py\", line 0\nSyntaxError: encoding problem: xyz\n",
          "SyntaxError", "encoding problem: xyz", 0);
}

static void test_chain(void)
{
    check("the last of a chain",
          "Traceback (most recent call last):\n"
          "  File \"/box/work/main.py\", line 2, in <module>\n"
          "KeyError: 'a'\n"
          "\nDuring handling of the above exception, another exception occurred:\n\n"
          "Traceback (most recent call last):\n"
          "  File \"/box/work/main.py\", line 4, in <module>\n"
          "RuntimeError: b\n",
          "RuntimeError", "b", 4);
}

static void test_names(void)
{
    check("a type in small letters",
          "Traceback (most recent call last):\n"
          "  File \"/box/work/main.py\", line 2, in <module>\n"
          "    raise odd('x')\n"
          "odd: x\n",
          "odd", "x", 2);
    check("a traceback in a message",
          "Traceback (most recent call last):\n"
          "  File \"/box/work/main.py\", line 1, in <module>\n"
          "ValueError: Traceback (most recent call last):\n"
          "  File \"/box/work/main.py\", line 99\n"
          "KeyError: 9\n",
          "ValueError",
          "Traceback (most recent call last):\n  File \"/box/work/main.py\", line 99\nKeyError: 9",
          1);
    check("a group",
          "  + Exception Group Traceback (most recent call last):\n"
          "  |   File \"/box/work/main.py\", line 5, in <module>\n"
          "  |     raise ExceptionGroup('many', [ValueError(1)])\n"
          "  | ExceptionGroup: many (1 sub-exception)\n"
          "  +-+---------------- 1 ----------------\n"
          "    | Traceback (most recent call last):\n"
          "    |   File \"/box/work/main.py\", line 3, in f\n"
          "    | ValueError: 1\n"
          "    +------------------------------------\n",
          "ExceptionGroup", "many (1 sub-exception)", 5);
}

static void test_none(void)
{
    check("nothing", "", NULL, NULL, 0);
    check("talk", "Error: something\nwarning: a\n", NULL, NULL, 0);
    check("a traceback that was cut",
          "Traceback (most recent call last):\n  File \"/box/work/m.py\"", NULL, NULL, 0);
    check("only foreign frames",
          "Traceback (most recent call last):\n  File \"/usr/lib/x.py\", line 9, in f\nOSError: "
          "[Errno 2]\n",
          "OSError", "[Errno 2]", 0);
    check("a line that no number holds",
          "Traceback (most recent call last):\n"
          "  File \"/box/work/m.py\", line 99999999999999999999999, in f\nOSError: x\n",
          "OSError", "x", 0);
}

static void test_bytes(void)
{
    struct result_exception *e =
        exception_read(STR("Traceback (most recent call last):\nError: \xff\0z\n"), WORK);

    OK(e && utf8_valid(str_from(e->message)) && utf8_valid(str_from(e->traceback)),
       "bytes that are no text become text");
    exception_free(e);
    e = exception_read(STR("Traceback (most recent call last):\n\xff\xc3\xa9: x\n"), WORK);
    EQ_STR(e ? e->type : NULL, "\xef\xbf\xbd\xc3\xa9");
    exception_free(e);
    exception_free(NULL);
}

/* What a guest writes must not cost us more than a look at it: this took minutes once. */
static void test_cost(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 4 << 20);
    (void)buf_adds(&b, "  File \"/box/work/main.py\", line 0\n");
    while (buf_adds(&b, "E\n") == 0)
        ;
    int64_t began = clock_mono_ms();
    struct result_exception *e = exception_read(buf_str(&b), WORK);
    OK(clock_mono_ms() - began < 5000, "four megabytes of possible errors are read at once");
    exception_free(e);
}

int main(void)
{
    test_plain();
    test_syntax();
    test_chain();
    test_names();
    test_none();
    test_bytes();
    test_cost();
    return tap_done();
}
