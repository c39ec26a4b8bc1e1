/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of packages: what is one, and what is refused.
 */
#include "environments/requirement.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "tap.h"

static char *joined(char *const *texts, struct err *err)
{
    char **list = NULL;
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 64 << 10);
    if (requirements_read(texts, &list, err) < 0)
        return NULL;
    for (char **p = list; p && *p; p++)
        (void)buf_addf(&b, "%s%s", p == list ? "" : "|", *p);
    requirements_done(list);
    return buf_take(&b);
}

static void test_lists(void)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"numpy, pandas;requests", "numpy|pandas|requests"},
        {"b a  a\nc", "a|b|c"},
        {"", ""},
        {" , ;", ""},
        {"numpy==1.26.4", "numpy==1.26.4"},
        {"numpy>=1,<2", "numpy>=1,<2"},
        {"numpy >= 1, < 2, pandas", "numpy>=1,<2|pandas"},
        {"numpy ~=1.4.*;x", "numpy~=1.4.*|x"},
        {"requests[socks, use_chardet]>2,b", "b|requests[socks,use-chardet]>2"},
        {"A.b-c_d, a-B.c--d", "a-b-c-d"},
        {"torch==2.1+cpu", "torch==2.1+cpu"},
        {"numpy (>=1.2)", "numpy>=1.2"},
        {"numpy(>=1.2, <2) pandas", "numpy>=1.2,<2|pandas"},
        {"a>=1 <2", "a>=1,<2"},
        {"a [b]", "a[b]"},
        {"# all\na # why\nb", "a|b"},
        {"numpy; python_version<\"3.12\"", "numpy; python_version < \"3.12\""},
        {"a;python_version < '3.12' and os_name=='posix';b",
         "a; python_version < \"3.12\" and os_name == \"posix\"|b"},
        {"a>1 ; (extra == 'x' or ('linux' in sys_platform)), b",
         "a>1; (extra == \"x\" or (\"linux\" in sys_platform))|b"},
        {"a; sys_platform not  in 'win32'", "a; sys_platform not in \"win32\""},
        {"a;os_name", "a|os-name"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = {0};
        char *const texts[] = {(char *)rows[i].text, NULL};
        AUTO_FREE char *got = joined(texts, &err);
        EQ_STR(got, rows[i].want);
    }
    struct err err = {0};
    AUTO_FREE char *both = joined((char *const[]){(char *)"b", (char *)"a;b", NULL}, &err);
    EQ_STR(both, "a|b");
    AUTO_FREE char *none = joined(NULL, &err);
    EQ_STR(none, "");
}

static void test_refused(void)
{
    static const char *const bad[] = {
        "x; rm -rf /",
        "-r",
        "--index-url=http://x",
        "http://x/y.whl",
        "x @ http://y",
        "./x",
        "/etc/passwd",
        "git+https://x",
        "a&&b",
        "$(id)",
        "`id`",
        "a==",
        "==1",
        "a=1",
        "a[",
        "a[b",
        "a[]",
        "a[b]c",
        "a>=-1",
        "a;b'",
        "a\\",
        "\xc3\xa9",
        "a==1;python_version<'3",
        "a;python_version<3",
        "a;python_version<'3' and",
        "a;(python_version<'3'",
        "a;python_version<'3')",
        "a;'\\x'=='y'",
        "a;'$(id)'",
        "a;((((((((('a'=='b')))))))))",
        "a(>1",
        "a(",
        "a;extra>=2",
        "a@b",
        ".a",
        "a.",
        "a==1 ==",
        "<2",
    };

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = {0};
        char *const texts[] = {(char *)bad[i], NULL};
        AUTO_FREE char *got = joined(texts, &err);
        OK(!got && err.kind == ERR_USAGE, "'%s' is refused: %s", bad[i], got ? got : err.msg);
    }
}

static void test_bounds(void)
{
    struct err err = {0};
    AUTO_BUF struct buf many = {0};
    char name[REQUIREMENT_TEXT_MAX + 2] = "";

    memset(name, 'a', sizeof name - 1);
    AUTO_FREE char *none = joined((char *const[]){name, NULL}, &err);
    OK(!none, "a long name");
    name[REQUIREMENT_TEXT_MAX] = '\0';
    AUTO_FREE char *some = joined((char *const[]){name, NULL}, &err);
    EQ_STR(some, name);
    buf_init(&many, 10000);
    for (int i = 0; i <= REQUIREMENTS_MAX; i++)
        (void)buf_addf(&many, "p%d,", i);
    AUTO_FREE char *more = joined((char *const[]){many.p, NULL}, &err);
    OK(!more && err.kind == ERR_LIMIT, "more than enough: %s", err.msg);
}

int main(void)
{
    RUN(test_lists());
    RUN(test_refused());
    RUN(test_bounds());
    return tap_done();
}
