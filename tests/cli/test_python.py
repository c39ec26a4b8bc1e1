# SPDX-License-Identifier: Apache-2.0
"""CPython is the oracle: what `python3 FILE` prints and returns, `glovebox run FILE` does."""

import concurrent.futures
import glob
import json
import os
import re

import box

FOLDER = os.path.join(box.HERE, "python")
PYTHON = "/usr/bin/python3"
WORK = b"/box/work"

# What is allowed to differ, and why. The text of both is passed through these first.
DIFFERENCES = {
    "*": [(rb"0x[0-9a-f]{6,}", b"0xADDRESS", "addresses are random")],
    "unittest_main.py": [(rb"in [0-9.]+s", b"in SECONDS", "time passes")],
}


def load(path):
    """The bytes of a program, and what its first lines ask for."""
    with open(path, "rb") as f:
        code = f.read()
    asked = {}
    for line in code.split(b"\n")[:6]:
        found = re.match(rb"# (args|stdin|beside): (.*)", line)
        if found:
            value = found[2].decode()
            asked[found[1].decode()] = value if found[1] == b"beside" else json.loads(value)
    return os.path.basename(path), code, asked


def tree(name):
    """The files that stand beside a program: {path inside: bytes}."""
    source, _, target = name.partition("=")
    root = os.path.join(FOLDER, source)
    target = target or os.path.basename(source)
    if os.path.isfile(root):
        return {target: open(root, "rb").read()}
    files = {}
    for folder, _, names in os.walk(root):
        for each in names:
            path = os.path.join(folder, each)
            if path.endswith(".py"):
                files[os.path.join(target, os.path.relpath(path, root))] = open(path, "rb").read()
    return files


PROGRAMS = [load(p) for p in sorted(glob.glob(os.path.join(FOLDER, "*.py")))]
BESIDE = {asked["beside"]: tree(asked["beside"]) for _, _, asked in PROGRAMS if "beside" in asked}

# Texts that are no ordinary files.
ODD = {
    "bom.py": b"\xef\xbb\xbfprint('after a mark', __file__)\n",
    "bom_and_cookie.py": b"\xef\xbb\xbf# -*- coding: utf-8 -*-\nprint('\xc3\xa9')\n",
    "bom_and_wrong_cookie.py": b"\xef\xbb\xbf# -*- coding: latin-1 -*-\nprint('x')\n",
    "cookie_latin1.py": b"# -*- coding: latin-1 -*-\nprint('caf\xe9', len('\xe9'))\n",
    "cookie_second_line.py": b"#!/usr/bin/env python3\n# vim: set fileencoding=cp1252 :\nprint('\x80')\n",
    "cookie_unknown.py": b"# -*- coding: no-such -*-\nprint('x')\n",
    "cookie_latin1_error.py": b"# -*- coding: latin-1 -*-\nx = '\xe9'\nraise ValueError(x)\n",
    "cookie_utf16.py": "print('x')\n".encode("utf-16"),
    "not_utf8.py": b"print('ok')\nx = 'caf\xe9'\n",
    "not_utf8_comment.py": b"# caf\xe9\nprint('never')\n",
    "nul_inside.py": b"print('x')\n\x00print('y')\n",
    "nul_in_string.py": b"print('a\x00b')\n",
    "only_nul.py": b"\x00",
    "empty.py": b"",
    "blank.py": b"\n\n   \n",
    "no_newline.py": b"print('no newline at the end')",
    "no_newline_error.py": b"1/0",
    "crlf.py": b"if 1:\r\n    print('''a\r\nb'''.encode())\r\nraise ValueError('line 3')\r\n",
    "cr_only.py": b"print(1)\rprint(2)\r",
    "form_feed.py": b"\x0cprint('page')\n",
    "tabs.py": b"if 1:\n\tprint('tab')\n",
    "line_continuation.py": b"x = 1 + \\\n  2\nprint(x)\n",
    "long_line.py": b"x = [" + b"1," * 20000 + b"]\nprint(len(x))\nraise ValueError(len(x))\n",
    "deep_nesting.py": b"x = " + b"(" * 300 + b"1" + b")" * 300 + b"\n",
    "many_lines.py": b"x = 1\n" * 20000 + b"raise ValueError('line 20001')\n",
    "unicode_names.py": "größe = 3\nprint(größe, 'µ'.isidentifier())\nº = 1\nprint(locals()['o'])\n".encode(),
    "shebang_only.py": b"#!/usr/bin/python3 -u\nimport sys; print(sys.argv[0])\n",
    "with space.py": b"print(__file__); raise ValueError\n",
    "quote'd\"name.py": b"print(__file__); f = lambda: 1/0; f()\n",
    "n\xc3\xa4me.py": b"print(__file__)\n1/0\n",
    "-dash.py": b"import sys; print(sys.argv)\n",
}

