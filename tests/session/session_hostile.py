# SPDX-License-Identifier: Apache-2.0
"""A guest that says what it should not. It finds its end of the wire by looking for it."""

from feed import Feed, Session, ended

# The server moved its descriptors away; both are pipes, and the one that can be written is the host's.
FIND = """
import os, stat, fcntl, json
def wires():
    for name in os.listdir('/proc/self/fd'):
        fd = int(name)
        try:
            mode = os.fstat(fd).st_mode
            flags = fcntl.fcntl(fd, fcntl.F_GETFL)
        except OSError:
            continue
        if stat.S_ISFIFO(mode) and fd > 2 and flags & 3 == os.O_WRONLY and os.path.realpath(f'/proc/self/fd/{fd}') not in own:
            yield fd
own = {os.path.realpath(f'/proc/self/fd/{fd}') for fd in (1, 2)}
def say(data):
    for fd in wires():
        os.write(fd, data)
def frame(kind, number, data):
    if not isinstance(data, bytes):
        data = json.dumps(data).encode()
    return b'%s %d %d\\n' % (kind, number, len(data)) + data
"""

NONSENSE = {
    "noise": "say(b'\\0' * 200)",
    "a giant's header": "say(b'done 1 4294967295\\n')",
    "an unknown kind": "say(frame(b'hello', 0, {}))",
    "another cell's answer": "say(frame(b'done', 999, {'ok': True}))",
    "a broken answer": "say(frame(b'done', 2, b'{\"ok\": tru'))",
    "an answer that is no object": "say(frame(b'done', 2, [1]))",
    "a deep one": "say(frame(b'display', 2, b'[' * 100000 + b']' * 100000))",
    "a wide one": "say(frame(b'display', 2, b'[' + b'[],' * 3000000 + b'1]'))",
    "a call of nothing": "say(frame(b'call', 1, {'name': 5}))",
    "a call with odd arguments": "say(frame(b'call', 1, {'name': 'add', 'args': 7}))",
}


def test_nonsense(t, feed):
    with Session(feed, tools=["add"], no_check=True) as s:
        for name, code in NONSENSE.items():
            if not s.run(FIND)["success"]:
                t.ok(False, name)
                continue
            r = s.run(code + "\nimport time; time.sleep(3)", wall_ms=60000)
            t.equal((ended(r), r["success"]), ("died", False), name, r["error"], r["exception"])
            t.ok(r["error"] and r["error"]["kind"] == "guest" and len(r["error"]["message"]) < 600, name + ": is told", r["error"])
            t.equal(s.ask("restart").get("ok"), True, name + ": and it can be restarted")


def test_message(t, feed):
    """An exception whose own text ends the interpreter."""
    with Session(feed) as s:
        for raised in ("SystemExit", "BaseException", "KeyboardInterrupt", "GeneratorExit"):
            r = s.run("class E(Exception):\n    def __str__(self): raise %s\nraise E" % raised, wall_ms=60000)
            t.equal((ended(r), r["exception"]["type"]), ("failed", "E"), "a text that raises " + raised, r)
            t.equal(s.run("1")["value"], 1, "and on")


def test_forged(t, feed):
    with Session(feed, tools=["add"], no_check=True) as s:
        s.run(FIND)
        forged = {
            "ok": 1, "value": {"a": "x" * 100}, "results": [{"data": {"": 1, "text/html": None}}, 5, {"data": 7}],
            "exception": {"type": "\\0\\u202e" + "T" * 100000, "message": 7, "line": -5, "column": 1 << 40, "cell": "x",
                          "traceback": {"a": 1}},
            "exit": 99999, "is_final_answer": "yes", "final_answer": 1, "interrupted": 0,
        }
        r = s.run("say(frame(b'done', 2, %r))\nimport time; time.sleep(0.3)" % forged)
        e = r["exception"]
        t.ok(e and len(e["type"]) <= 300 and "\0" not in e["type"] and e["line"] is None and e["cell"] is None, "an answer of its own", e)
        t.equal((r["is_final_answer"], r["exit_code"] < 256), (False, True), "is taken apart with limits", r)
        r = s.run("1")
        t.ok(ended(r) in ("died",), "the true answer then is one too many", r["error"])
        s.ask("restart")
        r = s.run(FIND + "\nfor i in range(20000): say(frame(b'display', 1, {'data': {'text/plain': 'x'}}))")
        t.ok(len(r["results"]) <= 100, "a flood of displays", len(r["results"]), r["error"])
        r = s.run("while True: say(frame(b'display', 2, {'data': {'text/plain': 'x' * 50000}}))", wall_ms=700)
        t.ok(r["timed_out"] or r["error"], "an endless one", r["error"])


