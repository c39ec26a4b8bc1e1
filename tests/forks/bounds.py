# SPDX-License-Identifier: Apache-2.0
"""Limits in a family whose members share memory and live in each other's process trees: each binds in a fork as in a
session that was opened, and nobody pays for another. With control groups and, as an ordinary user, without."""

import time

from family import AS_USER, Families, nothing_left, side_by_side
from procs import groups, wait_for

MIB = 1 << 20
TAKE = "x = bytearray(%d << 20)\nfor i in range(0, len(x), 4096): x[i] = 1"
MORE = "y = bytearray(%d << 20)\nfor i in range(0, len(y), 4096): y[i] = 2"
CHANGE = "for i in range(0, len(x), 4096): x[i] = 3"
LINGER = "\ntime.sleep(1.5)"  # a watcher looks at a session between two cells each second


def killed(r):
    return r["cell"]["ended"] == "died" and r["oom_killed"] and r["limits"] == ["memory"]


def test_shared(tap, d):
    """Pages that a fork has from its origin are its origin's until it changes them."""
    s = d.open(memory_bytes=300 * MIB)
    s.run(TAKE % 220)
    forks = [s.fork() for _ in range(4)]
    tap.equal([f.value("len(x) >> 20") for f in (s, *forks)], [220] * 5, "four forks of a session with 220 of 300 MiB")
    listed = {e["id"]: e["memory_bytes"] for e in d.get("/v1/sessions").json["sessions"]}
    tap.ok(all(listed[f.name] < 100 * MIB for f in forks), "none is listed with its origin's memory", listed)
    f, g, h, i = forks
    r = f.run(MORE % 200 + LINGER)
    tap.ok(r["success"], "a fork may take 200 MiB of its own", r["error"], r["limits"])
    r = g.run(CHANGE + "\n" + MORE % 40 + LINGER)
    tap.ok(r["success"], "or change all and take 40", r["error"], r["limits"])
    r = g.run(MORE % 160 + LINGER)
    tap.ok(killed(r), "not change all and take 160", r["error"], r["limits"])
    r = h.run(MORE % 350 + LINGER)
    tap.ok(killed(r), "nor take 350", r["error"], r["limits"])
    s.close()
    time.sleep(2.5)
    tap.equal(f.value("len(x) + len(y) >> 20"), 420, "a fork is not killed for what its origin leaves to it")
    k = i.fork()
    r = k.run(MORE % 350 + LINGER)
    tap.ok(killed(r), "a fork of a fork has the limit, too", r["error"], r["limits"])
    tap.equal((f.value("1"), i.value("1")), (1, 1), "the others do not notice")
    f.close()
    i.close()


def test_origin(tap, d):
    """An origin has all of its memory, however many forks share it."""
    s = d.open(memory_bytes=300 * MIB)
    s.run(TAKE % 220)
    forks = [s.fork() for _ in range(3)]
    r = s.run(MORE % 150 + LINGER)
    tap.ok(killed(r), "an origin with 220 of 300 MiB may not take 150", r["error"], r["limits"])
    tap.equal([f.value("len(x) >> 20") for f in forks], [220] * 3, "its forks live")
    r = s.run("1")
    for f in (s, *forks):
        f.close()
    s = d.open(memory_bytes=300 * MIB)
    s.run(TAKE % 220)
    r = s.run(MORE % 150 + LINGER, attempt=True)
    tap.equal(r["cell"]["attempt"], "dropped", "nor in a cell that is tried", r["error"], r["feedback"])
    tap.equal(s.value("len(x) >> 20, 'y' in globals()")["items"], [220, False], "which is undone")
    s.close()


SPIN = "end = time.process_time() + %s\nwhile time.process_time() < end: pass"
# Each is over before a watcher counts it; the init reaps it.
ORPHANS = """
for i in range(40):
    if os.fork() == 0:
        if os.fork() == 0:
            end = time.process_time() + 0.1
            while time.process_time() < end: pass
        os._exit(0)
    os.wait()
    time.sleep(0.15)
'all'
"""


def test_time(tap, d):
    s = d.open()
    f = s.fork()
    r = f.run(SPIN % 30, cpu_time_ms=400, timeout_ms=60000)
    tap.ok(r["limits"] == ["cpu_time"] and r["cpu_ms"] < 8000, "processor time of a fork's cell", r["limits"], r["cpu_ms"])
    g = s.fork()
    r = g.run(ORPHANS, cpu_time_ms=1000, timeout_ms=60000)
    tap.ok(r["limits"] == ["cpu_time"], "also of processes that have lost their parent", r["limits"], r["cpu_ms"])
    h = s.fork()
    h.run(SPIN % 3)
    busy = s.fork()
    answers = side_by_side(
        lambda: s.run("time.sleep(3)\n" + SPIN % 0.1, cpu_time_ms=1500),
        lambda: busy.run(SPIN % 2.5),
        lambda: time.sleep(0.5) or h.close())
    tap.ok(answers[0]["success"] and answers[0]["cpu_ms"] < 1500, "no cell pays for forks that run or end meanwhile",
           answers[0]["limits"], answers[0]["cpu_ms"])
    tap.ok(answers[1]["cpu_ms"] >= 2400, "those pay for themselves", answers[1]["cpu_ms"])
    s.close()
    busy.close()


