# SPDX-License-Identifier: Apache-2.0
"""What a failing result advises, for programs in all languages, each with what ended it."""

import shutil

# (language, options, code, type or None, line or None, what an advice says, all of another one)
PROGRAMS = [
    # ---- Python: names, calls, values ----
    ("python", (), "totla = 1\nprint(total)", "NameError", 2, "'total' is not defined, but 'totla' is"),
    ("python", (), "x = 1\nprint(json.dumps(x))", "NameError", 2, "Add 'import json' at the top."),
    ("python", (), "d = defaultdict(list)", "NameError", 1, "from collections import defaultdict"),
    ("python", (), "def f():\n  n += 1\nn = 0\nf()", "UnboundLocalError", 2, "'n' is assigned somewhere"),
    ("python", (), "def f(a, b): pass\n\nf(1)", "TypeError", 3, "f() was called without 'b'."),
    ("python", (), "print('a' + 1)", "TypeError", 1, "Text and int cannot be joined with +."),
    ("python", (), "x = [1].sort()\nx[0]", "TypeError", 2, "A value is None here"),
    ("python", (), "int('12a')", "ValueError", 1, "'12a' is not a whole number."),
    ("python", (), "a, b = [1]", "ValueError", 1, "2 names stand left of '=', but the value has only 1"),
    ("python", (), "import json\ndef f(t):\n  return json.loads(t)\nf('')", "json.decoder.JSONDecodeError", 3,
     "The text is empty or is not JSON."),
    ("python", (), "x = [1]\nx[3]", "IndexError", 2, "The list is shorter than the index."),
    ("python", (), "{'a': 1}['b']", "KeyError", 1, "The dict has no key 'b'."),
    ("python", (), "'x'.uper()", "AttributeError", 1, "There is no 'uper', but there is 'upper'"),
    ("python", (), "import re\nre.match('a', 'b').group()", "AttributeError", 2, "The value before .group is None."),
    ("python", (), "b'\\xff'.decode()", "UnicodeDecodeError", 1, "The bytes are not utf-8."),
    ("python", (), "assert 1 + 1 == 3, 'sum'", "AssertionError", 1, "does not hold (sum)."),
    ("python", (), "next(iter([]))", "StopIteration", 1, "next() was called when nothing was left."),
    ("python", (), "def f(n): return f(n)\nf(1)", "RecursionError", 1, "The function calls itself too often."),
    ("python", (), "input()", "EOFError", 1, "input() found no more text"),
    ("python", (), "open('data.csv')", "FileNotFoundError", 1, "There is no data.csv inside. Inputs come into"),
    ("python", (), "import nosuchmodule", "ModuleNotFoundError", 1, "Module 'nosuchmodule' is not installed"),
    ("python", (), "from math import nope", "ImportError", 1, "Module math has no 'nope'"),
    ("python", (), "open('/usr/x', 'w')", None, 1, "the working folder and $TMPDIR"),
    ("python", (), "try:\n  {}['k']\nexcept KeyError as e:\n  raise RuntimeError('outer') from e", "RuntimeError", 4,
     "The dict has no key 'k'."),
    ("python", (), "def f():\n  raise ValueError(1)\ntry: f()\nexcept ValueError as e:\n"
     "  raise ExceptionGroup('g', [e])", "ExceptionGroup", 5, "Several things failed at once"),
    ("python", (), "import sys; sys.exit(3)", None, None, "The program ended with exit status 3 and wrote nothing"),
    ("python", (), "import sys; sys.exit('gave up')", None, None, "Code failed to execute.", "Error: gave up\n"),
    ("python", (), "import sys; print('ValueError: no', file=sys.stderr); sys.exit(1)", None, None,
     "Invalid value for operation. Check parameter constraints."),
    # ---- Python: the system ----
    ("python", ("--timeout", "300ms"), "while True: pass", None, None, "The program did not end in time (300ms)",
     "Code timed out. Check for infinite loops or optimize."),
    ("python", ("--cpu-time", "300ms"), "while True: pass", None, None, "used up its processor time (300ms)"),
    ("python", ("--memory", "64m"), "x = []\nwhile True: x.append(bytearray(1 << 20))", None, None,
     "The program needed more memory than it may have (64m)"),
    ("python", (), "bytearray(1 << 62)", "MemoryError", 1, "There is not enough memory for this value."),
    ("python", ("--disk", "1m"), "open('big', 'wb').write(bytes(8 << 20))", "OSError", 1, "The disk is full"),
    ("python", (), "import os\nos.kill(os.getpid(), 11)", None, None, "The program crashed: it touched memory"),
    ("python", (), "import os\nos.abort()", None, None, "The program ended itself (abort)"),
    ("python", ("--pids", "8"), "import threading, time\nfor _ in range(50):\n"
     "  threading.Thread(target=time.sleep, args=(5,), daemon=True).start()", "RuntimeError", 3,
     "threads could be started"),
    ("python", (), "import socket\nsocket.create_connection(('192.0.2.1', 80), 2)", "OSError", 2,
     "There is no network inside."),
    ("python", (), "import socket\nsocket.getaddrinfo('example.org', 80)", "socket.gaierror", 2,
     "There is no network inside, so no host name can be looked up."),
    # ---- Python: what is refused before it starts ----
    ("python", (), "def f():\n  print((1)\n", "SyntaxError", 2, "'(' was never closed",
     "Python syntax error. Check indentation, brackets, colons."),
    ("python", (), "if 1:\nx = 2", "IndentationError", 2, "expected an indented block after 'if' statement",
     "Python syntax error. Check indentation, brackets, colons."),
    ("python", ("--forbid-imports", "socket"), "import math\nimport socket", None, None, "Line 2: import of socket"),
    ("python", ("--profile", "agentos"), "import socket", None, None,
     "Code violates sandbox security rules; avoid system calls and I/O."),
    ("python", ("--no-check",), "x = (1\n", "SyntaxError", 1, "The bracket '(' on this line has no partner."),
    # ---- JavaScript ----
    ("javascript", (), "let x;\nconsole.log(x.y)", "TypeError", 2, "The value before .y is undefined."),
    ("javascript", (), "document.write(1)", "ReferenceError", 1, "'document' was never declared"),
    ("javascript", (), "const x = 1;\nx = 2", "TypeError", 2, "A const is assigned again."),
    ("javascript", (), "let a = ;", "SyntaxError", 1, "';' cannot stand here."),
    ("javascript", (), "require('lodash')", "Error", 1, "Module 'lodash' is not installed"),
    ("javascript", (), "require('./own')", "Error", 1, "There is no file ./own in the workspace"),
    ("javascript", (), "require('/srv/own.js')", "Error", 1, "There is no file /srv/own.js."),
    ("javascript", (), "require('fs').readFileSync('in.txt')", "Error", 1, "There is no in.txt inside."),
    ("javascript", (), "function f() { f() }\nf()", "RangeError", 1, "The function calls itself too often."),
    ("javascript", (), "throw 'text'", "Uncaught", 1, "A value that is not an Error was thrown"),
    ("javascript", (), "Promise.reject('why')", "UnhandledPromiseRejection", None, "A promise was rejected (why)"),
    ("javascript", (), "process.exit(4)", None, None, "exit status 4 and wrote nothing"),
    # ---- R ----
    ("r", (), "f <- function(x) {\n  x + y\n}\nf(1)", "Error", 4, "'y' was never assigned"),
    ("r", (), "x <- 1\nnofun(x)", "Error", 2, "There is no function nofun."),
    ("r", (), "library(nosuch)", "Error", 1, "Package ‘nosuch’ is not installed"),
    ("r", (), "if (1 {\n  2\n}", "SyntaxError", 1, "cannot stand here"),
    ("r", (), "read.csv('in.csv')", "Error", None, "There is no in.csv inside."),
    # ---- shells ----
    ("bash", (), "set -e\necho hi\nfrobnicate x", "CommandNotFound", 3, "There is no command 'frobnicate' inside"),
    ("bash", (), "if true; then\n  echo", "SyntaxError", 3, "A block is never closed"),
    ("bash", (), "set -u\necho \"$nope\"", "UnboundVariable", 2, "$nope has no value"),
    ("bash", (), "cat in.csv", None, None, "A file or folder is missing (cat: in.csv)."),
    ("bash", (), "cat one\nset -e\ncat two", None, None, "A file or folder is missing (cat: two)."),
    ("bash", (), "exit 7", None, None, "exit status 7 and wrote nothing"),
    ("sh", (), "frobnicate", "CommandNotFound", 1, "There is no command 'frobnicate' inside"),
]