def test_forged_line(t, feed):
    for line, want in (999, None), (3, 3), (4, None):
        with Session(feed, no_check=True) as s:
            s.run(FIND)
            made_up = {"ok": 1, "exception": {"type": "ValueError", "message": "m", "line": line, "statement_line": line}}
            e = s.run("say(frame(b'done', 2, %r))\nimport time; time.sleep(0.3)" % made_up)["exception"]
            t.equal(e and e["line"], want, "line %d of two" % line, e)


def test_twice_answered(t, feed):
    with Session(feed, no_check=True) as s:
        s.run(FIND)
        r = s.run("say(frame(b'done', 2, {'ok': True}) * 2)\nimport time; time.sleep(60)", wall_ms=60000)
        t.equal((ended(r), r["error"] and r["error"]["kind"]), ("died", "guest"), "two answers at once", r["error"])
        t.equal(s.ask("info")["state"], 2, "are the session's end")
        r = s.run("1")
        t.ok("broke the protocol" in r["error"]["message"], "which the next cell is told", r["error"])
        t.equal(s.ask("restart").get("ok"), True, "and it can be restarted")


def test_many_values(t, feed):
    """Each value takes the host far more memory than the guest's text."""
    with Session(feed, no_check=True) as s:
        s.run(FIND)
        r = s.run("f = frame(b'display', 2, b'{\"data\": {\"application/json\": [' + b'[],' * 400000 + b'1]}}')\n"
                  "for _ in range(10): say(f)", wall_ms=60000)
        t.equal((len(r["results"]), r["success"]), (2, True), "displays of more values than one frame may have", r["error"])
        t.ok("8" in "".join(r["notes"]), "what was left out is said", r["notes"])


def test_unread_answers(t, feed):
    with Session(feed, tools=["add"], no_check=True) as s:
        s.run(FIND)
        call = "f = frame(b'call', 1, {'name': 'n' * 190}) * 300\nimport signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        r = s.run(call + "while True: say(f)", wall_ms=60000)
        t.equal((ended(r), r["error"] and r["error"]["kind"]), ("died", "guest"), "calls whose answers nobody reads", r["error"])
        t.equal(s.ask("restart").get("ok"), True, "can be restarted")


def test_closed_wire(t, feed):
    with Session(feed, no_check=True, grace_ms=300) as s:
        s.run(FIND)
        r = s.run("for fd in list(wires()): os.close(fd)\nimport time; time.sleep(60)", wall_ms=1500)
        t.ok(not r["success"] and ended(r) in ("died", "killed"), "a guest that closes the wire", r)
        t.equal(s.ask("restart").get("ok"), True, "can be restarted")
        r = s.run("print('x' * 5000000, flush=True)\n2")
        t.equal((r["value"], r["stdout_bytes"]), (2, 5000001), "a flood of output")
        r = s.run("import os\nfor i in range(3):\n    if os.fork() == 0:\n        while True: pass\n3")
        t.ok(r["value"] == 3 or not r["success"], "children that burn on", r)


def test(t):
    with Feed() as feed:
        for name, part in list(globals().items()):
            if name.startswith("test_"):
                part(t, feed)