# Each with and without a line's end: at the end of the text CPython's messages change.
BROKEN = [
    "x = (",
    "def f():",
    "if 1:\n    x = 'abc",
    "class A:\n  def f(self):\n",
    "'''abc",
    "f'{'",
    "try:\n  x",
    "for x in y:\n# comment\n",
    "async def f(): pass\nawait f()",
    "x = 1\n    y = 2",
    "(",
    "def f(a, a): pass",
    "break",
    "from x import *\ndef f():\n  from y import *",
    "1 = x",
    "f() = 1",
    "import a.b as",
    "lambda: (yield)\nyield",
    "x = 0777",
    "\"",
    "a\\",
    "def f():\n  global x\n  x = 1\n  global x",
    "match x:\n  case 1",
    "x: int: 3",
    "del f()",
    "with open(x) as 1: pass",
    "@",
    "else: 1",
    "def f(\n  a,\n  b",
    "if x:\n  y\n\n",
    "print(f'{x!z}')",
    "class C(x for x in y): pass",
    "a, *b, *c = d",
    "x = 1 2",
    "if x = 1: pass",
    "{1: 2, 3}",
]


def surroundings(t):
    """What the program finds in its environment inside, for a bare python3 outside."""
    r = t.run("-q", "-c", "import os, json; print(json.dumps(dict(os.environ)))")
    return json.loads(r.out)


def bare(t, name, code, asked, env, number):
    folder = t.path("bare%d" % number)
    os.makedirs(folder)
    path = os.path.join(os.fsencode(folder), os.fsencode(name))
    with open(path, "wb") as f:
        f.write(code)
    for inside, data in BESIDE.get(asked.get("beside"), {}).items():
        t.write(os.path.join(folder, inside), data)
    env = dict(env, HOME=folder, TMPDIR=t.base)
    r = t.command(
        [PYTHON, path, *asked.get("args", [])],
        stdin=asked.get("stdin", "").encode(),
        env=env,
        cwd=folder,
    )
    for stream in ("out", "err"):
        value = getattr(r, stream).replace(os.fsencode(folder), WORK)
        setattr(r, stream, value)
    return r


def boxed(t, name, code, asked, number):
    folder = t.path("boxed%d" % number)
    os.makedirs(folder)
    path = os.path.join(os.fsencode(folder), os.fsencode(name))
    with open(path, "wb") as f:
        f.write(code)
    options = ["-q", "--cpus", "0", "--no-check"]
    for inside, data in BESIDE.get(asked.get("beside"), {}).items():
        options += [
            "--file",
            "%s:%s" % (t.write(os.path.join(folder, "beside", inside), data), inside),
        ]
    return t.run(
        *options, path, "--", *asked.get("args", []), stdin=asked.get("stdin", "").encode()
    )


def plain(name, value):
    for pattern, same, _ in DIFFERENCES["*"] + DIFFERENCES.get(name, []):
        value = re.sub(pattern, same, value)
    return value


def compare(t, env, job):
    number, (name, code, asked) = job
    want, got = bare(t, name, code, asked, env, number), boxed(t, name, code, asked, number)
    same = all(
        plain(name, getattr(want, s)) == plain(name, getattr(got, s)) for s in ("out", "err")
    )
    t.ok(same and want.code == got.code, name, "---- python3: %s\n---- glovebox: %s" % (want, got))


def compare_all(t, programs):
    env = surroundings(t)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: compare(t, env, job), enumerate(programs)))


def test_programs(t):
    compare_all(t, PROGRAMS)


def test_odd_texts(t):
    compare_all(t, [(name, code, {}) for name, code in ODD.items()])


def test_broken_texts(t):
    texts = [
        (("broken%02d%s.py" % (i, kind)), (text + end).encode(), {})
        for i, text in enumerate(BROKEN)
        for kind, end in (("", ""), ("n", "\n"))
    ]
    compare_all(t, texts)
