# SPDX-License-Identifier: Apache-2.0
"""A fork has its origin's limits, for itself."""

from family import Families, nothing_left
from procs import wait_for

HOG = "b = bytearray(300 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1"
BOMB = """
made = []
try:
    while len(made) < 300:
        pid = os.fork()
        if pid == 0:
            time.sleep(5)
            os._exit(0)
        made.append(pid)
except OSError:
    pass
for pid in made: os.kill(pid, 9)
for pid in made: os.waitpid(pid, 0)
len(made)
"""


def test_fork(tap, d):
    s = d.open(memory_bytes=96 << 20, pids=20)
    s.run("x = 'alive'")
    f, g, h = s.fork(), s.fork(), s.fork()
    r = f.run(HOG)
    tap.ok(r["cell"]["ended"] == "died" and r["oom_killed"], "a fork out of memory", r["error"])
    made = g.value(BOMB)
    tap.ok(isinstance(made, int) and 5 < made <= 20, "one that forks without end", made)
    tap.equal(g.value("x"), "alive", "lives")
    r = h.run("while True: pass", timeout_ms=500)
    tap.ok(r["timed_out"], "one that never ends", r)
    r = h.run("signal.signal(2, signal.SIG_IGN)\nwhile True: pass", timeout_ms=500)
    tap.equal(r["cell"]["ended"], "killed", "nor when it is asked", r["error"])
    tap.equal((s.value("x"), g.value("x")), ("alive", "alive"), "origin and others do not notice")
    tap.equal(s.fork().value("x"), "alive", "it can be forked")


def test_origin(tap, d):
    for name, code in (("memory", HOG), ("its own end", "os._exit(3)"), ("a signal", "os.kill(os.getpid(), 9)"),
                       ("a deadline", "signal.signal(2, signal.SIG_IGN)\nwhile True: pass")):
        s = d.open(memory_bytes=96 << 20)
        s.run("x = 'alive'")
        f = s.fork()
        g = f.fork()
        r = s.run(code, timeout_ms=1500 if name == "a deadline" else 30000)
        tap.ok(r["cell"]["ended"] in ("died", "killed"), "an origin ends by %s" % name, r["error"])
        tap.equal((f.value("x"), g.value("x")), ("alive", "alive"), "its forks live on")
        tap.equal((f.fork().value("x"), g.fork().value("x")), ("alive", "alive"), "and can be forked")
        tap.equal((s.close(), f.close(), g.value("x")), (200, 200, "alive"), "also when those above are closed")
        g.close()
    nothing_left(tap, d, "families whose first had ended")


def test_background(tap, d):
    """What a fork leaves running ends with it, and nothing else."""
    s = d.open()
    s.run("def idle():\n    for _ in range(3):\n        if os.fork() == 0:\n            os.setsid(); time.sleep(100); os._exit(0)")
    s.run("idle()")
    f = s.fork()
    f.run("idle()")
    g = f.fork()
    g.run("idle()")
    tap.equal(len(d.guests()), 12, "processes in the background", d.guests())
    f.close()
    tap.ok(wait_for(lambda: len(d.guests()) == 8), "of the one that is closed are gone", len(d.guests()))
    tap.equal((s.value("1"), g.value("1")), (1, 1), "the others live")
    s.close()
    tap.ok(wait_for(lambda: len(d.guests()) == 4), "then those of the first", len(d.guests()))
    g.close()


LOCKS = """
import fcntl, struct
def lock_many(most=20000, each=500):
    fds, count = [], 0
    try:
        for i in range(most):
            if i % each == 0:
                fds.append(os.open('locked-%d' % (i // each), os.O_RDWR | os.O_CREAT))
            fcntl.fcntl(fds[-1], fcntl.F_SETLK, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 2 * i, 1, 0))
            count += 1
    except OSError as e:
        why = e.errno
    for fd in fds:
        os.close(fd)
    return [errno.errorcode[why], count <= 16384]
def lock_often(times=20000):
    with open('often', 'w') as f:
        for i in range(times):
            fcntl.lockf(f, fcntl.LOCK_EX)
            fcntl.lockf(f, fcntl.LOCK_UN)
    return times
"""


def test_locks(tap, d):
    s = d.open()
    s.run("import errno, os\n" + LOCKS)
    f = s.fork()
    tap.equal(s.value("lock_many()"), ["ENOLCK", True], "locks on files are bounded in a session")
    tap.equal(f.value("lock_many()"), ["ENOLCK", True], "and in its fork")
    tap.equal((s.value("time.sleep(0.2); lock_often()"), f.value("lock_often()")), (20000, 20000),
              "not those that are given back")
    f.close()
    s.close()


def test_too_few_files(tap, d):
    s = d.open(open_files=150)
    s.run("x = 'alive'")
    r = s.ask_fork()
    tap.ok(r.status == 501 and "allow more with 'open_files'" in r.json["error"]["message"], "a fork needs more descriptors: said", r)
    tap.equal(s.value("x"), "alive", "the session lives on")
    s.close()


def test(tap):
    with Families() as d:
        test_fork(tap, d)
        test_origin(tap, d)
        test_background(tap, d)
        test_locks(tap, d)
        test_too_few_files(tap, d)
        nothing_left(tap, d, "limits")
