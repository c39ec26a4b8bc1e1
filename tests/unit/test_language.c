/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/language.h"

#include <stdlib.h>

#include "base/mem.h"
#include "tap.h"

static void detects(const struct language_table *table, const char *file, const char *code,
                    const char *want)
{
    const struct language *found = language_detect(table, file, str_from(code));

    if (!OK(strcmp(found->name, want) == 0, "%s '%s' is %s", file ? file : "-", code, want))
        printf("# got %s\n", found->name);
}

static void test_find(void)
{
    static const struct {
        const char *name, *want;
    } rows[] = {{"python", "python"}, {"Python3", "python"}, {"tool_code", "python"},
                {"py", "python"},     {"JS", "javascript"},  {"node", "javascript"},
                {"R", "r"},           {"shell", "bash"},     {"dash", "sh"},
                {"Go", "go"},         {"golang", "go"},      {"rb", "ruby"},
                {"C++", "cpp"},       {"C#", "csharp"},      {"ts", "typescript"},
                {"c", "c"},           {"rs", "rust"},        {"sqlite", "sql"}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct language *found = language_find(NULL, str_from(rows[i].name));
        EQ_STR(found ? found->name : NULL, rows[i].want);
    }
    OK(!language_find(NULL, STR("cobol")) && !language_find(NULL, STR("")), "others are not known");
}

static void test_extension(void)
{
    detects(NULL, "a.py", "console.log(1)", "python");
    detects(NULL, "/x.js/a.PYW", "", "python");
    detects(NULL, "a.mjs", "", "javascript");
    detects(NULL, "a.R", "", "r");
    detects(NULL, "a.r", "", "r");
    detects(NULL, "a.sh", "", "bash");
    detects(NULL, "a.sh", "#!/bin/sh\n", "sh");
    detects(NULL, "a.sh", "#!/usr/bin/awk -f\n", "bash");
    detects(NULL, "a.rb", "", "ruby");
    detects(NULL, "a.cpp", "", "cpp");
    detects(NULL, "a.c", "", "c");
    detects(NULL, "a.ts", "", "typescript");
    detects(NULL, "a.php", "<?php", "php");
    detects(NULL, "a.py.txt", "", "python");
    detects(NULL, ".", "", "python");
    detects(NULL, "", "", "python");
}

static void test_shebang(void)
{
    detects(NULL, NULL, "#!/usr/bin/env python3\nlet x", "python");
    detects(NULL, NULL, "#!/usr/bin/env -S python3.11 -u\n", "python");
    detects(NULL, NULL, "#! /usr/local/bin/node\r\nprint(1)", "javascript");
    detects(NULL, "script", "#!/bin/bash -e\nimport x", "bash");
    detects(NULL, NULL, "#!/bin/sh", "sh");
    detects(NULL, NULL, "#!/usr/bin/Rscript --vanilla\n", "r");
    detects(NULL, NULL, "#!\nprint(1)", "python");
    detects(NULL, NULL, "#!/usr/bin/env\necho 1", "bash");
    detects(NULL, NULL, "#!1.2.3\nconsole.log(1)", "javascript");
}

static void test_content(void)
{
    detects(NULL, NULL, "print('hello')", "python");
    detects(NULL, NULL, "def f(): pass", "python");
    detects(NULL, NULL, "console.log('x')", "javascript");
    detects(NULL, NULL, "import fs from 'fs'; console.log(1)", "javascript");
    detects(NULL, NULL, "const x = 1", "javascript");
    detects(NULL, NULL, "echo hello", "bash");
    detects(NULL, NULL, "ls -l", "bash");
    detects(NULL, NULL, "x <- 1", "r");
    detects(NULL, NULL, "", "python");
    detects(NULL, NULL, "1 + 1", "python");
}

static int set(struct language_table *table, const char *name, const char *key, const char *value,
               struct err *err)
{
    struct str text = str_from(value);
    struct conf_item item = {.key = str_from(key), .values = &text, .n = value ? 1 : 0};

    return language_configure(table, str_from(name), &item, false, err);
}