# The hint that stands with an exception of Python's.
HINTS = [
    ("def f():\n  def g(): return v\n  g()\n  v = 1\nf()", "before the outer one has given it a value"),
    ("def f(*, key): pass\nf()", "f() needs 'key' given by name"),
    ("class A:\n  def m(): pass\nA().m()", "A.m() was called with too many arguments (it takes 0)"),
    ("def f(a): pass\nf(b=1)", "f() has no parameter 'b'."),
    ("def f(a): pass\nf(1, a=1)", "'a' was given twice to f()"),
    ("x = None\nx()", "A value is None here"),
    ("x = None + 1", "The left side of + is None."),
    ("[] + ()", "list and tuple cannot be joined with +."),
    ("x = 3\nx()", "A value of type int, which is not a function"),
    ("len[0]", "builtin_function_or_method has no elements to take with []"),
    ("x = (1,)\nx[0] = 2", "tuple cannot be changed in place."),
    ("for i in 3: pass", "int cannot be looped over"),
    ("{[]: 1}", "list cannot be a key of a dict"),
    ("sorted([1, 'a'])", "str and int cannot be compared with <."),
    ("[1]['a']", "A list is indexed with str."),
    ("'abc'['a']", "A string is indexed like a dict."),
    ("import json\njson.dumps({1})", "json has no form for set."),
    ("open('x', 'wb').write('a')", "Text is given where bytes are needed."),
    ("'%d' % (1, 2)", "The format has fewer % places than values."),
    ("next([])", "next() needs an iterator"),
    ("import abc\nclass A(abc.ABC):\n  @abc.abstractmethod\n  def f(self): pass\nA()", "A leaves abstract methods"),
    ("float('x')", "'x' is not a number."),
    ("a, = 1, 2", "The value has more parts than the 1 names"),
    ("[1].index(2)", "The list does not hold 2."),
    ("[1].remove(2)", "The list does not hold the value."),
    ("'a'.index('b')", "The text does not contain the substring."),
    ("import math\nmath.sqrt(-1)", "The function is not defined for this number"),
    ("import datetime\ndatetime.datetime.strptime('x', '%Y')", "'x' does not look like '%Y'."),
    ("with open('x', 'w') as f: pass\nf.write('')", "The file is used after it was closed."),
    ("str(10 ** 5000)", "The number has too many digits"),
    ("max([])", "min() or max() got nothing to choose from."),
    ("import json\njson.loads(\"{'a': 1}\")", "keys need double quotes"),
    ("import json\njson.loads('1\\n2')", "Something follows the first JSON value, on line 2"),
    ("'é'.encode('ascii')", "ascii has no such character."),
    ("[].pop()", "Nothing is left to pop from the empty list."),
    ("import math\nmath.nope", "Module math has no 'nope'"),
    ("(1).nope", "An object of type int has no 'nope'."),
    ("class A: pass\nA.nope", "Class A has no 'nope'."),
    ("from . import x", "The program is not a package"),
    ("import nosuch.more", "Module 'nosuch' is not installed"),
    ("import json.nope", "Module 'json.nope' is not in the library of this Python"),
    ("raise ModuleNotFoundError(\"No module named 'urllib2'\")", "Module 'urllib2' is of Python 2; in Python 3 it is urllib.request."),
    ("raise ModuleNotFoundError(\"No module named 'httpx'\")", "Use data that is given as a file, because there is no network"),
    ("raise ModuleNotFoundError(\"No module named 'cv2'\")", "Module 'cv2' (of the package opencv-python) is not installed"),
    ("raise ModuleNotFoundError(\"No module named 'yaml.x'\")", "Module 'yaml.x' (of the package PyYAML) is not installed"),
    ("import math.nope", "'math' is a module, not a package."),
    ("1 / 0", "The divisor is 0 here."),
    ("2.0 ** 10000", "The number does not fit."),
    ("def g():\n  next(iter(()))\n  yield\nlist(g())", "next() inside a generator found nothing left."),
    ("d = {1: 2}\nfor k in d: d[k + 1] = 1", "The dict is changed while it is looped over."),
    ("s = {1}\nfor k in s: s.add(k + 1)", "The set is changed while it is looped over."),
    ("import asyncio\nasync def f(): asyncio.run(f())\nasyncio.run(f())", "An event loop runs already"),
    ("raise NotImplementedError", "This part of the program is not written yet"),
    ("import os\nos.mkdir('d'); os.mkdir('d')", "d exists already."),
    ("import os\nos.mkdir('d'); open('d')", "d is a folder."),
    ("open('x', 'w'); open('x/y')", "A part of x/y is a file"),
    ("import pickle\npickle.loads(b'')", "The data ends too soon."),
    ("import subprocess\nsubprocess.run(['frobnicate'])", "There is no frobnicate inside."),
    ("x = 1\n  y = 2", "The line is indented although"),
    ("if 1:\n    x = 1\n  y = 1", "The indentation does not match any enclosing block."),
    ("if 1:\n\tx = 1\n        y = 1", "Tabs and spaces are mixed."),
    ("x = 1)", "There is a ')' too many here"),
    ("x = (1]", "'(' is closed by ']'"),
    ("x = '''abc", "A text in triple quotes is never closed."),
    ("x = 'abc", "The text lacks its closing quote"),
    ("if 1\n  x = 1", "A colon is missing"),
    ("if x = 1: pass", "'=' assigns; to compare, write '=='."),
    ("x = [1 2]", "Two values are side by side"),
    ("print 'x'", "This is Python 3: write print(...)."),
    ("f() = 1", "Only names, attributes and elements can stand left"),
    ("return 1", "'return' works in functions only."),
    ("async def g(): pass\nawait g()", "Put the 'await' into an 'async def' function"),
    ("break", "'break' works in loops only."),
    ("continue", "'continue' works in loops only."),
    ("f'{'", "An f-string has a mistake in its braces"),
    ("x = \u200b1", "The line has an invisible character, U+200B"),
    ("x = \u201ca\u201d", "is not a character of Python."),
    ("x = 1 + \\ 2", "Nothing may follow a \\ at the end of a line."),
    ("x = 012", "A number cannot begin with 0."),
]

