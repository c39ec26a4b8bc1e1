# SPDX-License-Identifier: Apache-2.0
"""Cells and sessions that end otherwise than by themselves."""

import time

from feed import Feed, Session, ended, events


STUBBORN = """import signal, time
print('begun', flush=True)
signal.signal(signal.SIGINT, signal.SIG_IGN)
while True:
    try:
        time.sleep(10)
    except KeyboardInterrupt:
        pass
"""


def test_timeout(t, feed):
    with Session(feed) as s:
        s.run("x = 1")
        begin = time.monotonic()
        r = s.run("x = 2\nwhile True: pass", wall_ms=1000)
        t.ok(time.monotonic() - begin < 20, "a deadline")
        t.equal((ended(r), r["timed_out"], r["exit_code"], r["exit_status"]), ("interrupted", True, 124, 124), "how", r)
        t.equal(r["limits"], ["timeout"], "which limit")
        t.ok("interrupted after 1s; variables are kept" in r["feedback"][0], "what is told", r["feedback"])
        t.equal(s.run("x")["value"], 2, "the session goes on")
        r = s.run("import time\ntime.sleep(30)", wall_ms=1000)
        t.equal((ended(r), s.run("x")["value"]), ("interrupted", 2), "a sleep", r)
        r = s.run("try:\n    time.sleep(30)\nexcept KeyboardInterrupt:\n    print('caught')", wall_ms=1000)
        t.equal((ended(r), r["timed_out"], r["stdout"]), ("interrupted", True, "caught\n"), "caught, and still too late")


def test_no_deadline(t, feed):
    with Session(feed) as s:
        r = s.run("import time; time.sleep(0.5); 1", wall_ms=2 ** 63 - 1, cpu_ms=2 ** 63 - 1)
        t.equal((r["success"], r["value"]), (True, 1), "a deadline beyond all times", r["limits"])


def test_killed(t, feed):
    with Session(feed, grace_ms=300) as s:
        s.run("x = 1\nopen('kept', 'w').write('k')")
        r = s.run(STUBBORN, wall_ms=1500, no_check=True)
        t.equal((ended(r), r["timed_out"], r["exit_code"]), ("killed", True, 124), "a cell that does not stop", r)
        t.equal(r["stdout"], "begun\n", "its output is kept")
        t.ok("was killed with its session" in r["feedback"][0], "what is told", r["feedback"])
        r = s.run("x")
        t.ok(r["error"]["kind"] == "limit" and "restart" in r["error"]["message"], "the next cell says why", r["error"])
        t.equal((ended(r), r["cell"]["number"]), ("died", 3), "and has a number")
        t.ok("cell 2" in s.ask("info")["why"] and s.ask("info")["state"] == 2, "info says it too", s.ask("info"))
        t.ok("error" in s.ask("get", names=["x"]) and "error" in s.ask("set", values={"a": 1}), "values say it too")
        t.equal(s.ask("read", path="kept").get("text"), "k", "its files can still be read")
        t.equal(s.ask("restart").get("ok"), True, "it can be restarted")
        r = s.run("open('kept').read()")
        t.equal(r["value"], "k", "its files stay", r)
        t.equal(s.run("x")["exception"]["type"], "NameError", "its variables do not")


def test_memory(t, feed):
    with Session(feed, memory=96 << 20) as s:
        r = s.run("x = bytearray(400 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1")
        if r["exception"] and r["exception"]["type"] == "MemoryError":
            t.skip("out of memory", "the host limits address space")
            return
        t.equal((ended(r), r["oom_killed"], r["exit_code"]), ("died", True, 137), "out of memory", r)
        r = s.run("1")
        t.equal(r["error"]["message"], "the session ended: out of memory in cell 1; restart it", "the next cell", r)
        t.equal(s.ask("restart").get("ok"), True, "restart")
        t.equal(s.run("1 + 1")["value"], 2, "and on")


def test_death(t, feed):
    with Session(feed) as s:
        r = s.run("import os\nprint('last words', flush=True)\nos._exit(7)", no_check=True)
        t.equal((ended(r), r["exit_code"], r["success"]), ("died", 7, False), "the process exits", r)
        t.equal(r["stdout"], "last words\n", "what it printed is kept")
        r = s.run("1")
        t.ok("exited with status 7 in cell 1" in r["error"]["message"] and r["error"]["kind"] == "guest", "next", r["error"])
        s.ask("restart")
        r = s.run("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", no_check=True)
        t.equal((ended(r), r["signal"], r["exit_code"]), ("died", 11, 139), "a signal", r)
        s.ask("restart")
        r = s.run("import os; os._exit(0)", no_check=True)
        t.equal((ended(r), r["success"]), ("died", False), "status 0 is no success", r)


LATER = """import os, threading, time
end = time.process_time() + 0.5
while time.process_time() < end: pass
def later():
    time.sleep(0.5)
    print('between', flush=True)
    open('left', 'w').write('l')
    %s
threading.Thread(target=later, daemon=True).start()
"""


def ended_between(s, how):
    """The result of the first cell after the guest ended between two."""
    s.run(LATER % how, no_check=True)
    until = time.monotonic() + 20
    while s.ask("info")["state"] != 2 and time.monotonic() < until:
        time.sleep(0.05)
    return s.run("1")