BOMB = """
def bomb(most=300, how=None):
    r, w = os.pipe()
    made = []
    try:
        while len(made) < most:
            pid = os.fork()
            if pid == 0:
                if how == 'undumpable': libc.prctl(4, 0, 0, 0, 0)
                os.close(w)
                if how != 'zombies': os.read(r, 1)
                os._exit(0)
            made.append(pid)
    except OSError as e:
        why = errno.errorcode[e.errno]
    os.close(w)
    os.close(r)
    for pid in made: os.waitpid(pid, 0)
    return [len(made), why]
def threads(most=300):
    import threading
    go, made = threading.Event(), []
    try:
        while len(made) < most:
            made.append(threading.Thread(target=go.wait))
            made[-1].start()
    except RuntimeError:
        made.pop()
    go.set()
    for t in made: t.join()
    return len(made)
def often(times):
    for i in range(times):
        pid = os.fork()
        if pid == 0: os._exit(0)
        os.waitpid(pid, 0)
    return times
# All fork at the same moment: the number of tasks that there were.
def race(most=60):
    r, w = os.pipe()
    made = []
    for i in range(most):
        try: pid = os.fork()
        except OSError: break
        if pid == 0:
            os.read(r, 1)
            try: pid = os.fork()
            except OSError: os._exit(0)
            time.sleep(8)
            os._exit(0)
        made.append(pid)
    os.close(w)
    time.sleep(1)
    seen = 0
    for p in filter(str.isdigit, os.listdir('/proc')):
        try: seen += int(p) > 1 and len(status('NSpid', p).split()) == 1
        except OSError: pass
    return seen
"""


# A process whose first thread has ended shows neither its mounts nor, to its children, a living parent's.
LEADERS = """
import ctypes, os, threading, time
def without_leader(then):
    threading.Thread(target=then).start()
    ctypes.CDLL(None).syscall(60, 0)
def leaders():
    r, w = os.pipe()
    def last():
        n = 0
        try:
            for n in range(60): threading.Thread(target=time.sleep, args=(2,)).start()
        except RuntimeError: pass
        os.write(w, b'%d' % n)
        os._exit(0)
    def first():
        if os.fork() == 0: without_leader(last)
        time.sleep(3)
        os._exit(0)
    if os.fork() == 0: without_leader(first)
    return int(os.read(r, 10))
"""


def test_processes(tap, d, most=20):
    s = d.open(pids=most)
    s.run(BOMB)
    f, g = s.fork(), s.fork()
    r = f.value("[bomb(), threads(), bomb(how='zombies'), bomb(how='undumpable')]")
    tap.ok(isinstance(r, list) and r[0][1] == r[2][1] == r[3][1] == "EAGAIN" and
           all(most - 3 <= n < most for n in (r[0][0], r[1], r[2][0], r[3][0])),
           "processes of a fork, threads, zombies, and what hides from /proc", r)
    tap.equal(f.value("often(200)"), 200, "not those that have ended")
    r = f.value("libc.prctl(4, 0, 0, 0, 0)\nbomb()")
    tap.ok(isinstance(r, list) and most - 3 <= r[0] < most, "also if the first hides", r)
    both = side_by_side(*[lambda m=m: m.value("bomb()") for m in (s, f, g)])
    tap.ok(all(isinstance(r, list) and most - 3 <= r[0] < most for r in both), "each member has its own number", both)
    r = g.value("race()")
    tap.ok(isinstance(r, int) and r <= 2 * most, "also if all fork at the same moment", r)
    tap.equal(s.fork().value("often(5)"), 5, "another fork can be made and has room")
    n = f.value(LEADERS + "leaders()")
    tap.ok(isinstance(n, int) and n < most, "no more than the limit, also if the first threads of two generations end", n)
    s.close()


SOCKETS = """
hold = []
for i in range(500):
    a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    a.setsockopt(socket.SOL_SOCKET, 37, 2 | 16)
    a.connect(('127.0.0.1', 9))
    a.send(b'x' * 60000, socket.MSG_MORE)
    hold.append(a)
""" + LINGER


def test_sockets(tap, d):
    """The buffers of sockets, which no group counts; a family is in one network."""
    s = d.open(memory_bytes=24 * MIB)
    f = s.fork()
    r = f.run(SOCKETS)
    tap.ok(killed(r), "buffers of a fork's sockets", r["error"], r["limits"])
    tap.equal(s.value("1"), 1, "its origin lives")
    s.close()


def test_wall(tap, d):
    s = d.open()
    f = s.fork()
    began = time.monotonic()
    r = f.run("import signal\nsignal.signal(2, signal.SIG_IGN)\nwhile True: pass", timeout_ms=700)
    tap.ok(r["timed_out"] and time.monotonic() - began < 30, "a fork's time", r["limits"])
    tap.equal(s.value("1"), 1, "is not its origin's")
    s.close()


def test(tap):
    with Families() as d:
        parts = [("shared", test_shared), ("origin", test_origin), ("time", test_time), ("processes", test_processes),
                 ("sockets", test_sockets), ("wall", test_wall)]
        for name, part in parts:
            part(tap, d)
            nothing_left(tap, d, name)
        tap.equal(bool(groups(d.pid)), not AS_USER, "with control groups, or as an ordinary user without")
        tap.ok(wait_for(lambda: not d.guests(), 10), "nothing is left")
