# SPDX-License-Identifier: Apache-2.0
"""Tools: functions of the host that a cell may call."""

import time

from feed import Feed, Session, ended, events

ALL = ["add", "echo", "fail", "slow", "large"]


def test_calls(t, feed):
    with Session(feed, tools=ALL) as s:
        r = s.run("add(1, 2) + add(3)")
        t.equal(r["value"], 6, "a call", r)
        told = events(r, "tool")
        t.equal([(e["name"], e["args"]) for e in told], [("add", [1, 2]), ("add", [3])], "calls are events", told)
        r = s.run("echo(b'hi', (1,), k=None, **{'s': {2}})")
        value = r["value"]
        t.ok(r["success"] and "aGk=" in str(value) and "tuple" in str(value), "typed values there and back", r)
        r = s.run("try:\n    fail()\nexcept RuntimeError as e:\n    print(e)")
        t.ok('it failed, "as asked"' in r["stdout"], "a tool that fails raises", r)
        r = s.run("add('x')")
        t.equal(r["exception"]["type"], "TypeError", "wrong arguments", r["exception"])
        t.equal(s.run("nothing_of_that_name()")["exception"]["type"], "NameError", "there is no other")
        r = s.run("sum(add(i, 1) for i in range(200))")
        t.equal(r["value"], sum(range(1, 201)), "many calls", r["exception"])
        r = s.run("import threading\nout = []\nts = [threading.Thread(target=lambda i=i: out.append(add(i, i))) for i in range(8)]\n"
                  "for x in ts: x.start()\nfor x in ts: x.join()\nsorted(out)")
        t.equal(r["value"], [0, 2, 4, 6, 8, 10, 12, 14], "from threads", r["exception"])


def test_limits(t, feed):
    with Session(feed, tools=ALL, tool_timeout_ms=2500, tool_bytes=10000, tool_calls=20) as s:
        begin = time.monotonic()
        r = s.run("try:\n    slow()\nexcept TimeoutError as e:\n    print('late', e)")
        t.ok(r["stdout"].startswith("late") and time.monotonic() - begin < 30, "a deadline", r)
        r = s.run("slow()", wall_ms=2000)
        t.ok(not r["timed_out"] and r["exception"]["type"] == "TimeoutError", "which is not the cell's", r)
        r = s.run("large(20000)")
        t.equal(r["exception"]["type"], "RuntimeError", "an answer that is too large", r["exception"])
        r = s.run("add('x' * 20000)")
        t.ok(not r["success"] and ended(r) == "failed", "arguments that are too large", r["exception"])
        t.equal(s.run("add(1)")["value"], 1, "and on")
        r = s.run("n = 0\nwhile True:\n    add(1)\n    n += 1", wall_ms=60000, no_check=True)
        t.equal((ended(r), s.run("n")["value"]), ("failed", 20), "a number of calls in one cell", r["exception"])


def test_stop(t, feed):
    with Session(feed, tools=ALL, tool_timeout_ms=60000) as s:
        begin = time.monotonic()
        r = s.run("slow()", cancel_after_ms=500)
        t.ok(time.monotonic() - begin < 30 and ended(r) == "interrupted", "a cancel reaches the tool", r)
        t.equal(s.run("add(2)")["value"], 2, "and on")


def test_output(t, feed):
    with Session(feed, tools=ALL) as s:
        r = s.run("import threading, sys\ndef flood():\n    for i in range(3000): print('y' * 100)\n"
                  "th = threading.Thread(target=flood); th.start()\nadd(1)\nth.join()\nadd(2)")
        t.ok(r["value"] == 2 and r["stdout_bytes"] == 303000, "output that fills the pipe meanwhile", r["stdout_bytes"])


def test_final_answer(t, feed):
    with Session(feed, tools=ALL, final_answer=True) as s:
        r = s.run("x = 1\ntry:\n    final_answer({'a': (x,)})\nexcept Exception:\n    x = 2\nx = 3")
        t.ok(r["is_final_answer"] and "tuple" in str(r["final_answer"]), "a final answer", r)
        t.equal((ended(r), r["success"], s.run("x")["value"]), ("done", True, 1), "ends the cell")
        r = s.run("1")
        t.equal((r["is_final_answer"], r["final_answer"]), (False, None), "only there")
    with Session(feed, tools=ALL) as s:
        t.equal(s.run("final_answer(1)")["exception"]["type"], "NameError", "only when it is asked for")


def test_source(t, feed):
    source = "import os\ndef where():\n    return os.getcwd()\ndef twice(n):\n    return 2 * n\n"
    with Session(feed, source=source) as s:
        t.equal(s.run("twice(4)")["value"], 8, "tools as source")
        r = s.run("twice('a')")
        t.equal(r["value"], "aa", "run inside", r)
    s = Session(feed, source="x = 1\ndef broken(:\n")
    t.ok("source, line 2: SyntaxError" in s.opened.get("message", ""), "source that is no Python opens no session", s.opened)
    s = Session(feed, source="x = 1\n1/0\n")
    t.equal(s.opened.get("message"), "the session cannot begin: ZeroDivisionError: division by zero", "nor does source that raises")


def test(t):
    with Feed() as feed:
        for name, part in list(globals().items()):
            if name.startswith("test_"):
                part(t, feed)