TOOLS = {"javascript": "node", "r": "Rscript", "bash": "bash"}


def check(t, language, options, code, kind, line, words, also=None):
    what = "%s %r" % (language, code[:50])
    if language in TOOLS and not shutil.which(TOOLS[language]):
        return t.skip(what, "needs %s" % TOOLS[language])
    done = t.run("--json", "--lang", language, *options, "-c", code, timeout=60)
    doc = done.json
    advice = doc["feedback"]
    if not t.ok(advice and not doc["success"], "%s: there is advice" % what, done):
        return None
    t.ok(any(words in a for a in advice), "%s: the advice" % what, (words, advice))
    if also:
        t.ok(also in advice, "%s: %s" % (what, also), advice)
    t.equal(len(advice), len(set(advice)), "%s: nothing twice" % what, advice)
    t.ok(all(0 < len(a) <= 1000 for a in advice), "%s: of a sensible length" % what, advice)
    e = doc["exception"]
    if kind:
        t.equal(e and (e["type"], e["line"]), (kind, line), "%s: type and line" % what, done)
    if kind and e["hint"] and not doc["limits"]:
        t.ok(any(e["hint"] in a for a in advice), "%s: its hint is among it" % what, doc)
    return None


def test_programs(t):
    for row in PROGRAMS:
        check(t, *row)


