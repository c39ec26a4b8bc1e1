/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/exception.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "exception_live.h"
#include "tap.h"

#define WORK "/box/work/"

static struct result_exception *exception_read(struct str text, const char *work)
{
    return exception_find(
        &(struct exception_input){.language = "python", .text = text, .work = work});
}

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
    result_exception_free(e);
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
    result_exception_free(e);
    e = exception_read(STR("Traceback (most recent call last):\n\xff\xc3\xa9: x\n"), WORK);
    EQ_STR(e ? e->type : NULL, "\xef\xbf\xbd\xc3\xa9");
    result_exception_free(e);
    result_exception_free(NULL);
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
    result_exception_free(e);
}

/* One line over and over, in every language. */
static void check_cost(const char *language, const char *line)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1 << 20);
    while (buf_adds(&b, line) == 0)
        ;
    int64_t began = clock_mono_ms();
    result_exception_free(exception_find(&(struct exception_input){.language = language,
                                                                   .text = buf_str(&b),
                                                                   .work = WORK,
                                                                   .program = "a",
                                                                   .code = buf_str(&b)}));
    OK(clock_mono_ms() - began < 2000, "%s: a megabyte of \"%.*s\"", language,
       (int)strcspn(line, "\n"), line);
}

static void test_costs(void)
{
    static const char *const languages[] = {"python", "javascript", "r", "bash", "sh"};
    static const char *const lines[] = {
        "Traceback (most recent call last):\n",
        "  File \"/box/work/a\", line 1, in f\n",
        "  + Exception Group Traceback (most recent call last):\n  | E\n",
        "  +-+---------------- 1 ----------------\n    | ExceptionGroup: x\n",
        "During handling of the above exception, another exception occurred:\n",
        "E: x\n",
        "x",
        "    at f (/box/work/a:1:1)\n",
        "Error: x\n    at /box/work/a:1:1\n",
        "  [cause]: Error: x\n",
        "/box/work/a:1\nx\n^\n",
        "Error in f : x\n",
        "Error: unexpected x in \"\n",
        "/box/work/a: line 1: x: not found\n",
        "/box/work/a: ",
    };

    for (size_t i = 0; i < ARRAY_LEN(languages); i++)
        for (size_t k = 0; k < ARRAY_LEN(lines); k++)
            check_cost(languages[i], lines[k]);
}

/* ---- what the interpreters of this machine really print ---- */

static const struct {
    const char *ending, *language, *program, *command;
} tools[] = {
    {".py", "python", "/usr/bin/python3", "/usr/bin/python3"},
    {".js", "javascript", "/usr/bin/node", "/usr/bin/node"},
    {".mjs", "javascript", "/usr/bin/node", "/usr/bin/node"},
    {".R", "r", "/usr/bin/Rscript", "LC_ALL=C.UTF-8 LANGUAGE=en /usr/bin/Rscript --vanilla"},
    {".bash", "bash", "/bin/bash", "LC_ALL=C /bin/bash"},
    {".sh", "sh", "/bin/dash", "LC_ALL=C /bin/dash"},
};

static void run(const char *command, struct buf *said)
{
    char block[4096];
    size_t n;
    FILE *f = popen(command, "r");

    while (f && (n = fread(block, 1, sizeof block, f)) > 0)
        (void)buf_add(said, block, n);
    if (f)
        pclose(f);
}

static void check_cause(const struct live *l, const struct result_exception *e)
{
    if (!OK((e->cause != NULL) == (l->cause != NULL), "%s: %s cause", l->name,
            l->cause ? "a" : "no") ||
        !l->cause)
        return;
    EQ_STR(e->cause->type, l->cause);
    EQ_INT(e->cause->line, l->cause_line);
    EQ_INT(e->cause_inside, strstr(e->type, "Group") || strstr(e->type, "Aggregate"));
}

static void check_live(const struct live *l, const char *language, const char *command,
                       const char *folder)
{
    AUTO_FREE char *work = xasprintf("%s/", folder);
    AUTO_FREE char *path = xasprintf("%s/%s", folder, l->name);
    AUTO_FREE char *line = xasprintf("%s %s 2>&1 >/dev/null", command, path);
    AUTO_BUF struct buf said = {0};
    FILE *f = fopen(path, "w");

    if (!OK(f && fputs(l->code, f) >= 0 && fclose(f) == 0, "%s is written", path))
        return;
    buf_init(&said, 4 << 20);
    run(line, &said);
    struct result_exception *e =
        exception_find(&(struct exception_input){.language = language,
                                                 .text = buf_str(&said),
                                                 .work = work,
                                                 .program = l->name,
                                                 .code = str_from(l->code)});
    bool as_wanted =
        OK((e != NULL) == (l->type != NULL), "%s: %s", l->name, l->type ? l->type : "none") &&
        (!e || (OK(strcmp(e->type, l->type) == 0, "%s: type %s", l->name, e->type) &
                OK(!l->message || strcmp(e->message, l->message) == 0, "%s: its message", l->name) &
                OK(e->line == l->line && e->column == l->column, "%s: line %d, column %d", l->name,
                   (int)e->line, (int)e->column)));
    if (!as_wanted)
        printf("# %s\n", said.p);
    if (e)
        check_cause(l, e);
    result_exception_free(e);
    (void)unlink(path);
}

static void test_live(void)
{
    char folder[] = "/tmp/glovebox-exception-XXXXXX";

    if (!OK(mkdtemp(folder) != NULL, "a folder"))
        return;
    for (size_t i = 0; i < ARRAY_LEN(lives); i++) {
        for (size_t k = 0; k < ARRAY_LEN(tools); k++) {
            if (!str_ends(str_from(lives[i].name), tools[k].ending))
                continue;
            if (access(tools[k].program, X_OK) < 0)
                SKIP(lives[i].name);
            else
                check_live(&lives[i], tools[k].language, tools[k].command, folder);
        }
    }
    OK(rmdir(folder) == 0, "nothing is left");
}

int main(void)
{
    RUN(test_live());
    RUN(test_plain());
    RUN(test_syntax());
    RUN(test_chain());
    RUN(test_names());
    RUN(test_none());
    RUN(test_bytes());
    RUN(test_cost());
    RUN(test_costs());
    return tap_done();
}