static void test_users(void)
{
    struct language_table table = {0};
    struct err err = {0};

    OK(set(&table, "ruby", "command", "ruby", &err) == 0, "a language of the user's");
    OK(set(&table, "ruby", "extension", ".rb", &err) == 0, "with an extension");
    OK(set(&table, "python", "command", "pypy3", &err) == 0, "another interpreter for a known one");
    OK(set(&table, "python", "command", "pypy3.9", &err) == 0, "the last word counts");
    OK(language_check(&table, &err) == 0, "they are complete");

    const struct language *ruby = language_find(&table, STR("Ruby"));
    EQ_STR(ruby->args[0], "{file}");
    EQ_STR(ruby->extension, ".rb");
    detects(&table, "x.rb", "", "ruby");
    detects(&table, NULL, "#!/usr/bin/ruby\n", "ruby");
    const struct language *python = language_find(&table, STR("py"));
    const struct language *builtin = language_find(NULL, STR("python"));
    EQ_STR(python->programs[0], "pypy3.9");
    OK(python->runner == builtin->runner && python->args[0],
       "a known one keeps our way of calling it");
    detects(&table, "x.py", "", "python");

    OK(set(&table, "ruby", "colour", "red", &err) < 0 && err.kind == ERR_USAGE, "%s", err.msg);
    language_table_done(&table);
    OK(set(&table, "cobol", "extension", ".cob", &err) == 0 && language_check(&table, &err) < 0,
       "%s", err.msg);
    language_table_done(&table);
    OK(!table.user && !table.user_count, "nothing is left");

    OK(set(&table, "x", "command", NULL, &err) == 0 && language_check(&table, &err) < 0,
       "an empty list of commands: %s", err.msg);
    language_table_done(&table);
    OK(set(&table, "x", "command", "x", &err) == 0 &&
           set(&table, "x", "extensions", NULL, &err) == 0 && language_check(&table, &err) == 0,
       "an empty list of extensions is fine");
    EQ_STR(language_find(&table, STR("x"))->extension, "");
    language_table_done(&table);
}

