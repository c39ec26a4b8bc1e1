# SPDX-License-Identifier: Apache-2.0
"""What lasts from cell to cell, and what a result says."""

import os
import sqlite3
import tempfile

from feed import Feed, Session, ended, events


D = {"k": {"$type": "tuple", "items": [1, 2]}}


def test_state(t, feed):
    with Session(feed) as s:
        t.ok(s.opened.get("ok"), "a session opens", s.opened)
        r = s.run("import math\nx = 41\ndef f(n):\n    return n + x\nprint('hi')\nf(1)")
        t.equal((r["success"], r["value"], r["stdout"], ended(r)), (True, 42, "hi\n", "done"), "the first cell", r)
        t.equal((r["cell"]["number"], r["exit_code"], r["error"]), (1, 0, None), "its number and status")
        t.equal([b["data"]["text/plain"] for b in r["results"]], ["42"], "its bundle")
        r = s.run("x += 1\nf(1), math.floor(2.5)")
        t.equal(r["value"], {"$type": "tuple", "items": [43, 2]}, "the second knows of the first", r)
        r = s.run("y = 5\n1/0\ny = 6")
        t.equal((r["success"], r["exit_code"], ended(r)), (False, 1, "failed"), "a cell that raises")
        e = r["exception"]
        t.equal((e["type"], e["line"], e["cell"], r["source"]), ("ZeroDivisionError", 2, 3, "1/0"), "where", e)
        t.ok(r["feedback"] and e["hint"] and "1/0" in r["feedback_text"], "what to tell its author", r)
        t.equal(s.run("y")["value"], 5, "keeps what it assigned before")
        t.equal(s.run("y;")["value"], None, "a semicolon hides the value")
        r = s.run("0.1 + 0.2")
        t.equal(r["value"], 0.1 + 0.2, "a number keeps all its digits")
        r = s.run("import sys; sys.exit(3)")
        t.equal((r["exit_code"], ended(r), s.run("y")["value"]), (3, "failed", 5), "sys.exit ends the cell only", r)
        t.equal(s.run("input() + input()", input="ab\ncd\n")["value"], "abcd", "input")
        t.equal(s.run("import sys; sys.stdin.read()")["value"], "", "input is each cell's own")
        info = s.ask("info")
        t.equal((info["cells"], info["state"], info["language"]), (10, 0, "python"), "info", info)
        t.ok(info["memory"] > 1 << 20 and info["cpu_us"] > 0, "what it uses now", info)


def test_advice(t, feed):
    with Session(feed) as s:
        for code, words in (("pirnt(1)", "'pirnt' is probably a misspelling"), ("import math; math.sqroot", "but there is 'sqrt'")):
            hint = s.run(code)["exception"]["hint"]
            t.ok(words in hint, "the advice of a run: " + code, hint)
        r = s.run("while True: pass", wall_ms=300)
        t.ok(r["exception"]["hint"] is None and "variables are kept. The program did not end in time" in r["feedback"][0] and "loop" in r["advice"],
             "the advice about a cell out of time is about the time", r["feedback"], r["advice"])


def test_function_of_another_cell(t, feed):
    with Session(feed) as s:
        s.run("def f(n):\n    return 1 / n")
        r = s.run("a = 1\nf(0)")
        e = r["exception"]
        t.equal((e["line"], e["cell"]), (2, 1), "the innermost line is in another cell", e)
        t.ok("return 1 / n" in e["traceback"] and '<cell 2>", line 2' in e["traceback"], "the traceback has both", e)
        t.ok("division by zero" in r["feedback_text"], "feedback", r["feedback_text"])


def test_await(t, feed):
    with Session(feed) as s:
        r = s.run("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 7\nawait f()")
        t.equal((r["success"], r["value"]), (True, 7), "await at the top level", r)
        r = s.run("def g():\n    await f()")
        t.equal(ended(r), "refused", "but in no other function", r["verdict"])


def test_output(t, feed):
    with Session(feed) as s:
        r = s.run("import os, sys\nos.write(1, b'a'); os.write(2, b'b'); print('c', flush=True); print('d', file=sys.stderr)")
        t.equal((r["stdout"], r["stderr"]), ("ac\n", "bd\n"), "both streams, through Python and around it", r)
        r = s.run("print('x' * 300000)", output_limit=1000)
        t.ok(r["stdout_truncated"] and r["stdout_bytes"] == 300001 and len(r["stdout"]) < 1200, "a limit", r["notes"])
        t.equal(r["limits"], ["output"], "and it is told")
        s.run("import threading\ngo = threading.Event()\ndef later():\n    go.wait(); print('late')\n"
              "th = threading.Thread(target=later)\nth.start()")
        r = s.run("go.set(); th.join()")
        t.equal(r["stdout"], "late\n", "a thread's output belongs to the cell in which it comes")
        threads = s.run("import subprocess; subprocess.run(['echo', 'child']); None")
        t.equal(threads["stdout"], "child\n", "a child's output is in the result of its cell")
        r = s.run("for i in range(3): print(i, flush=True)")
        t.ok("".join(e["text"] for e in events(r, "stdout")) == "0\n1\n2\n", "output comes as events", r["events"])


