/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs that fail, and what is to be read out of what the interpreters of this machine say then.
 */
#ifndef EXCEPTION_LIVE_H
#define EXCEPTION_LIVE_H

#include <stddef.h>

struct live {
    const char *name, *code;    /* the language is by the name's ending */
    const char *type, *message; /* NULL: any */
    int line, column;
    const char *cause;
    int cause_line;
};

static const struct live lives[] = {
    {"plain.py", "def f():\n    x = {}\n    return 1 + x['key']\nf()\n", "KeyError", "'key'", 3, 16,
     NULL, 0},
    {"whole_line.py", "def f():\n    g()\ndef g():\n    raise ValueError\nf()\n", "ValueError", "",
     4, 0, NULL, 0},
    {"from_none.py", "try: 1/0\nexcept Exception as e: raise OSError('x') from None\n", "OSError",
     "x", 2, 24, NULL, 0},
    {"during.py", "try:\n  1/0\nexcept Exception:\n  [][1]\n", "IndexError",
     "list index out of range", 4, 3, "ZeroDivisionError", 2},
    {"direct.py", "try:\n  {}['a']\nexcept KeyError as e:\n  raise RuntimeError('b') from e\n",
     "RuntimeError", "b", 4, 0, "KeyError", 2},
    {"three.py",
     "try:\n  try:\n    int('x')\n  except ValueError as e:\n    raise KeyError(1) from e\nexcept "
     "KeyError as e:\n  raise OSError('o') from e\n",
     "OSError", "o", 7, 0, "ValueError", 3},
    {"note.py", "try:\n  1/0\nexcept Exception as e:\n  e.add_note('a note')\n  raise\n",
     "ZeroDivisionError", "division by zero\na note", 2, 3, NULL, 0},
    {"group.py",
     "def f():\n  raise ValueError('v')\nes = []\ntry: f()\nexcept Exception as e: "
     "es.append(e)\nraise ExceptionGroup('many', es + [OSError(2)])\n",
     "ExceptionGroup", "many (2 sub-exceptions)", 6, 0, "ValueError", 2},
    {"group_bare.py", "raise ExceptionGroup('g', [KeyError('k')])\n", "ExceptionGroup",
     "g (1 sub-exception)", 1, 0, "KeyError", 0},
    {"group_nested.py",
     "def f():\n  [][0]\ntry: f()\nexcept Exception as e: r = e\nraise ExceptionGroup('o', "
     "[ExceptionGroup('i', [r])])\n",
     "ExceptionGroup", "o (1 sub-exception)", 5, 0, "IndexError", 2},
    {"recursion.py", "def f(n):\n    return f(n + 1)\nf(0)\n", "RecursionError", NULL, 2, 12, NULL,
     0},
    {"syntax.py", "x = 1\nif x:\n    print((1)\n", "SyntaxError", "'(' was never closed", 3, 10,
     NULL, 0},
    {"indent.py", "x = 1\n  y = 2\n", "IndentationError", "unexpected indent", 2, 0, NULL, 0},
    {"tab.py", "if 1:\n\tx = 1\n        y = 2\n", "TabError", NULL, 3, 0, NULL, 0},
    {"eval.py", "def f():\n    return eval('1 +')\nf()\n", "SyntaxError", "invalid syntax", 2, 12,
     NULL, 0},
    {"thread.py",
     "import threading, time\ndef f(): 1/0\nt = threading.Thread(target=f); t.start(); "
     "t.join()\nraise KeyError('main')\n",
     "KeyError", "'main'", 4, 0, NULL, 0},
    {"thread_last.py",
     "import threading, atexit\ndef f(): 1/0\ndef late():\n  t = threading.Thread(target=f); "
     "t.start(); t.join()\natexit.register(late)\nraise KeyError('main')\n",
     "KeyError", NULL, 6, 0, NULL, 0},
    {"thread_only.py",
     "import threading, sys\ndef f(): 1/0\nt = threading.Thread(target=f); t.start(); t.join(); "
     "sys.exit(3)\n",
     "ZeroDivisionError", "division by zero", 2, 10, NULL, 0},
    {"ignored.py", "class A:\n  def __del__(self): 1/0\na = A()\nraise KeyError('main')\n",
     "KeyError", "'main'", 4, 0, NULL, 0},
    {"printed.py",
     "import traceback\ntry: 1/0\nexcept Exception: traceback.print_exc()\nraise "
     "KeyError('last')\n",
     "KeyError", "'last'", 4, 0, NULL, 0},
    {"foreign.py", "import json\ndef f(t):\n  return json.loads(t)\nf('{')\n",
     "json.decoder.JSONDecodeError", NULL, 3, 10, NULL, 0},
    {"custom.py", "class Mine(Exception): pass\nraise Mine('text: more')\n", "Mine", "text: more",
     2, 0, NULL, 0},
    {"lines.py", "raise ValueError('one\\ntwo')\n", "ValueError", "one\ntwo", 1, 0, NULL, 0},
    {"wide.py", "s = '\xc3\xa9\xc3\xa9'; x = s + 1\n", "TypeError", NULL, 1, 15, NULL, 0},
    {"pool.py",
     "from concurrent.futures import ThreadPoolExecutor as T\ndef f(x):\n  return 1 / "
     "x\nlist(T(1).map(f, [0]))\n",
     "ZeroDivisionError", "division by zero", 3, 10, NULL, 0},
    {"async.py",
     "import asyncio\nasync def f():\n  raise ValueError('task')\nasync def main():\n  async with "
     "asyncio.TaskGroup() as g: g.create_task(f())\nasyncio.run(main())\n",
     "ExceptionGroup", "unhandled errors in a TaskGroup (1 sub-exception)", 5, 0, "ValueError", 3},
    {"loop.py", "import asyncio\nasync def f(): asyncio.run(f())\nasyncio.run(f())\n",
     "RuntimeError", "asyncio.run() cannot be called from a running event loop", 2, 16, NULL, 0},
    {"none.py", "import sys; sys.exit('just text')\n", NULL, NULL, 0, 0, NULL, 0},

    {"plain.js", "function f(x) {\n  return x.foo.bar;\n}\nf({});\n", "TypeError",
     "Cannot read properties of undefined (reading 'bar')", 2, 16, NULL, 0},
    {"syntax.js", "let a = 1;\nlet x = ;\n", "SyntaxError", "Unexpected token ';'", 2, 9, NULL, 0},
    {"module.js", "require('lodash')\n", "Error", NULL, 1, 1, NULL, 0},
    {"assert.js", "const a = require('assert');\na.strictEqual(1, 2)\n", "AssertionError",
     "Expected values to be strictly equal:\n\n1 !== 2", 2, 3, NULL, 0},
    {"file.js",
     "const fs = require('fs');\nfunction f() {\n  fs.readFileSync('nope.txt')\n}\nf()\n", "Error",
     "ENOENT: no such file or directory, open 'nope.txt'", 3, 6, NULL, 0},
    {"async.js", "async function f() {\n  throw new TypeError('late')\n}\nf();\n", "TypeError",
     "late", 2, 9, NULL, 0},
    {"custom.js",
     "class MyErr extends Error {constructor(m){super(m);this.name='MyErr'}}\nthrow new "
     "MyErr('own\\nlines: 2')\n",
     "MyErr", "own\nlines: 2", 2, 7, NULL, 0},
    {"cause.js",
     "function g() { throw new RangeError('outer', {cause: new Error('inner')}); }\ng();\n",
     "RangeError", "outer", 1, 22, "Error", 1},
    {"aggregate.js", "throw new AggregateError([new TypeError('a1'), new Error('a2')], 'many')\n",
     "AggregateError", "many", 1, 7, "TypeError", 1},
    {"string.js", "let x = 1;\nthrow 'str'\n", "Uncaught", "str", 2, 1, NULL, 0},
    {"null.js", "throw null\n", "Uncaught", "null", 1, 1, NULL, 0},
    {"reject.js", "Promise.reject('why')\n", "UnhandledPromiseRejection", NULL, 0, 0, NULL, 0},
    {"json.js", "JSON.parse('{a')\n", "SyntaxError", NULL, 1, 6, NULL, 0},
    {"stack.js", "function f() { f() }\nf()\n", "RangeError", "Maximum call stack size exceeded", 1,
     16, NULL, 0},
    {"console.js", "console.error(new TypeError('told'));\nnull.x\n", "TypeError",
     "Cannot read properties of null (reading 'x')", 2, 6, NULL, 0},
    {"only_console.js", "console.error('nothing ' + 'special'); process.exitCode = 3\n", NULL, NULL,
     0, 0, NULL, 0},
    {"plain.mjs", "import fs from 'fs';\nfunction g() { fs.nope(); }\ng();\n", "TypeError",
     "fs.nope is not a function", 2, 19, NULL, 0},
    {"syntax.mjs", "export let y = ;\n", "SyntaxError", "Unexpected token ';'", 1, 16, NULL, 0},
    {"export.mjs", "\nimport {nope} from 'fs';\n", "SyntaxError",
     "The requested module 'fs' does not provide an export named 'nope'", 2, 9, NULL, 0},
    {"package.mjs", "import x from 'lodash'\n", "Error", NULL, 0, 0, NULL, 0},
    {"require.mjs", "await 1; require('fs')\n", "ReferenceError", NULL, 1, 10, NULL, 0},

    {"plain.R", "f <- function(x) {\n  x + y\n}\nf(1)\n", "Error", "object 'y' not found", 4, 0,
     NULL, 0},
    {"calls.R", "g <- function() stop('own message')\nf <- function() g()\nf()\n", "Error",
     "own message", 2, 0, NULL, 0},
    {"top.R", "stop('top level')\n", "Error", "top level", 0, 0, NULL, 0},
    {"syntax.R", "x <- 1\nif (x == 1 {\n  2\n}\n", "SyntaxError", NULL, 2, 0, NULL, 0},
    {"end.R", "x <- c(1,2\n", "SyntaxError", "unexpected end of input", 0, 0, NULL, 0},
    {"package.R", "library(nosuch)\n", "Error", NULL, 1, 0, NULL, 0},
    {"long.R", "lm(yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy ~ x)\n", "Error",
     "object 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy' not found", 0, 0,
     NULL, 0},
    {"warning.R", "read.csv('nope.csv')\n", "Error", "cannot open the connection", 0, 0, NULL, 0},
    {"quit.R", "quit(status = 3)\n", NULL, NULL, 0, 0, NULL, 0},

    {"command.bash", "echo\nset -e\nfoo bar\n", "CommandNotFound", "foo: command not found", 3, 0,
     NULL, 0},
    {"block.bash", "if true; then\n  echo\n", "SyntaxError", NULL, 3, 0, NULL, 0},
    {"token.bash", "echo\nfi\n", "SyntaxError", "syntax error near unexpected token `fi'", 2, 0,
     NULL, 0},
    {"unset.bash", "set -u\necho $nope\n", "UnboundVariable", "nope: unbound variable", 2, 0, NULL,
     0},
    {"zero.bash", "echo $((1/0))\nexit 1\n", "ArithmeticError", NULL, 1, 0, NULL, 0},
    {"function.bash", "f() {\n nosuch\n}\nf || exit 1\n", "CommandNotFound",
     "nosuch: command not found", 2, 0, NULL, 0},
    {"folder.bash", "cd /proc/nope || exit 3\n", "FileNotFound",
     "cd: /proc/nope: No such file or directory", 1, 0, NULL, 0},
    {"quiet.bash", "exit 3\n", NULL, NULL, 0, 0, NULL, 0},
    {"command.sh", "foo bar\n", "CommandNotFound", "foo: not found", 1, 0, NULL, 0},
    {"block.sh", "if true; then\n  echo\n", "SyntaxError", NULL, 3, 0, NULL, 0},
    {"unset.sh", "set -u\necho $nope\n", "UnboundVariable", "nope: parameter not set", 2, 0, NULL,
     0},
};

#endif
