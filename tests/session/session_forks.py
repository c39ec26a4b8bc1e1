# SPDX-License-Identifier: Apache-2.0
"""Sessions that are forked."""

import os
import threading
import time

from feed import Feed, Session, ended, events
from procs import children, groups

MEMORY = 96 << 20


class Fork(Session):
    """One that begins with what another has; opened says whether that went well."""

    def __init__(self, origin):
        self.feed, self.name = origin.feed, "s%d" % next(Session.numbers)
        self.opened = origin.ask("fork", name=self.name)


def must(fork):
    if not fork.opened.get("ok"):
        raise RuntimeError("no fork: %r" % fork.opened)
    return fork


def no_forks(feed):
    """Why this host has none, or None."""
    with Session(feed, forks=1) as s:
        if not s.opened.get("ok"):
            return str(s.opened)
        fork = Fork(s)
        if fork.opened.get("ok"):
            fork.ask("close")
            return None
        return fork.opened["message"]


def test_state(t, feed):
    with Session(feed, forks=9, inputs={"in.txt": "laid"}) as s:
        s.run("import json, random, os, uuid\nclass C:\n    def __init__(self, n): self.n = n\n"
              "def f(a): return a + x\nx = 1\nc = C([1, 2])\nlog = []\n"
              "os.mkdir('d'); os.chdir('d'); open('w.txt', 'w').write('first\\nsecond\\n')\n"
              "r = open('w.txt'); r.readline()\nw = open('out.txt', 'w'); w.write('begun '); w.flush()")
        with must(Fork(s)) as f:
            t.ok(f.opened["us"] < 5000000, "a fork took %d us" % f.opened["us"])
            r = f.run("(x, c.n, f(5), json.dumps([1]), os.getcwd().endswith('/d'), r.readline(), sorted(os.listdir('..')))")
            t.equal(r["value"] and r["value"]["items"], [1, [1, 2], 6, "[1]", True, "second\n", ["d", "in.txt"]],
                    "it has all that there was", r)
            s.run("x = 10; c.n.append('origin')")
            f.run("x = 20; c.n.append('fork')")
            t.equal((s.run("(f(1), c.n)")["value"]["items"], f.run("(f(1), c.n)")["value"]["items"]),
                    ([11, [1, 2, "origin"]], [21, [1, 2, "fork"]]), "and shares no variables, either way")
            f.run("w.write('fork'); w.flush(); open('new', 'w').write('f'); os.remove('../in.txt')")
            s.run("w.write('origin'); w.flush(); open('other', 'w').write('o')")
            t.equal(s.run("(open('out.txt').read(), sorted(os.listdir('.')), open('../in.txt').read())")["value"]["items"],
                    ["begun origin", ["other", "out.txt", "w.txt"], "laid"], "nor files: the origin's")
            t.equal(f.run("(open('out.txt').read(), sorted(os.listdir('.')), os.path.exists('../in.txt'))")["value"]["items"],
                    ["begun fork", ["new", "out.txt", "w.txt"], False], "and its own")
            t.equal(s.run("r.readline()")["value"], "second\n", "an open file has a place of its own")
            a, b = s.ask("info"), f.ask("info")
            t.ok(a["id"] != b["id"] and b["parent"] == a["id"] and not a["parent"], "who is whose", a, b)
            code = "(random.random(), uuid.uuid4().hex, os.urandom(8).hex())"
            a, b = s.run(code)["value"]["items"], f.run(code)["value"]["items"]
            t.ok(all(x != y for x, y in zip(a, b)), "what is random differs", a, b)


