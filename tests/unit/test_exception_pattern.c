/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "explain/exception.h"
#include "languages/language.h"
#include "tap.h"

#define WORK "/box/work/"

static struct result_exception *find(const struct language *row, bool compiler, struct str text)
{
    return exception_find(&(struct exception_input){
        .language = row->name,
        .text = text,
        .work = WORK,
        .program = "main.x",
        .code = STR("1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
        .errors = compiler ? row->compile->errors : row->errors,
        .frames = compiler ? NULL : row->frames,
        .first_error = compiler,
    });
}

/* The error in the text; `type` NULL: none. A name that ends with "*" is its compiler's. */
static void check(const char *name, const char *text, const char *type, const char *message,
                  int line)
{
    bool compiler = str_ends(str_from(name), "*");
    const struct language *row =
        language_find(NULL, str_slice(str_from(name), 0, strlen(name) - compiler));
    struct result_exception *e = find(row, compiler, str_from(text));

    if (!OK((e != NULL) == (type != NULL), "%s: %s", name, type ? type : "none") || !e)
        return;
    EQ_STR(e->type, type);
    EQ_STR(e->message, message);
    EQ_INT(e->line, line);
    result_exception_free(e);
}

static void test_runs(void)
{
    check("ruby",
          "/box/work/main.x:2:in `f': bad (ArgumentError)\n\tfrom /box/work/main.x:7:in `<main>'\n",
          "ArgumentError", "bad", 2);
    check("ruby",
          "/usr/lib/ruby/json.rb:216:in 'parse': unexpected token (x) (JSON::ParserError)\n"
          "\tfrom /usr/lib/ruby/json.rb:216:in 'parse'\n\tfrom /box/work/main.x:5:in '<main>'\n",
          "JSON::ParserError", "unexpected token (x)", 5);
    check("ruby", "only output\nx:1: and more\n", NULL, NULL, 0);
    check("php",
          "PHP Fatal error:  nothing\nFatal error: Uncaught LogicException: a in b in "
          "/box/work/main.x:3\n"
          "Stack trace:\n#0 {main}\n  thrown in /box/work/main.x on line 3\n",
          "LogicException", "a in b", 3);
    check("perl",
          "careful at /box/work/main.x line 1.\nbad at best at /box/work/main.x line 4, <STDIN> "
          "line 2.\n",
          "Error", "bad at best", 4);
    check("lua", "lua5.4: /box/work/main.x:6: bad: thing\nstack traceback:\n\t[C]: in ?\n", "Error",
          "bad: thing", 6);
    check("sql", "Parse error near line 2: no such table: t\n", "SyntaxError", "no such table: t",
          2);
    check("go",
          "panic: bad: 1 [recovered]\n\ngoroutine 1 [running]:\npanic({0x1})\n"
          "\t/usr/lib/go/panic.go:884 +0x2\nmain.f(...)\n\t/box/work/main.x:3\nmain.main()\n"
          "\t/box/work/main.x:8 +0x1d\nexit status 2\n",
          "panic", "bad: 1 [recovered]", 3);
    check("rust", "\nthread 'main' (12) panicked at main.x:4:9:\nindex out of bounds\nnote: run\n",
          "panic", "index out of bounds", 4);
    check("rust", "thread 'main' panicked at 'old, form', main.x:2:5\n", "panic", "old, form", 2);
    check("java",
          "Exception in thread \"main\" a.b.MyException: bad\n\tat "
          "java.base/java.util.List.of(List.java:9)\n"
          "\tat a.Main.f(main.x:5)\n\tat a.Main.main(main.x:7)\n",
          "a.b.MyException", "bad", 5);
    check("java", "Exception in thread \"main\" java.lang.OutOfMemoryError\n",
          "java.lang.OutOfMemoryError", "", 0);
    check(
        "csharp",
        "\nUnhandled Exception:\nSystem.Exception: bad\n  at P.F () [0x1] in /box/work/main.x:4 \n"
        "  at P.Main () [0x0] in /box/work/main.x:6 \n[ERROR] FATAL UNHANDLED EXCEPTION: "
        "System.Exception: bad\n",
        "System.Exception", "bad", 4);
    check("cpp",
          "terminate called after throwing an instance of 'std::out_of_range'\n  what():  far\n",
          "std::out_of_range", "far", 0);
}

static void test_compilers(void)
{
    check("c*",
          "/box/work/main.x: In function 'f':\n/box/work/main.x:2:3: warning: w\n"
          "/box/work/main.x:3:7: error: 'y' undeclared\n/box/work/main.x:4:1: error: second\n",
          "Error", "'y' undeclared", 3);
    check("c*",
          "/usr/bin/ld: /tmp/x.o: in function `main':\nmain.c:3: undefined reference to `f'\n",
          "Error", "`f'", 0);
    check("go*", "# command-line-arguments\n./main.x:3:2: undefined: foo\n", "Error",
          "undefined: foo", 3);
    check("rust*", "error[E0308]: mismatched types\n   --> /box/work/main.x:2:18\n", "Error",
          "mismatched types", 2);
    check("java*", "/box/work/main.x:7: error: ';' expected\n", "Error", "';' expected", 7);
    check("csharp*", "Compilation failed\n/box/work/main.x(2,5): error CS0103: no `x'\n", "Error",
          "no `x'", 2);
    check("typescript*", "\xe2\x9c\x98 [ERROR] Unexpected \";\"\n\n    main.x:1:18:\n", "Error",
          "Unexpected \";\"", 1);
}

/* A cause follows directly on the frames of its error. */
static void test_cause(void)
{
    const struct language *ruby = language_find(NULL, STR("ruby"));
    struct result_exception *e =
        find(ruby, false,
             STR("/box/work/main.x:4:in `f': outer (RuntimeError)\n\tfrom /box/work/main.x:1:in "
                 "`<main>'\n"
                 "/box/work/main.x:2:in `f': inner (ZeroDivisionError)\n"));

    OK(e && e->cause, "an error with a cause");
    if (e && e->cause) {
        EQ_STR(e->message, "outer");
        EQ_STR(e->cause->message, "inner");
        EQ_INT(e->cause->line, 2);
    }
    result_exception_free(e);
}

static const char *const pieces[] = {"/box/work/main.x:",
                                     "1",
                                     ":in `",
                                     "': ",
                                     " (",
                                     "E)",
                                     "\n",
                                     "\n\n",
                                     "\tfrom ",
                                     "\tat ",
                                     "panic: ",
                                     "goroutine ",
                                     " at ",
                                     " line ",
                                     "Fatal error: Uncaught ",
                                     ": ",
                                     "{",
                                     "\0",
                                     "\xff",
                                     "a"};

static void add_row(void *ctx, const struct language *row)
{
    struct str text = *(struct str *)ctx;

    for (int compiler = 0; compiler < 2; compiler++)
        if (compiler ? row->compile && row->compile->errors : row->errors != NULL)
            result_exception_free(find(row, compiler, text));
}

/* Whatever a program prints, reading ends, soon, and with valid text. */
static void test_hostile(void)
{
    unsigned seed = 1;
    size_t n = 1 << 18;
    char *text = xcalloc(n + 64, 1);
    int64_t began = clock_mono_ms();

    for (int kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < n;) {
            seed = seed * 1103515245 + 12345;
            const char *piece = pieces[(seed >> 16) % ARRAY_LEN(pieces)];
            size_t size = strlen(piece) ? strlen(piece) : 1;
            memcpy(text + i, piece, size);
            i += size;
        }
        if (kind == 1)
            memset(text, ':', n);
        if (kind == 2)
            for (size_t i = 0; i < n; i += 7)
                memcpy(text + i, "panic: ", 7);
        if (kind == 3)
            for (size_t i = 0; i + 8 <= n; i += 8)
                memcpy(text + i, "panic: \n", 8);
        language_each(NULL, add_row, &(struct str){text, n});
    }
    OK(clock_mono_ms() - began < 60000, "256 KiB of anything is read in time");
    free(text);
}

int main(void)
{
    RUN(test_runs());
    RUN(test_compilers());
    RUN(test_cause());
    RUN(test_hostile());
    return tap_done();
}