def test_hints(t):
    for code, words in HINTS:
        done = t.run("--json", "--lang", "python", "--no-check", "-c", code)
        e = done.json["exception"]
        t.ok(e and e["hint"] and words in e["hint"], "the hint for %r" % code[:60], (words, e))


def test_none(t):
    for language, code in (("python", "print(1)"), ("sh", "echo 1; frobnicate; exit 0")):
        doc = t.run("--json", "--lang", language, "-c", code).json
        t.equal(doc["feedback"], [], "no advice for %s that succeeds" % language, doc)


def test_order(t):
    doc = t.run("--json", "-c", "try:\n  {}['k']\nexcept KeyError as e:\n  print(undefined)").json
    t.equal(
        [a.split(".")[0].split(",")[0] for a in doc["feedback"]],
        [
            "'undefined' is not defined"
            if "'undefined' is" in doc["feedback"][0]
            else "Python has no 'undefined': write None",
            "The dict has no key 'k'",
            "Variable or function not defined",
            "Dictionary key not found",
        ],
        "what ended it, what that came of, then the general",
        doc,
    )


def test_place(t):
    t.write("helper.py", "def half(x):\n    return 1 / x\n")
    done = t.run("--json", "--file", "helper.py", "-c", "import helper\n\nhelper.half(0)")
    e = done.json["exception"]
    t.equal((e["type"], e["line"]), ("ZeroDivisionError", 2), "a file of the user's own counts", e)
    done = t.run("--json", "-c", "import json\nx = json.loads(json.dumps({1, 2}))")
    e = done.json["exception"]
    t.equal((e["type"], e["line"], e["column"]), ("TypeError", 2, 16), "the library does not", e)
    done = t.run("--json", "-c", "if 1:\n    é = 'é' + 1")
    e = done.json["exception"]
    t.equal((e["line"], e["column"]), (2, 9), "columns count characters", e)