def test_cells(t, feed):
    """A fork is a session like any other."""
    with Session(feed, forks=9, tools=["add"], final_answer=True) as s:
        s.run("import os as system_things\ndef fail():\n    return 1 / 0\n\nx = 3")
        s.run("y = 4")
        f = must(Fork(s))
        r = f.run("fail()")
        t.equal((r["cell"]["number"], r["exception"]["cell"], r["exception"]["line"], r["source"]),
                (3, 1, 3, "return 1 / 0"), "cells go on counting, and lines of older ones are known", r)
        r = f.run("print('a', flush=True)\nimport time; time.sleep(3)\nx")
        t.ok(r["value"] == 3 and [e["text"] for e in events(r, "stdout")] == ["a\n"] and events(r, "progress"), "events", r)
        t.equal(f.run("add(1, 2)")["value"], 3, "tools")
        t.equal(f.run("final_answer([x])")["final_answer"], [3], "final_answer")
        r = f.run("system_things.system('true')")
        t.equal([x["rule"] for x in r["verdict"]["findings"]], ["shell-command"], "the guard knows the names of before", r)
        t.equal(f.run("input()", input="line\n")["value"], "line", "input")
        f.ask("set", values={"x": ["a", [1]]})
        t.equal((f.ask("get", names=["x"])["values"], s.ask("get", names=["x"])["values"]),
                ({"x": ["a", [1]]}, {"x": 3}), "set and get")
        r = f.run("time.sleep(30)", cancel_after_ms=500)
        t.equal((ended(r), r["exit_status"]), ("interrupted", 130), "cancel", r)
        tag = f.start("exec", code="time.sleep(30)")
        f.busy()
        while not f.ask("interrupt")["ok"]:
            time.sleep(0.01)
        t.equal(ended(feed.wait(tag)), "interrupted", "interrupt")
        r = f.run("while True: pass", wall_ms=500)
        t.equal((ended(r), r["timed_out"]), ("interrupted", True), "a deadline", r)
        r = f.run("while True: pass", cpu_ms=300, wall_ms=60000)
        t.equal((ended(r), r["limits"]), ("interrupted", ["cpu_time"]), "processor time", r)
        t.equal(f.ask("put", path="p.txt", text="put").get("ok"), True, "put")
        t.equal((f.run("open('p.txt').read()")["value"], s.ask("read", path="p.txt").get("error")), ("put", "usage"),
                "is in its workspace only")
        info = f.ask("info")
        t.ok(info["memory"] > 0 and info["state"] == 0 and info["held"], "info", info)
        f.ask("close")
        t.equal(s.run("x")["value"], 3, "the origin goes on")


def test_shared_pool(t, _):
    """With a pool every session can be forked, unless it is told otherwise."""
    with Feed("warm") as feed, Session(feed) as s, Session(feed) as other:
        s.run("x = 1")
        with must(Fork(s)) as f, must(Fork(other)) as g:
            t.equal((f.run("x")["value"], ended(g.run("x"))), (1, "failed"), "sessions of one pool are not one family")
        r = s.run("x = 2\n1 / 0", attempt="done")
        t.equal((r["cell"]["attempt"], s.run("x")["value"]), ("dropped", 1), "cells can be tried", r)
        with Session(feed, forks=0) as n:
            t.equal(Fork(n).opened.get("error"), "unsupported", "not where none were wanted")


def test_changes(t, feed):
    with Session(feed, forks=9) as s:
        r = s.run("for n in 'abc': open(n, 'w').write(n * 10)\nx = 1")
        t.equal([f["path"] for f in r["files"]], ["a", "b", "c"], "what the origin made")
        with must(Fork(s)) as f:
            t.equal(f.run("x = 2")["files"], [], "is nothing new in a fork")
            r = f.run("import os\nopen('a', 'w').write('A'); os.remove('b'); open('d', 'w').write('d')\nos.utime('c', (1, 1))")
            t.equal([(e["path"], e["change"]) for e in r["files"]], [("a", "modified"), ("b", "deleted"), ("d", "new")],
                    "its own changes are", r["files"])
            t.equal(s.run("1")["files"], [], "and concern nobody else")
            t.equal([e["path"] for e in f.ask("files")["files"]], ["a", "c", "d"], "files there")
            t.equal([e["path"] for e in s.ask("files")["files"]], ["a", "b", "c"], "and here")


def test_family(t, feed):
    with Session(feed, forks=9) as s:
        s.run("line = ['s']")
        a = must(Fork(s))
        a.run("line.append('a')")
        b = must(Fork(a))
        b.run("line.append('b'); open('b', 'w').write('b')")
        c = must(Fork(b))
        t.equal([x.run("line")["value"] for x in (s, a, b, c)], [["s"], ["s", "a"], ["s", "a", "b"], ["s", "a", "b"]],
                "forks of forks")
        b.ask("close")
        c.run("line.append('c')")
        t.equal((c.run("line")["value"], c.run("open('b').read()")["value"]), (["s", "a", "b", "c"], "b"),
                "one in the middle is closed: below it")
        t.equal(a.run("line")["value"], ["s", "a"], "and above")
        s.ask("close")
        t.equal([x.run("line[-1]")["value"] for x in (a, c)], ["a", "c"], "the first is closed first")
        d = must(Fork(a))
        t.equal(d.run("line")["value"], ["s", "a"], "the others can be forked")
        r = a.run("import os; os._exit(3)", no_check=True)
        t.equal((ended(r), r["exit_code"]), ("died", 3), "one ends itself", r)
        t.equal([x.run("line[-1]")["value"] for x in (c, d)], ["c", "a"], "which is its own affair")
        t.equal(Fork(a).opened.get("error"), "guest", "a dead one has no forks")
        t.equal(a.ask("restart").get("ok"), True, "it is restarted")
        a.run("fresh = True")
        with must(Fork(a)) as e:
            t.equal(e.run("fresh")["value"], True, "and forked again")
        for x in (a, c, d):
            x.ask("close")