static void test_compiled(void)
{
    struct language_table table = {0};
    struct err err = {0};

    OK(set(&table, "ada", "compile", "gnatmake  -o {out} {file}", &err) == 0 &&
           set(&table, "ada", "compile_timeout", "2m", &err) == 0 &&
           set(&table, "ada", "compile_memory", "2g", &err) == 0 &&
           set(&table, "ada", "compile_pids", "300", &err) == 0 &&
           language_check(&table, &err) == 0,
       "a compiled language: %s", err.msg);
    const struct language *ada = language_find(&table, STR("ada"));
    EQ_STR(ada->programs[0], "gnatmake");
    EQ_STR(ada->compile->args[1], "{out}");
    OK(ada->compile->native && !ada->args[0], "what it makes is the program");
    OK(ada->compile->wall_ms == 120000 && ada->compile->memory_bytes == 2ull << 30 &&
           ada->compile->pids == 300,
       "its limits");
    language_table_done(&table);

    OK(set(&table, "x", "compile", "xc {out} {file}", &err) == 0 &&
           set(&table, "x", "command", "xrun", &err) == 0 && language_check(&table, &err) == 0,
       "one with an interpreter");
    OK(!language_find(&table, STR("x"))->compile->native, "which runs what is made");
    EQ_STR(language_find(&table, STR("x"))->args[0], "{out}");
    language_table_done(&table);

    OK(set(&table, "go", "compile_timeout", "5m", &err) == 0 && language_check(&table, &err) == 0,
       "other limits for a known one");
    const struct language *go = language_find(&table, STR("go"));
    OK(go->compile->wall_ms == 300000 && go->compile->shared && go->compile->native,
       "which stays as it is otherwise");
    language_table_done(&table);

    static const char *const bad[][2] = {{"compile_timeout", "soon"}, {"compile_memory", "1k"},
                                         {"compile_pids", "-1"},      {"compile", ""},
                                         {"compile", NULL},           {"compile_timeout", NULL}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        OK(set(&table, "x", bad[i][0], bad[i][1], &err) < 0 && err.kind == ERR_USAGE, "%s",
           err.msg);
    OK(set(&table, "x", "compile", "xc {file}", &err) == 0 && language_check(&table, &err) < 0,
       "without {out}: %s", err.msg);
    language_table_done(&table);
}

static void test_traits(void)
{
    const struct language_traits *python = language_find(NULL, STR("python"))->traits;
    struct language_table table = {0};
    struct err err = {0};

    OK(language_traits_of("python") == python && python->errors == ERRORS_PYTHON, "by name");
    OK(language_traits_of("py") == &no_traits, "an alias is not the name of a result's language");
    OK(language_traits_of("ruby") == &no_traits && language_traits_of("") == &no_traits,
       "nothing is known of others");
    OK(language_traits_of("bash") == language_traits_of("sh"), "shells are alike");
    OK(set(&table, "python", "command", "pypy3", &err) == 0 &&
           set(&table, "ruby", "command", "ruby", &err) == 0,
       "rows of the user's");
    OK(language_find(&table, STR("python"))->traits == python, "another interpreter, same traits");
    OK(language_find(&table, STR("ruby"))->traits == &no_traits, "another language has none");
    language_table_done(&table);
}

static void test_runner(void)
{
    struct language python = *language_find(NULL, STR("python"));
    const char *const bare[] = {"{file}", NULL};

    OK(language_has_runner(&python), "our runner starts Python programs");
    OK(!language_has_runner(language_find(NULL, STR("r"))), "and no others");
    python.args = bare;
    OK(!language_has_runner(&python), "unless the user's row says otherwise");
}

/* What is typed at a prompt needs another line. */
static void test_continues(void)
{
    static const struct {
        const char *language, *text;
        bool want;
    } cases[] = {
        {"python", "x = 1", false},
        {"python", "x = (1,", true},
        {"python", "if x:", true},
        {"python", "if x:\n    y", true},
        {"python", "if x:\n    y\n", false},
        {"python", "@f", true},
        {"python", "x = \\", true},
        {"python", "'''a", true},
        {"python", "x = )", false},
        {"javascript", "f(", true},
        {"javascript", "f()", false},
        {"javascript", "if (x)\n  y", false},
        {"r", "f <- function(x) {", true},
        {"r", "x", false},
        {"bash", "for x in a; do", true},
        {"bash", "for x in a; do\n  y", true},
        {"bash", "ls", false},
        {"bash", "for x in a; do\n  y\ndone", false},
        {"ruby", "x = [", true},
        {"ruby", "x = [\n", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        OK(language_traits_of(cases[i].language)->continues(str_from(cases[i].text)) ==
               cases[i].want,
           "%s, case %zu", cases[i].language, i);
}

static void main_name(const char *language, const char *code, const char *want)
{
    char name[64];

    EQ_STR(language_main_name(language_find(NULL, str_from(language)), str_from(code), name,
                              sizeof name),
           want);
}

/* What a project's file may say, which a stranger may have written. */
static void test_strangers(void)
{
    static const struct {
        const char *name, *key, *value;
        bool may;
    } cases[] = {
        {"tcl", "command", "tclsh", true},
        {"tcl", "extension", ".tcl", true},
        {"tcl", "args", "{file}", true},
        {"tcl", "aliases", "tk", true},
        {"tcl", "command", "./tclsh", false},
        {"tcl", "command", "/usr/bin/tclsh", false},
        {"tcl", "extension", ".py", false},
        {"tcl", "extension", "PY", false},
        {"tcl", "aliases", "node", false},
        {"python", "command", "pypy3", false},
        {"ada", "compile", "gnatmake -o {out} {file}", true},
        {"ada", "compile", "./gnatmake -o {out} {file}", false},
        {"ada", "compile_memory", "128m", true},
        {"ada", "compile_memory", "11g", false},
        {"ada", "compile_timeout", "100h", false},
        {"ada", "compile_pids", "5000", false},
        {"ada", "needs", "/etc/ada", false},
        {"ada", "errors", "{file}:{line}: {message}", true},
        {"ruby", "command", "ruby", false},
        {"c", "compile", "tcc -o {out} {file}", false},
        {"Py", "command", "pypy3", false},
        {"sh", "args", "{file}", false},
        {"own", "command", "other", false},
        {"alias", "command", "other", false},
        {"x", "extension", ".own", false},
        {"x", "extension", "own", false},
        {"x", "aliases", "alias", false},
        {"x", "extension", ".x", true},
    };
    struct language_table table = {0};
    struct err err = {0};

    OK(set(&table, "own", "command", "own", &err) == 0 &&
           set(&table, "own", "extension", ".own", &err) == 0 &&
           set(&table, "own", "aliases", "alias", &err) == 0,
       "a language of the user's");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str value = str_from(cases[i].value);
        struct conf_item item = {.key = str_from(cases[i].key), .values = &value, .n = 1};
        int result = language_configure(&table, str_from(cases[i].name), &item, true, &err);
        OK((result == 0) == cases[i].may, "%s: %s = %s %s", cases[i].name, cases[i].key,
           cases[i].value, cases[i].may ? "is allowed" : "is refused");
        OK(result == 0 || err.kind == ERR_USAGE, "%s", result ? err.msg : "no message");
    }
    language_table_done(&table);
}

static void test_main_name(void)
{
    main_name("python", "import os", "main.py");
    main_name("r", "", "main.R");
    main_name("bash", "", "main.sh");
    main_name("javascript", "const fs = require('fs')", "main.js");
    main_name("javascript", "// a\n  import fs from 'fs'", "main.mjs");
    main_name("javascript", "let a;\nexport default a", "main.mjs");
    main_name("javascript", "console.log('import x')", "main.js");
}

static void count_one(void *ctx, const struct language *language)
{
    OK(language->name && language->programs && language->check_args && language->install,
       "%s: its row is complete", language->name);
    ++*(int *)ctx;
}

static void test_each(void)
{
    int n = 0;

    language_each(NULL, count_one, &n);
    EQ_INT(n, 22);
}

static void test_complete(void)
{
    static const struct {
        const char *code, *want;
    } rows[] = {
        {"package main\n\nfunc main() {}\n", "package main\n\nfunc main() {}\n"},
        {"// a tool\npackage main\nfunc main() {}", "// a tool\npackage main\nfunc main() {}"},
        {"x := 1\n_ = x", "package main; func main() { x := 1\n_ = x\n}\n"},
        {"fmt.Println(\"a\")",
         "package main; import \"fmt\"; func main() { fmt.Println(\"a\")\n}\n"},
        {"import \"fmt\"\n\nfmt.Println(1)",
         "package main; import \"fmt\"\nfunc main() { \nfmt.Println(1)\n}\n"},
        {"import (\n  \"fmt\"\n  \"os\"\n)\nfmt.Println(os.Args)",
         "package main; import (\n  \"fmt\"\n  \"os\"\n)\nfunc main() { fmt.Println(os.Args)\n}\n"},
        {"func f() {}\nfunc main() { fmt.Println(1) }",
         "package main; import \"fmt\"; func f() {}\nfunc main() { fmt.Println(1) }"},
        {"", "package main; func main() { \n}\n"},
    };
    const struct language_traits *go = language_find(NULL, STR("golang"))->traits;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_BUF struct buf b = {0};
        buf_init(&b, 1000);
        EQ_INT(go->complete(str_from(rows[i].code), &b), 0);
        EQ_STR(b.p, rows[i].want);
    }
}

int main(void)
{
    RUN(test_find());
    RUN(test_extension());
    RUN(test_shebang());
    RUN(test_content());
    RUN(test_users());
    RUN(test_compiled());
    RUN(test_traits());
    RUN(test_runner());
    RUN(test_continues());
    RUN(test_strangers());
    RUN(test_main_name());
    RUN(test_each());
    RUN(test_complete());
    return tap_done();
}