def test_values(t, feed):
    with Session(feed) as s:
        values = {"a": [1, 2.5, None, True], "b": {"$type": "bytes", "base64": "aGk="}, "c": "\u00e9\U0001f600"}
        t.equal(s.ask("set", values=values).get("ok"), True, "variables are set")
        t.equal(s.run("(a, b, c) == ([1, 2.5, None, True], b'hi', '\u00e9\U0001f600')")["value"], True, "as given")
        s.run("d = {'k': (1, 2)}\ne = lambda: 0")
        r = s.ask("get", names=["a", "d", "nowhere"])
        t.equal(
            (r["values"], r["missing"]),
            ({"a": values["a"], "d": D}, ["nowhere"]),
            "and read",
        )
        r = s.ask("set", values={"w": {"$type": "bytes", "base64": 7}})
        t.ok("error" in r, "what is no value is refused", r)
        t.equal(s.run("a[0]")["value"], 1, "and the session lives")
        big = "x" * (8 << 20)
        for name in ("a b", "class", "1x", "", "x-y"):
            r = s.ask("set", values={name: 1})
            t.ok("is not a valid variable name" in str(r), "%r is no name" % name, r)
        for value in ({"$type": "bytes", "base64": "@@"}, [{"$type": "bytearray", "base64": "YQ=x"}]):
            r = s.ask("set", values={"w": value})
            t.ok("invalid base64" in str(r), "wrong base64", r)
        t.equal(s.ask("set", values={"big": big}).get("ok"), True, "eight megabytes in")
        t.equal(s.run("len(big)")["value"], 8 << 20, "arrive")


def test_profile(t, feed):
    with Session(feed, profile="smolagents") as s:
        t.equal(s.run("x = 5")["value"], 5, "smolagents: the value of an assignment")
        r = s.run("a = 1\nb = [][a]")
        t.ok(r["exception"]["message"].startswith("Code execution failed at line 'b = [][a]' due to: InterpreterError: Could not index [] with '1': IndexError"), "its words", r["exception"])
        r = s.run("print('é'); b = [][a]")
        t.ok(r["exception"]["message"].startswith("Code execution failed at line 'b = [][a]' due to: InterpreterError: Could not index [] with '1': IndexError"), "of a line with two", r["exception"])
    with Session(feed, value="last") as s:
        t.equal(s.run("x = 5")["value"], 5, "the same when asked for")
    with Session(feed) as s:
        t.equal(s.run("x = 5")["value"], None, "a notebook's assignment has none")


def test_display(t, feed):
    with Session(feed) as s:
        r = s.run("display('one')\nprint('between')\ndisplay(2)\n3")
        kinds = [b["kind"] for b in r["results"]]
        t.equal(kinds, ["display", "display", "value"], "displays and the value, each once", r["results"])
        t.equal(len(events(r, "display")), 2, "displays are events")
        r = s.run("for i in range(200): display(i)")
        t.ok(r["success"] and len(r["results"]) <= 100, "not for ever", len(r["results"]))
        t.ok(s.run("1")["value"] == 1, "and the session lives")


def test_log(t, feed):
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.db")
        with Session(feed, log=log) as s:
            s.run("x = 1")
            s.run("1/0")
        rows = sqlite3.connect(log).execute("select program, outcome, exit_code from runs order by rowid").fetchall()
        t.equal([r[0] for r in rows], ["cell 1", "cell 2"], "each cell is logged", rows)
        t.equal([r[2] for r in rows], [0, 1], "with its status", rows)


def test_environment(t, feed):
    with tempfile.TemporaryDirectory() as folder:
        prelude = os.path.join(folder, "p.py")
        with open(prelude, "w") as f:
            f.write("from math import pi\nunit = 'm'\n")
        with Session(feed, env=["COLOUR=red"], preload=["json"], prelude=prelude) as s:
            r = s.run("import os\nos.environ['COLOUR'], unit, round(pi)")
            t.equal(r["value"]["items"], ["red", "m", 3], "environment and prelude", r)
            t.equal(r["cell"]["number"], 1, "the prelude is no cell")
        with open(prelude, "w") as f:
            f.write("x = 1\nboom\n")
        s = Session(feed, prelude=prelude)
        t.ok("line 2: NameError" in s.opened.get("message", ""), "a prelude that fails", s.opened)


def test(t):
    with Feed() as feed:
        for name, part in list(globals().items()):
            if name.startswith("test_"):
                part(t, feed)