def test_limits(t, feed):
    with Session(feed, forks=9, memory=MEMORY, grace_ms=3000) as s:
        s.run("x = 'alive'; open('kept', 'w').write('k')")
        f = must(Fork(s))
        r = f.run("b = bytearray(400 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1")
        t.equal((ended(r), r["oom_killed"], r["exit_code"]), ("died", True, 137), "a fork out of memory", r)
        t.equal(s.run("x")["value"], "alive", "does not concern its origin")
        t.equal(f.ask("restart").get("ok"), True, "it is restarted")
        t.equal((f.run("open('kept').read()")["value"], f.run("x")["exception"]["type"]), ("k", "NameError"),
                "with its files, without its variables")
        g = must(Fork(s))
        r = g.run("import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: time.sleep(1)",
                  wall_ms=1500, no_check=True)
        t.equal(ended(r), "killed", "a fork that does not stop", r)
        t.ok("restart" in g.run("1")["error"]["message"], "says so")
        h = must(Fork(s))
        r = s.run("b = bytearray(400 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1")
        t.equal((ended(r), h.run("x")["value"]), ("died", "alive"), "nor the other way round", r)
        for x in (f, g, h):
            x.ask("close")
    with Session(feed, forks=9, disk=16 << 20, pids=12) as s:
        with must(Fork(s)) as f:
            for x in (s, f):
                r = x.run("open('big', 'wb').write(bytes(12 << 20))")
                t.ok(r["success"], "each has a disk of its own", r)
            r = f.run("open('more', 'wb').write(bytes(12 << 20))")
            t.equal(r["limits"], ["disk"], "of the same size", r)


def test_refused(t, feed):
    with Session(feed, forks=9) as s:
        s.run("import threading\ngo = threading.Event()\nth = threading.Thread(target=go.wait)\nth.start()\nx = 1")
        f = Fork(s)
        t.ok(f.opened.get("error") == "unsupported" and "thread" in f.opened["message"], "threads run", f.opened)
        r = s.run("x = 2", attempt="done")
        t.ok(r["error"]["kind"] == "unsupported" and "tried" in r["error"]["message"] and ended(r) == "refused", "nor a try", r)
        t.equal(s.run("x")["value"], 1, "nothing happened")
        s.run("go.set(); th.join()")
        with must(Fork(s)) as f:
            t.equal(f.run("x")["value"], 1, "they have ended: it can")
    with Session(feed, forks=1) as s, must(Fork(s)) as f:
        g = Fork(f)
        t.ok(g.opened.get("error") == "limit" and "maximum depth" in g.opened["message"], "as many levels as were asked for", g.opened)
        with must(Fork(s)) as g:
            t.equal(g.run("1")["value"], 1, "and as many forks")
    for options, word in (({"forks": 0}, "forks disabled"), ({"forks": 1, "cold": True}, "cold"),
                          ({"forks": 1, "env": ["PYTHONHASHSEED=1"]}, "PYTHONHASHSEED"),
                          ({"forks": 1, "backend": "host", "allow_unsafe": True}, "jail"),
                          ({"forks": 1, "lang": "javascript"}, "javascript"), ({"forks": 1, "lang": "bash"}, "bash"),
                          ({"forks": 1, "lang": "r"}, "in r ")):
        with Session(feed, **options) as s:
            if not s.opened.get("ok"):
                t.skip("no forks: " + word, "no session: " + s.opened["message"])
                continue
            f = Fork(s)
            t.ok(f.opened.get("error") == "unsupported" and word in f.opened["message"], "no forks: " + word, f.opened)
            r = s.run("1", attempt="done")
            t.equal((r["error"]["kind"], ended(r)), ("unsupported", "refused"), "nor tries: " + word, r)