def test_between(t, feed):
    with Session(feed) as s:
        r = ended_between(s, "os._exit(7)")
        t.equal((ended(r), r["exit_code"], r["limits"]), ("died", 7, []), "it ends between two cells", r)
        t.equal(r["stdout"], "between\n", "the next has what was printed since", r)
        t.equal([f["path"] for f in r["files"]], ["left"], "and files that were changed since", r)
        t.ok(r["cpu_ms"] < 400, "but not the processor time of all", r["cpu_ms"])
    with Session(feed, memory=96 << 20) as s:
        r = ended_between(s, "x = bytearray(400 << 20)\n    for i in range(0, len(x), 4096): x[i] = 1")
        if ended(r) == "done":
            t.skip("out of memory between two cells", "the host limits address space")
            return
        t.equal((ended(r), r["limits"], [e["limit"] for e in events(r, "limit")]), ("died", ["memory"], ["memory"]),
                "the limit is an event, too", r)


def test_cancel(t, feed):
    with Session(feed) as s:
        s.run("x = 1")
        r = s.run("import time\ntime.sleep(30)", cancel_after_ms=1000)
        t.equal((ended(r), r["exit_status"], r["timed_out"]), ("interrupted", 130, False), "a cancel interrupts", r)
        t.equal(s.run("x")["value"], 1, "and state is kept")
        r = s.run(STUBBORN, cancel_after_ms=1500, no_check=True)
        t.equal((ended(r), r["exit_status"]), ("killed", 130), "and kills when it must", r)
        s.ask("restart")
        r = s.run("x = 5", cancel_after_ms=0)
        t.ok(ended(r) in ("done", "interrupted"), "a cancel at once", r)
        t.ok(s.run("1")["value"] == 1, "and on")


def test_interrupt(t, feed):
    with Session(feed) as s:
        t.equal(s.ask("interrupt")["ok"], False, "nothing runs")
        tag = s.start("exec", code="import time\nx = 3\ntime.sleep(30)")
        s.busy()
        told = s.ask("interrupt")["ok"]
        while not told:  # its turn has come before it has begun
            time.sleep(0.01)
            told = s.ask("interrupt")["ok"]
        r = feed.wait(tag)
        e = r["exception"]
        t.equal((ended(r), e and e["type"], r["exit_code"]), ("interrupted", "KeyboardInterrupt", 130), "an interrupt", r)
        t.equal(s.run("1")["value"], 1, "and on")
        for i in range(20):  # whatever the moment
            tag = s.start("exec", code="y = sum(range(2000))")
            s.ask("interrupt")
            feed.wait(tag)
        t.equal(s.run("2")["value"], 2, "twenty interrupts at any moment")


def test_cpu(t, feed):
    with Session(feed) as s:
        r = s.run("while True: pass", cpu_ms=300, wall_ms=20000)
        t.equal((ended(r), r["limits"], r["exit_code"]), ("interrupted", ["cpu_time"], 124), "processor time", r)
        t.ok(250 <= r["cpu_ms"] <= 3000, "what it used", r["cpu_ms"])
        r = s.run("import time; time.sleep(0.6)", cpu_ms=300)
        t.ok(r["success"] and r["cpu_ms"] < 200, "sleeping takes none", r)


def test_progress(t, feed):
    with Session(feed) as s:
        r = s.run("import time; time.sleep(5)")  # it may come late
        told = events(r, "progress")
        t.ok(len(told) >= 2 and all(e["elapsed_ms"] >= 1000 * (i + 1) for i, e in enumerate(told)), "progress each second", told)
        t.ok(all(e["memory_bytes"] > 1 << 20 for e in told), "with memory", told)
        t.ok(all("cpu_ms" in e for e in told), "and processor time", told)


def test_open_fails(t, feed):
    s = Session(feed, lang="cobol")
    t.equal(s.opened.get("error"), "usage", "no such language", s.opened)
    s = Session(feed, backend="nowhere")
    t.equal(s.opened.get("error"), "usage", "no such backend", s.opened)
    s = Session(feed, preload=["no_such_module_here"])
    t.equal((s.opened.get("error"), s.opened.get("message")),
            ("usage", "the session cannot begin: ModuleNotFoundError: preload of no_such_module_here: No module named 'no_such_module_here'"),
            "a module that is missing")
    s = Session(feed, preload=["no_such_module_here"], lang="javascript")
    t.ok(s.opened.get("error") == "usage" and "preload of no_such_module_here: Cannot find module" in s.opened.get("message"),
         "... in JavaScript", s.opened)
    s = Session(feed, profile="smolagents", allow_imports=["nosuch_a,json", "nosuch_b.*"])
    t.equal(s.opened.get("message"), "the session cannot begin: InterpreterError: Non-installed authorized modules: nosuch_a, nosuch_b. "
            "Please install these modules or remove them from the authorized imports list.", "in smolagents' words")


def test_fork(t, feed):
    with Session(feed) as s:
        t.equal(s.ask("fork").get("error"), "unsupported", "no fork without a pool")
        r = s.run("1", attempt="done")
        t.equal((r["error"]["kind"], ended(r)), ("unsupported", "refused"), "nor a cell that is tried", r)


def test(t):
    with Feed() as feed:
        for name, part in list(globals().items()):
            if name.startswith("test_"):
                part(t, feed)