def test_authorized(t):
    """Modules that --allow-imports names must be installed, in smolagents' words."""
    done = t.run("--json", "--profile", "smolagents", "--allow-imports", "nosuch_a,json,nosuch_b.x", "-c", "print(1)")
    said = ("Non-installed authorized modules: nosuch_a, nosuch_b. Please install these modules or remove them from the "
            "authorized imports list.")
    e = done.json["exception"] or {}
    t.equal((done.json["stdout"], e.get("type"), e.get("message")), ("", "InterpreterError", said), "modules that are not installed", done)
    t.ok(said.encode() in t.box("format", "--profile", "smolagents", "-", stdin=done.out).out, "... for the model")
    t.exits(t.run("--profile", "smolagents", "--allow-imports", "json,os.path", "-c", "import json\nprint(json.dumps(1))"), 0,
            "modules that are", b"1\n")
    t.exits(t.run("--allow-imports", "nosuch_a", "-c", "print(1)"), 0, "another profile does not mind", b"1\n")


def test_foreign_lines(t):
    """What models write that is IPython's, a shell's or Markdown's."""
    for code, words in (("x = 1\n%matplotlib inline", "magic command of IPython"), ("!ls -l", "subprocess.run"),
                        ("%pip install numpy", "Packages cannot be installed"), ("pip install numpy", "Packages cannot be installed"),
                        ("len?", "help(NAME)"), ("```python\nx = 1\n```", "Markdown fences"), (">>> 1 + 1", "prompts")):
        done = t.run("--json", "--lang", "python", "-c", code)
        t.ok(len(done.json["feedback"]) == 1 and words in done.json["feedback"][0], "advice for %r" % code, done.json["feedback"])
        done = t.run("--lang", "python", "-c", code)
        t.ok(done.code == 126 and words.encode() in done.err, "... and a hint for people", done)
    done = t.run("--json", "--lang", "python", "-c", "x = = 1")
    t.ok("Check indentation" in done.json["feedback"][-1], "another error has the general advice", done.json["feedback"])


