# SPDX-License-Identifier: Apache-2.0
"""The guard, cell by cell."""

from feed import Feed, Session, ended, events


def test_refusal(t, feed):
    with Session(feed, forbid_imports=["socket"]) as s:
        s.run("x = 1")
        r = s.run("x = 2\nimport socket")
        t.equal((ended(r), r["exit_code"], r["verdict"]["allowed"], r["success"]), ("refused", 126, False, False), "a refused cell", r)
        t.equal(s.run("x")["value"], 1, "changes nothing")
        happened = [e["event"] for e in r["events"] if e["event"] != "warning"]  # of a host without control groups
        t.equal(happened, ["verdict"], "and is not started")
        r = s.run("import socket", no_check=True)
        t.ok(r["success"] and not events(r, "verdict"), "unless nobody is to look", r["exception"])
        t.ok(s.run("x")["success"], "which is not held against later cells")
        r = s.run("def f(:\n  pass")
        t.equal((ended(r), r["exception"]["type"], r["exception"]["cell"], r["exception"]["line"]), ("refused", "SyntaxError", 6, 1), "syntax", r["exception"])
        t.ok("<cell 6>" in r["exception"]["traceback"], "its traceback names the cell", r["exception"]["traceback"])


def test_earlier_names(t, feed):
    with Session(feed) as s:
        first = s.run("import os as q\nrun = q.system\nfrom os import popen as p")
        t.ok(first["success"], "names in one cell", first)
        found = {}
        for code in ("import os\nos.system('id')", "q.system('id')", "run('id')", "p('id')"):
            found[code] = [f["rule"] for f in s.run(code)["verdict"]["findings"]]
        together = list(found.values())
        t.ok(all(together) and all(f == together[0] for f in together[:3]), "are known in the next ones", found)
        r = s.run("q.system('id')")
        t.ok(all(f["line"] == 1 for f in r["verdict"]["findings"]), "findings have the cell's own lines", r["verdict"])
        r = s.run("from __future__ import annotations\nx = 1")
        t.ok(r["success"], "a future import may still be first", r["verdict"])
        r = s.run("q = 5\nq + 1")
        t.equal(r["value"], 6, "a name may get another meaning", r)


def test_shadows(t, feed):
    def allowed(s, code):
        return s.run(code)["verdict"]["allowed"]

    with Session(feed, profile="strict") as s:
        t.ok(not allowed(s, "eval = eval"), "a builtin is not renamed to itself")
        s.run("1 / 0\neval = print")
        t.ok(not allowed(s, "eval('6*7')"), "a cell that ended early assigned nothing for certain")
        s.run("from re import compile\nexec = print")
        t.ok(allowed(s, "exec(compile('a'))"), "one that went to its end did")
        s.run("for x in []:\n    del exec")
        t.ok(not allowed(s, "exec('6*7')"), "until something may delete it")
        s.run("def f():\n    return 1\nhex = print")
        t.ok(not allowed(s, "def g():\n    return eval('6*7')"), "functions of cells count on nothing")


# A module or function that one cell puts where another finds it.
CARRIED = {
    "a class": ("import os\nclass Holder:\n    o = os", "Holder.o.system('id')"),
    "a dictionary": ("import os\nd = {'o': os}", "d['o'].system('id')"),
    "a function": ("import os\ndef get():\n    return os", "get().system('id')"),
    "a list": ("import os\nl = [os]", "for m in l:\n    m.system('id')"),
    "a list that grows": ("import os\nl = []\nl.append(os)", "l[0].system('id')"),
    "a lambda": ("import os; h = lambda: os", "h().system('id')"),
    "a tuple": ("import os\na, b = os, 1", "a.system('id')"),
    "a global name": ("import os\ndef put():\n    global m\n    m = os\nput()", "m.system('id')"),
    "a condition": ("if True:\n    import os as q", "q.system('id')"),
    "a loop": ("import os\nfor m in [os]:\n    pass", "m.system('id')"),
    "a decorator": ("import os\n@lambda f: os\ndef m(): pass", "m.system('id')"),
    "the last value": ("import os\nos", "_.system('id')"),
    "a module's module": ("import random\nr = [random._os]", "r[0].system('id')"),
    "a builtin's name": ("f = getattr", "import builtins", "f(builtins, 'ev' + 'al')('6*7')"),
    "two cells": ("import os", "x = [os]", "y = (x, 1)", "y[0][0].system('id')"),
    "a cell that failed": ("import os\nl = [os]\n1 / 0", "l[0].system('id')"),
    "a generator": ("eval = print\ng = (eval(x) for x in ['6*7'])", "del eval", "list(g)"),
}

# Own things of a session that have a builtin's name.
OWN = {
    "a function": ("strict", "def eval(x):\n    return x", "eval(3)", "y = eval(4)\ny"),
    "a class": ("strict", "class exec:\n    x = 3", "exec.x", "exec().x"),
    "a value": ("smolagents", "input = 5", "input + 1", "y = input\ny"),
    "a value of a value": ("smolagents", "vars = [1]\ny = vars", "y", "vars"),
    "a function's": ("smolagents", "input = [5]\ndef f():\n    return input[0]", "f()"),
    "a sum's": ("smolagents", "input = [5]\nsum(input[i] for i in range(1))", "input"),
}


def verdicts(s, cells):
    return [s.run(code)["verdict"] for code in cells]


def test_carried(t, feed):
    for name, cells in CARRIED.items():
        with Session(feed, profile="strict") as s:
            found = verdicts(s, cells)
            t.ok(not all(v["allowed"] for v in found), "carried in " + name, found)


def test_carried_text(t, feed):
    for word in ("'ev' + 'al'", "'eval'", "''.join(['e', 'val'])"):
        with Session(feed, profile="chapter") as s:
            found = verdicts(s, ["n = " + word, "import builtins", "getattr(builtins, n)('6*7')"])
            t.equal([v["allowed"] for v in found], [True, True, False], "carried as a text, " + word, found)


def test_own(t, feed):
    for name, (profile, *cells) in OWN.items():
        with Session(feed, profile=profile) as s:
            found = verdicts(s, cells)
            t.ok(all(v["allowed"] for v in found), "a builtin's name is " + name, found)


def test_languages(t, feed):
    for profile in ("strict", "kodeagent", "restricted"):
        with Session(feed, profile=profile, lang="bash") as s:
            t.ok("language bash is not allowed by profile %s" % profile in str(s.opened), "no Bash under " + profile, s.opened)


def test_tools_unread(t, feed):
    source = "import json\ndef dump(x):\n    return json.dumps(x)\n"
    for profile, allowed in (("smolagents", True), ("kodeagent", False)):
        with Session(feed, profile=profile, source=source) as s:
            r = s.run("dump([1])")
            t.equal(r["verdict"]["allowed"], allowed, "tools under " + profile, r["verdict"])


def test_unchecked(t, feed):
    with Session(feed, no_check=True, forbid_imports=["socket"]) as s:
        r = s.run("import socket\n1")
        t.equal((r["value"], r["verdict"]["allowed"]), (1, True), "a session that is not checked", r)


def test(t):
    with Feed() as feed:
        for name, part in list(globals().items()):
            if name.startswith("test_"):
                part(t, feed)
