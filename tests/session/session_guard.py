# SPDX-License-Identifier: Apache-2.0
"""The guard, cell by cell."""

from feed import Feed, Session, ended, events


def test_refusal(t, feed):
    with Session(feed, forbid_imports=["socket"]) as s:
        s.run("x = 1")
        r = s.run("x = 2\nimport socket")
        t.equal((ended(r), r["exit_code"], r["verdict"]["allowed"], r["success"]), ("refused", 126, False, False), "a refused cell", r)
        t.equal(s.run("x")["value"], 1, "changes nothing")
        t.equal([e["event"] for e in r["events"]], ["verdict"], "and is not started")
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


def test_languages(t, feed):
    for profile in ("strict", "kodeagent", "restricted"):
        with Session(feed, profile=profile, lang="bash") as s:
            t.ok("language bash is not what profile %s reads" % profile in str(s.opened), "no Bash under " + profile, s.opened)


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