def test_depth(t, feed):
    with Session(feed, forks=1000) as s:
        line, error = [s], None
        while len(line) < 50:
            f = Fork(line[-1])
            if not f.opened.get("ok"):
                error = f.opened
                break
            f.run("depth = globals().get('depth', 0) + 1")
            line.append(f)
        t.ok(error and error["error"] == "limit" and len(line) > 10, "an end to forks of forks, after %d" % len(line), error)
        t.equal([x.run("depth")["value"] for x in line[1:]], list(range(1, len(line))), "all of them live")
        with must(Fork(s)) as f:
            t.equal(f.run("1")["value"], 1, "and others can be had")
        for f in line[1:]:
            f.ask("close")


def test_hundred(t, feed):
    with Session(feed, forks=9, memory=128 << 20, disk=4 << 20) as s:
        s.run("x = list(range(100000)); open('f', 'w').write('f')")
        forks = [must(Fork(s)) for _ in range(100)]
        took = sorted(f.opened["us"] for f in forks)
        t.note("a fork: %.0f us at the median, %.0f at most" % (took[50], took[-1]))
        for i, f in enumerate(forks):
            f.run("x[0] = %d; open('f', 'a').write('%d')" % (i, i))
        values = [f.run("x[0]")["value"] for f in forks]
        t.equal(values, list(range(100)), "a hundred forks alive, each with its own")
        t.equal([f.run("open('f').read()")["value"] for f in forks], ["f%d" % i for i in range(100)], "and its files")
        t.equal(s.run("(x[0], open('f').read())")["value"]["items"], [0, "f"], "the origin has what it had")
        used = sorted(f.ask("info")["memory"] for f in forks)
        t.note("memory of one: %.2f MiB at the median" % (used[50] / (1 << 20)))
        for f in forks:
            f.ask("close")


def test_side_by_side(t, feed):
    with Session(feed, forks=9) as s:
        s.run("total = 0")
        forks = [s] + [must(Fork(s)) for _ in range(5)]
        wrong = []

        def work(k, f):
            for i in range(30):
                r = f.run("total += %d\nprint(total)\ntotal" % (k + 1))
                if r["value"] != (i + 1) * (k + 1) or r["stdout"] != "%d\n" % r["value"]:
                    wrong.append((k, i, r))
                if i % 10 == 5:
                    g = Fork(f)
                    if not g.opened.get("ok") or g.run("total")["value"] != r["value"]:
                        wrong.append((k, i, g.opened))
                    else:
                        g.ask("close")

        threads = [threading.Thread(target=work, args=(k, f)) for k, f in enumerate(forks)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        t.equal(wrong[:3], [], "origin and forks side by side, forking meanwhile")
        for f in forks[1:]:
            f.ask("close")


def descriptors(feed):
    return len(os.listdir("/proc/%d/fd" % feed.process.pid))


def test_nothing_left(t, feed):
    """Of a family, when its last member is closed; also where the pool was its own."""
    def round_():
        s = Session(feed, forks=9)
        s.run("import os; open('f', 'w').write('x')")
        a, b = must(Fork(s)), must(Fork(s))
        c = must(Fork(a))
        b.run("os._exit(1)", no_check=True)
        for x in (s, c, b, a):
            x.ask("close")

    round_()
    before, kept = descriptors(feed), groups(feed.process.pid)
    for _ in range(5):
        round_()
    t.equal(descriptors(feed), before, "families leave no descriptors")
    t.equal(children(feed.process.pid), [], "no processes")
    t.ok(len(groups(feed.process.pid)) <= len(kept) + 3, "and no groups but one that is kept for the next")
    with Session(feed, forks=9) as s:
        s.run("x = 1")
        must(Fork(s)).ask("close")
        before, kept = descriptors(feed), groups(feed.process.pid)
        for _ in range(40):
            must(Fork(s)).ask("close")
        # but for the files of its own group, which stay open once they were read
        t.ok(descriptors(feed) <= before + 8, "closed forks leave no descriptors while others live")
        t.ok(len(groups(feed.process.pid)) <= len(kept), "and no groups", kept, groups(feed.process.pid))


def where_forks_are(t, what, parts):
    """Runs the test functions among those names, where the host has forks."""
    with Feed() as feed:
        why = no_forks(feed)
        if why:
            t.skip(what, "no forks here: " + why)
            return
        for name, part in list(parts.items()):
            if name.startswith("test_"):
                part(t, feed)


def test(t):
    where_forks_are(t, "forks", globals())
