#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The profiles that stand in for other systems: who is refused, at which stage, in which words, with
what score. Each row is a program and what must be said of it; a text is compared whole.
"""

import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import programs  # noqa: E402
from rows import AGENTOS, CHAPTER, KODEAGENT, RESTRICTED, accepted, refused  # noqa: E402
from rows_kodeagent import KODEAGENT_ROWS  # noqa: E402
from rows_smolagents import SMOLAGENTS_ROWS  # noqa: E402
from tap import alone  # noqa: E402

# ---- chapter ----

LONG = "x = 1 #" + "é" * (10000 - 7)


def unsafe(*labels):
    return refused(None, "Unsafe operations: %r" % list(labels))


CHAPTER_ROWS = (
    ("size", CHAPTER, "x = 1", accepted()),
    ("size", CHAPTER, LONG, accepted()),
    ("size", CHAPTER, LONG + "é", refused("input", "Code too long (max 10000 chars)")),
    ("size", CHAPTER, "x = 1\0", refused("input", "Invalid characters in code")),
    ("size", CHAPTER, "\0" * 10001, refused("input", "Code too long (max 10000 chars)")),
    ("syntax", CHAPTER, "x = (", refused("syntax", "Syntax error: [\"Line 1: '(' was never closed\"]")),
    ("syntax", CHAPTER, "\nx = = 1", refused("syntax", "Syntax error: ['Line 2: invalid syntax']")),
    ("patterns", CHAPTER, "import os", unsafe("OS module import")),
    ("patterns", CHAPTER, "import sys", unsafe("System module import")),
    ("patterns", CHAPTER, "import subprocess", unsafe("Subprocess import")),
    ("patterns", CHAPTER, "open('x')", unsafe("File operations")),
    ("patterns", CHAPTER, "eval ('x')", unsafe("Eval usage")),
    ("patterns", CHAPTER, "exec('x')", unsafe("Exec usage")),
    ("patterns", CHAPTER, "__import__('x')", unsafe("Dynamic imports")),
    (
        "patterns",
        CHAPTER,
        "import sys\nimport os\neval('x')\nopen('y')",
        unsafe("OS module import", "System module import", "File operations", "Eval usage"),
    ),
    ("patterns", CHAPTER, "from os import path", unsafe("OS module import")),
    ("patterns", CHAPTER, "import json, os", unsafe("OS module import")),
    ("patterns", CHAPTER, "import ostrich", accepted()),
    ("patterns", CHAPTER, "def reopen(x): pass\nreopen(1)", accepted()),
    ("patterns", CHAPTER, "def retrieval(x): pass\nretrieval (1)", accepted()),
    ("patterns", CHAPTER, "# import os, eval(x)\nx = 'exec(y)'", accepted()),
)

# ---- agentos ----


def violation(*issues):
    return refused(None, "; ".join(issues))


AGENTOS_ROWS = (
    ("imports", AGENTOS, "import json, math, collections", accepted()),
    ("patterns", AGENTOS, "import subprocess", violation("Forbidden import: subprocess")),
    ("patterns", AGENTOS, "import shutil", violation("Forbidden import: shutil")),
    ("patterns", AGENTOS, "from socket import socket", violation("Forbidden import: socket")),
    ("patterns", AGENTOS, "import requests", violation("Forbidden import: requests")),
    ("patterns", AGENTOS, "import urllib.request", violation("Forbidden import: urllib")),
    ("patterns", AGENTOS, "from http import client", violation("Forbidden import: http")),
    ("patterns", AGENTOS, "from os import system", violation("Forbidden import: os.system")),
    ("patterns", AGENTOS, "import os\nos.system('x')", violation("Forbidden import: os.system")),
    ("patterns", AGENTOS, "eval('x')", violation("eval() is forbidden")),
    ("patterns", AGENTOS, "exec('x')", violation("exec() is forbidden")),
    ("patterns", AGENTOS, "__import__('x')", violation("__import__() is forbidden")),
    ("patterns", AGENTOS, "open('x')", violation("File I/O blocked in sandbox")),
    (
        "patterns",
        AGENTOS,
        "eval('x')\nexec('y')",
        violation("eval() is forbidden", "exec() is forbidden"),
    ),
    ("patterns", AGENTOS, "def reopen(x): pass\nreopen(1)", accepted()),
    ("patterns", AGENTOS, "# from https://example.org\nx = 'import socket'", accepted()),
    ("syntax", AGENTOS, "x = (", refused("syntax", "Line 1: '(' was never closed")),
)

# ---- restricted ----

FRAME_NAMES = (
    "tb_frame tb_next f_back f_builtins f_code f_generator f_globals f_locals f_trace co_code"
    " gi_frame gi_code gi_yieldfrom cr_await cr_frame cr_code cr_origin"
).split()


def line(number, text=None):
    return dict(allowed=False, starts="Line %d: %s" % (number, text or ""))


REFUSED_BY_RESTRICTED = (
    "_x = 1",
    "x = _y",
    "def _f(): pass",
    "def f(_x): pass",
    "lambda _x: 1",
    "class _A: pass",
    "import _x",
    "import x as _x",
    "from x import _y",
    "for _x in y: pass",
    "x__roles__ = 1",
    "printed = 1",
    "print = 1",
    "builtins = 1",
    "x._y",
    "x.__class__",
    "x._y = 1",
    "from x import *",
    "exec('x')",
    "eval('x')",
    "async def f(): pass",
    "async def f():\n    await x",
    "def f():\n    y = 1\n    def g():\n        nonlocal y",
    "try: pass\nexcept* A: pass",
    "x: int = 1",
    "match x:\n    case 1: pass",
    "class A(metaclass=B): pass",
    "type X = int",
    "'{0.x}'.format(1)",
    "x.format_map(y)",
    "def __getattr__(self): pass",
    "def f(__x): pass",
    "def f(_getattr_, /): pass",
    *("x." + name for name in FRAME_NAMES),
)
RESTRICTED_ROWS = (
    *(("names", RESTRICTED, "\n" + text, dict(allowed=False)) for text in REFUSED_BY_RESTRICTED),
    ("names", RESTRICTED, "x = [1, 2]\nx[0] = 3\nprint(sum(x))", accepted()),
    (
        "names",
        RESTRICTED,
        "x[0] += 1",
        line(1, "Augmented assignment of object items and slices is not allowed."),
    ),
    ("names", RESTRICTED, "_ = 1", accepted()),
    (
        "names",
        RESTRICTED,
        "class A:\n    def __init__(self): pass\n    def __eq__(self, o): return True",
        accepted(),
    ),
    ("names", RESTRICTED, "\n_x = 1", line(2, '"_x" is an invalid variable name')),
    ("names", RESTRICTED, "\nx._y", line(2, '"_y" is an invalid attribute name')),
    ("names", RESTRICTED, "\nx.tb_frame", line(2, '"tb_frame" is a restricted name')),
    ("names", RESTRICTED, "\nexec('x')", line(2, "Exec calls are not allowed.")),
    ("names", RESTRICTED, "\neval('x')", line(2, "Eval calls are not allowed.")),
    ("names", RESTRICTED, "\nfrom x import *", line(2, '"*" imports are not allowed.')),
    # the builtins there are
    *(
        ("builtins", RESTRICTED, "x = " + name, accepted())
        for name in (
            "print range len sum max min abs round sorted list dict set str int float".split()
        )
    ),
    *(
        ("builtins", RESTRICTED, "x = " + name, dict(allowed=False))
        for name in "open getattr type __import__ input globals vars".split()
    ),
)

# ---- what cannot be written into a file of routes/ ----

STANDARD = ("--profile", "standard")
TEXT_ROWS = (
    ("input", STANDARD, "x = 1 # \u202e", accepted(rules={"bidi-control"})),
    ("input", STANDARD, "x\0", refused("input", rules={"nul-character"})),
    ("input", STANDARD, b"x = '\xff'", refused("input", rules={"bad-encoding"})),
    ("input", STANDARD, b"# coding: latin-1\nx = '\xff'", accepted(rules=set())),
    ("input", STANDARD, b"# coding: nothing\nx = 1", refused("syntax", rules={"syntax"})),
    ("syntax", STANDARD, "(" * 300, refused("syntax", rules={"syntax"})),
    ("patterns", STANDARD, "x = '%s'" % ("a" * 3000000), accepted(rules={"huge-literal"})),
    (
        "patterns",
        STANDARD,
        "\uff45\uff56\uff41\uff4c('1')",
        accepted(rules={"eval-call", "disguised-name"}),
    ),
)

ROWS = TEXT_ROWS + KODEAGENT_ROWS + CHAPTER_ROWS + AGENTOS_ROWS + SMOLAGENTS_ROWS + RESTRICTED_ROWS

# ---- what `glovebox run --json` says of what never ran ----

RUNS = (
    (
        "stages",
        KODEAGENT,
        "x = (\n",
        dict(
            stdout="",
            stderr="Code parsing failed due to: SyntaxError\nx = (\n\nError: '(' was never closed"
            " (<unknown>, line 1)",
            exit_code=-1,
        ),
    ),
    (
        "imports",
        KODEAGENT,
        "import os, socket, os\n",
        dict(
            stdout="",
            stderr="The following imports are disallowed:os\nsocket\n"
            "Please only use the allowed modules for importing.",
            exit_code=-1,
        ),
    ),
    (
        "builtins",
        KODEAGENT,
        "f = eval\n",
        dict(exception=("CodeSecurityError", "Forbidden builtin: eval")),
    ),
    (
        "patterns",
        AGENTOS,
        "eval('x')\nimport socket\n",
        dict(
            stderr="SECURITY VIOLATION: Forbidden import: socket; eval() is forbidden",
            exception=(None, "Security check failed"),
        ),
    ),
    (
        "syntax",
        AGENTOS,
        "\nx = = 1\n",
        dict(
            stderr="Line 2: invalid syntax",
            exception=(None, "Syntax error: Line 2: invalid syntax"),
        ),
    ),
)


def difference(verdict, want):
    wrong = []
    for key, value in want.items():
        if key == "starts":
            got, good = verdict["reason"], verdict["reason"].startswith(value)
        elif key == "rules":
            got = {f["rule"] for f in verdict["findings"]}
            good = got == value
        else:
            got = verdict[key]
            good = got == value or (key == "stage" and value is None)
        if not good:
            wrong.append("%s: got  %r\n%s  want %r" % (key, got, " " * len(key), value))
    return wrong


def test_rows(tap):
    by_options = {}
    for row in ROWS:
        by_options.setdefault(row[1], []).append(row)
    for options, rows in by_options.items():
        verdicts = programs.check([text for _, _, text, _ in rows], *options)
        for (name, _, text, want), verdict in zip(rows, verdicts):
            title = ("%s %s: %a" % (name, options[1], text[:50])).replace("#", "?")
            wrong = difference(verdict, want)
            tap.ok(not wrong, title, *wrong, json.dumps(verdict))


def run(options, text):
    command = [programs.glovebox(), "run", "--json", *options, "-c", text]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}


def test_runs(tap):
    for name, options, text, want in RUNS:
        status, result = run(options, text)
        wrong = [] if status == 126 else ["exit status %d, not 126" % status]
        for key, value in want.items():
            got = result.get(key)
            if key == "exception":
                got = got and (got["type"], got["message"])
                value = value if value[0] else (got and got[0], value[1])
            if got != value:
                wrong.append("%s: got  %r\n%s  want %r" % (key, got, " " * len(key), value))
        tap.ok(not wrong, "%s: result of a run that was refused: %r" % (name, text[:40]), *wrong)


def test(tap):
    test_rows(tap)
    test_runs(tap)


if __name__ == "__main__":
    alone(test, __doc__)
