/* SPDX-License-Identifier: Apache-2.0 */
#include "session/exception.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
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

/* ---- what the interpreters of this machine really print ---- */

struct live {
    const char *name, *code;    /* the language is by the name's ending */
    const char *type, *message; /* NULL: any */
    int line, column;
    const char *cause;
    int cause_line;
};

/* clang-format off */
static const struct live lives[] = {
    {"plain.py", "def f():\n    x = {}\n    return 1 + x['key']\nf()\n", "KeyError", "'key'", 3, 16, NULL, 0},
    {"whole_line.py", "def f():\n    g()\ndef g():\n    raise ValueError\nf()\n", "ValueError", "", 4, 0, NULL, 0},
    {"from_none.py", "try: 1/0\nexcept Exception as e: raise OSError('x') from None\n", "OSError", "x", 2, 24, NULL, 0},
    {"during.py", "try:\n  1/0\nexcept Exception:\n  [][1]\n", "IndexError", "list index out of range", 4, 3, "ZeroDivisionError", 2},
    {"direct.py", "try:\n  {}['a']\nexcept KeyError as e:\n  raise RuntimeError('b') from e\n", "RuntimeError", "b", 4, 0, "KeyError", 2},
    {"three.py", "try:\n  try:\n    int('x')\n  except ValueError as e:\n    raise KeyError(1) from e\nexcept KeyError as e:\n  raise OSError('o') from e\n", "OSError", "o", 7, 0, "ValueError", 3},
    {"note.py", "try:\n  1/0\nexcept Exception as e:\n  e.add_note('a note')\n  raise\n", "ZeroDivisionError", "division by zero\na note", 2, 3, NULL, 0},
    {"group.py", "def f():\n  raise ValueError('v')\nes = []\ntry: f()\nexcept Exception as e: es.append(e)\nraise ExceptionGroup('many', es + [OSError(2)])\n", "ExceptionGroup", "many (2 sub-exceptions)", 6, 0, "ValueError", 2},
    {"group_bare.py", "raise ExceptionGroup('g', [KeyError('k')])\n", "ExceptionGroup", "g (1 sub-exception)", 1, 0, "KeyError", 0},
    {"group_nested.py", "def f():\n  [][0]\ntry: f()\nexcept Exception as e: r = e\nraise ExceptionGroup('o', [ExceptionGroup('i', [r])])\n", "ExceptionGroup", "o (1 sub-exception)", 5, 0, "IndexError", 2},
    {"recursion.py", "def f(n):\n    return f(n + 1)\nf(0)\n", "RecursionError", NULL, 2, 12, NULL, 0},
    {"syntax.py", "x = 1\nif x:\n    print((1)\n", "SyntaxError", "'(' was never closed", 3, 10, NULL, 0},
    {"indent.py", "x = 1\n  y = 2\n", "IndentationError", "unexpected indent", 2, 0, NULL, 0},
    {"tab.py", "if 1:\n\tx = 1\n        y = 2\n", "TabError", NULL, 3, 0, NULL, 0},
    {"eval.py", "def f():\n    return eval('1 +')\nf()\n", "SyntaxError", "invalid syntax", 2, 12, NULL, 0},
    {"thread.py", "import threading, time\ndef f(): 1/0\nt = threading.Thread(target=f); t.start(); t.join()\nraise KeyError('main')\n", "KeyError", "'main'", 4, 0, NULL, 0},
    {"thread_last.py", "import threading, atexit\ndef f(): 1/0\ndef late():\n  t = threading.Thread(target=f); t.start(); t.join()\natexit.register(late)\nraise KeyError('main')\n", "KeyError", NULL, 6, 0, NULL, 0},
    {"thread_only.py", "import threading, sys\ndef f(): 1/0\nt = threading.Thread(target=f); t.start(); t.join(); sys.exit(3)\n", "ZeroDivisionError", "division by zero", 2, 10, NULL, 0},
    {"ignored.py", "class A:\n  def __del__(self): 1/0\na = A()\nraise KeyError('main')\n", "KeyError", "'main'", 4, 0, NULL, 0},
    {"printed.py", "import traceback\ntry: 1/0\nexcept Exception: traceback.print_exc()\nraise KeyError('last')\n", "KeyError", "'last'", 4, 0, NULL, 0},
    {"foreign.py", "import json\ndef f(t):\n  return json.loads(t)\nf('{')\n", "json.decoder.JSONDecodeError", NULL, 3, 10, NULL, 0},
    {"custom.py", "class Mine(Exception): pass\nraise Mine('text: more')\n", "Mine", "text: more", 2, 0, NULL, 0},
    {"lines.py", "raise ValueError('one\\ntwo')\n", "ValueError", "one\ntwo", 1, 0, NULL, 0},
    {"wide.py", "s = '\xc3\xa9\xc3\xa9'; x = s + 1\n", "TypeError", NULL, 1, 15, NULL, 0},
    {"pool.py", "from concurrent.futures import ThreadPoolExecutor as T\ndef f(x):\n  return 1 / x\nlist(T(1).map(f, [0]))\n", "ZeroDivisionError", "division by zero", 3, 10, NULL, 0},
    {"async.py", "import asyncio\nasync def f():\n  raise ValueError('task')\nasync def main():\n  async with asyncio.TaskGroup() as g: g.create_task(f())\nasyncio.run(main())\n", "ExceptionGroup", "unhandled errors in a TaskGroup (1 sub-exception)", 5, 0, "ValueError", 3},
    {"none.py", "import sys; sys.exit('just text')\n", NULL, NULL, 0, 0, NULL, 0},

    {"plain.js", "function f(x) {\n  return x.foo.bar;\n}\nf({});\n", "TypeError", "Cannot read properties of undefined (reading 'bar')", 2, 16, NULL, 0},
    {"syntax.js", "let a = 1;\nlet x = ;\n", "SyntaxError", "Unexpected token ';'", 2, 9, NULL, 0},
    {"module.js", "require('lodash')\n", "Error", NULL, 1, 1, NULL, 0},
    {"assert.js", "const a = require('assert');\na.strictEqual(1, 2)\n", "AssertionError", "Expected values to be strictly equal:\n\n1 !== 2", 2, 3, NULL, 0},
    {"file.js", "const fs = require('fs');\nfunction f() {\n  fs.readFileSync('nope.txt')\n}\nf()\n", "Error", "ENOENT: no such file or directory, open 'nope.txt'", 3, 6, NULL, 0},
    {"async.js", "async function f() {\n  throw new TypeError('late')\n}\nf();\n", "TypeError", "late", 2, 9, NULL, 0},
    {"custom.js", "class MyErr extends Error {constructor(m){super(m);this.name='MyErr'}}\nthrow new MyErr('own\\nlines: 2')\n", "MyErr", "own\nlines: 2", 2, 7, NULL, 0},
    {"cause.js", "function g() { throw new RangeError('outer', {cause: new Error('inner')}); }\ng();\n", "RangeError", "outer", 1, 22, "Error", 1},
    {"aggregate.js", "throw new AggregateError([new TypeError('a1'), new Error('a2')], 'many')\n", "AggregateError", "many", 1, 7, "TypeError", 1},
    {"string.js", "let x = 1;\nthrow 'str'\n", "Uncaught", "str", 2, 1, NULL, 0},
    {"null.js", "throw null\n", "Uncaught", "null", 1, 1, NULL, 0},
    {"reject.js", "Promise.reject('why')\n", "UnhandledPromiseRejection", NULL, 0, 0, NULL, 0},
    {"json.js", "JSON.parse('{a')\n", "SyntaxError", NULL, 1, 6, NULL, 0},
    {"stack.js", "function f() { f() }\nf()\n", "RangeError", "Maximum call stack size exceeded", 1, 16, NULL, 0},
    {"console.js", "console.error(new TypeError('told'));\nnull.x\n", "TypeError", "Cannot read properties of null (reading 'x')", 2, 6, NULL, 0},
    {"only_console.js", "console.error('nothing ' + 'special'); process.exitCode = 3\n", NULL, NULL, 0, 0, NULL, 0},
    {"plain.mjs", "import fs from 'fs';\nfunction g() { fs.nope(); }\ng();\n", "TypeError", "fs.nope is not a function", 2, 19, NULL, 0},
    {"syntax.mjs", "export let y = ;\n", "SyntaxError", "Unexpected token ';'", 1, 16, NULL, 0},
    {"export.mjs", "\nimport {nope} from 'fs';\n", "SyntaxError", "The requested module 'fs' does not provide an export named 'nope'", 2, 9, NULL, 0},
    {"package.mjs", "import x from 'lodash'\n", "Error", NULL, 0, 0, NULL, 0},
    {"require.mjs", "await 1; require('fs')\n", "ReferenceError", NULL, 1, 10, NULL, 0},

    {"plain.R", "f <- function(x) {\n  x + y\n}\nf(1)\n", "Error", "object 'y' not found", 4, 0, NULL, 0},
    {"calls.R", "g <- function() stop('own message')\nf <- function() g()\nf()\n", "Error", "own message", 2, 0, NULL, 0},
    {"top.R", "stop('top level')\n", "Error", "top level", 0, 0, NULL, 0},
    {"syntax.R", "x <- 1\nif (x == 1 {\n  2\n}\n", "SyntaxError", NULL, 2, 0, NULL, 0},
    {"end.R", "x <- c(1,2\n", "SyntaxError", "unexpected end of input", 0, 0, NULL, 0},
    {"package.R", "library(nosuch)\n", "Error", NULL, 1, 0, NULL, 0},
    {"long.R", "lm(yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy ~ x)\n", "Error", "object 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy' not found", 0, 0, NULL, 0},
    {"warning.R", "read.csv('nope.csv')\n", "Error", "cannot open the connection", 0, 0, NULL, 0},
    {"quit.R", "quit(status = 3)\n", NULL, NULL, 0, 0, NULL, 0},

    {"command.bash", "echo\nset -e\nfoo bar\n", "CommandNotFound", "foo: command not found", 3, 0, NULL, 0},
    {"block.bash", "if true; then\n  echo\n", "SyntaxError", NULL, 3, 0, NULL, 0},
    {"token.bash", "echo\nfi\n", "SyntaxError", "syntax error near unexpected token `fi'", 2, 0, NULL, 0},
    {"unset.bash", "set -u\necho $nope\n", "UnboundVariable", "nope: unbound variable", 2, 0, NULL, 0},
    {"zero.bash", "echo $((1/0))\nexit 1\n", "ArithmeticError", NULL, 1, 0, NULL, 0},
    {"function.bash", "f() {\n nosuch\n}\nf || exit 1\n", "CommandNotFound", "nosuch: command not found", 2, 0, NULL, 0},
    {"folder.bash", "cd /nope || exit 3\n", "FileNotFound", "cd: /nope: No such file or directory", 1, 0, NULL, 0},
    {"quiet.bash", "exit 3\n", NULL, NULL, 0, 0, NULL, 0},
    {"command.sh", "foo bar\n", "CommandNotFound", "foo: not found", 1, 0, NULL, 0},
    {"block.sh", "if true; then\n  echo\n", "SyntaxError", NULL, 3, 0, NULL, 0},
    {"unset.sh", "set -u\necho $nope\n", "UnboundVariable", "nope: parameter not set", 2, 0, NULL, 0},
};
/* clang-format on */

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
    exception_free(e);
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
    test_live();
    test_plain();
    test_syntax();
    test_chain();
    test_names();
    test_none();
    test_bytes();
    test_cost();
    return tap_done();
}
