# SPDX-License-Identifier: Apache-2.0
"""Many at once."""

import os
import time

from feed import Feed, Session, ended


def test_one_session(t, feed):
    with Session(feed) as s:
        s.run("import time\norder = []")
        tags = []
        for i in range(12):
            tags.append(s.start("exec", code="order.append(%d); time.sleep(%g)" % (i, 0.02 if i else 0.5)))
            feed.settled()  # so that they arrive in this order
        results = [feed.wait(tag) for tag in tags]
        t.ok(all(r["success"] for r in results), "twelve at once all run")
        t.equal(s.run("order")["value"], list(range(12)), "in the order in which they came")
        numbers = sorted(r["cell"]["number"] for r in results)
        t.equal(numbers, list(range(2, 14)), "each has a number of its own")
        tag = s.start("exec", code="time.sleep(120)", wall_ms=120000)
        s.busy()
        info = s.ask("info")
        t.ok(info["state"] == 1 and tag not in feed.answers, "info does not wait", info)
        waiting = [s.start("files"), s.start("get", names=["order"]), s.start("set", values={"a": 1}), s.start("read", path="x")]
        while not s.ask("interrupt")["ok"]:  # it may not have begun
            time.sleep(0.01)
        feed.wait(tag)
        answers = [feed.wait(w) for w in waiting]
        t.ok("files" in answers[0] and answers[1]["values"] and answers[2]["ok"], "others wait for their turn", answers)


def test_many_sessions(t, feed):
    sessions = [Session(feed) for _ in range(6)]
    tags = []
    for round_ in range(5):
        for i, s in enumerate(sessions):
            tags.append((i, s.start("exec", code="x = globals().get('x', 0) + %d\nx" % i), round_))
    right = [feed.wait(tag)["value"] == (round_ + 1) * i for i, tag, round_ in tags]
    # Of one session they come in any order, for the threads that ask race; the sum tells.
    sums = [s.run("x")["value"] for s in sessions]
    t.equal(sums, [5 * i for i in range(6)], "sessions side by side share nothing", right)
    for s in sessions:
        s.ask("close")


def test_close_while_running(t, feed):
    s = Session(feed, grace_ms=300)
    running = s.start("exec", code="import time\ntime.sleep(60)")
    s.busy()
    waiting = s.start("exec", code="1")
    feed.settled()
    begin = time.monotonic()
    s.ask("close")
    t.ok(time.monotonic() - begin < 30, "close does not wait for a sleep")
    r = feed.wait(running)
    t.ok(ended(r) in ("interrupted", "killed") and r["exit_status"] == 130, "the cell was stopped", r)
    r = feed.wait(waiting)
    t.ok(r["error"] and "closed" in r["error"]["message"], "who waited is told", r["error"])


def test_many_cells(t, feed):
    with Session(feed) as s:
        before = s.run("import os\nlen(os.listdir('/proc/self/fd'))")["value"]
        times = s.ask("time", code="x = 1", times=1500)["us"]
        t.note("a cell: %.0f us at the median" % sorted(times)[len(times) // 2])
        t.equal(s.run("len(os.listdir('/proc/self/fd'))")["value"], before, "1500 cells leave no descriptors inside")
        t.equal(s.ask("info")["cells"], 1502, "all were counted")


def test_nothing_left(t, feed):
    folder = "/proc/%d/fd" % feed.process.pid

    def round_():
        with Session(feed) as s:
            s.run("open('f', 'w').write('x')")
            s.run("import os; os._exit(1)", no_check=True)
            s.ask("restart")
            s.run("1")
        Session(feed, preload=["x"], lang="sh")

    round_()
    before = len(os.listdir(folder))
    for _ in range(10):
        round_()
    t.equal(len(os.listdir(folder)), before, "sessions leave no descriptors")
    children = open("/proc/%d/task/%d/children" % (feed.process.pid, feed.process.pid)).read()
    t.equal(children, "", "and no processes")


def test_host(t, feed):
    """Without a wall it is the same."""
    with Session(feed, backend="host", allow_unsafe=True) as s:
        r = s.run("import os\nopen('f', 'w').write('x')\nos.path.realpath('.')")
        t.equal([f["path"] for f in r["files"]], ["f"], "the host backend: files", r)
        folder = r["value"]
        t.equal(s.ask("put", path="d/g", text="hello").get("ok"), True, "put")
        t.equal(s.run("open('d/g').read()")["value"], "hello", "and read")
        r = s.run("while True: pass", wall_ms=1000, no_check=True)
        t.equal((ended(r), s.run("7")["value"]), ("interrupted", 7), "a timeout", r)
        r = s.run("os._exit(3)", no_check=True)
        t.equal((ended(r), s.ask("restart").get("ok")), ("died", True), "restart", r)
        t.equal(s.run("open('d/g').read()")["value"], "hello", "files stay")
    t.ok(not os.path.exists(folder), "its folder is gone", folder)


def test(t):
    with Feed() as feed:
        for name, part in list(globals().items()):
            if name.startswith("test_"):
                part(t, feed)