def test_profile_words(t):
    code = "def f(a):\n  return 1 / a\nx = [f(1),\n  f(0)]"
    e = t.run("--json", "--profile", "smolagents", "-c", code).json["exception"]
    t.equal(
        (e["type"], e["message"], e["line"]),
        (
            "InterpreterError",
            "Code execution failed at line 'x = [f(1),\n  f(0)]' due to: ZeroDivisionError: "
            "division by zero",
            2,
        ),
        "smolagents' sentence, with the real line",
        e,
    )
    t.ok("ZeroDivisionError" in e["traceback"] and "divisor" in e["hint"], "and all the rest", e)
    for code, statement in (("print('x'); raise ValueError('boom')", "raise ValueError('boom')"),
                            ("def f(): return 1 / 0\na = 1; b = 'é'; f()", "f()"),
                            ("a = 'é'; b = [][a]; c = 1", "b = [][a]"), ("if 1: a = 1; b = 1 / 0", "if 1: a = 1; b = 1 / 0")):
        e = t.run("--json", "--profile", "smolagents", "-c", code).json["exception"]
        t.ok(e["message"].startswith("Code execution failed at line '%s' due to" % statement), "the statement among others", e)
    for code, words in (("x", "The variable `x` is not defined."), ("y = (x.f(1), xx)", "The variable `x` is not defined."),
                        ("a = 1 +f(1)", "Forbidden function evaluation: 'f' is not among"), ("del x", "Cannot delete name 'x': name is"),
                        ("def f(): x\nf()", "The variable `x` is not defined."), ("a, b = 1, 2, 3", "Cannot unpack tuple of wrong size"),
                        ("(a, b), c = [1], 2", "Cannot unpack tuple of wrong size"), ("dict(**[1])", "Cannot unpack non-dict value in **kwargs: list")):
        e = t.run("--json", "--profile", "smolagents", "-c", code).json["exception"]
        t.ok(" due to: InterpreterError: " + words in e["message"], "%r in its words" % code, e)


def test_hostile(t):
    code = (
        "import sys\n"
        "sys.stderr.write('\\x1b[31m\\x1b]0;t\\x07\\u202eValueError\\x00: ' + 'x' * 100000 + '\\n')\n"
        "sys.stderr.flush()\n"
        "sys.stderr.buffer.write(b'\\xff\\xfe' * 1000)\n"
        "raise type('E' * 5000, (Exception,), {})('\\x1b[2J\\r\\n' * 1000)"
    )
    doc = t.run("--json", "-c", code).json
    said = "\n".join(doc["feedback"])
    t.ok(doc["feedback"] and len(said) < 5000, "a flood is cut", len(said))
    t.ok(not any(ord(c) < 32 and c != "\n" for c in said), "nothing for terminals", said)
    t.ok("\u202e" not in said, "nor against readers", said)
    doc = t.run(
        "--json",
        "-c",
        "import sys\nfor i in range(200000): print('Traceback (most recent call last):', file=sys.stderr)\n"
        "sys.exit(1)",
    ).json
    t.ok(doc["feedback"], "many false tracebacks are read fast", doc["duration_ms"])


def test_own_failure(t):
    done = t.run("--json", "--backend", "inproc", "-c", "print(1)")
    advice = done.json["feedback"]
    t.ok(advice and "backend" in advice[0], "a failure of ours is told as one", done)
