# SPDX-License-Identifier: Apache-2.0
"""What the kernel counts by user: a warm run has all of it, whatever others of its kind take. Two at once take as much as
one may have."""

import ctypes
import os
import threading
import time

from feed import Feed

# Until no more can be had; two that share get half of it each.
SIGNALS = """
import ctypes, errno, os, resource, signal, time
libc = ctypes.CDLL(None, use_errno=True)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
most, got = resource.getrlimit(resource.RLIMIT_SIGPENDING)[0], 0
while got < most and libc.sigqueue(os.getpid(), signal.SIGRTMIN, 0) == 0:
    got += 1
"""
TIMERS = """
import ctypes, resource, time
libc = ctypes.CDLL(None, use_errno=True)
most, got = resource.getrlimit(resource.RLIMIT_SIGPENDING)[0], 0
while got < most and libc.timer_create(1, None, ctypes.byref(ctypes.c_void_p())) == 0:
    got += 1
"""
HALF = "time.sleep(1.5)\nassert got > most * 0.9, got"
# pipe-user-pages-soft is 1024 of the usual size: those beyond are smaller.
PIPES = """
import fcntl, os, time
first = os.getpid()
os.fork()
pipes = [os.pipe() for _ in range(340)]
time.sleep(1)
pipes = pipes[:-1] + [os.pipe()]
size = fcntl.fcntl(pipes[-1][0], 1032)
assert size == 65536, size
if os.getpid() == first:
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
"""
# RLIMIT_NOFILE says how many may be in messages that nobody received.
FLIGHT = """
import os, socket, time
pairs = [socket.socketpair() for _ in range(70)]
for a, b in pairs:
    socket.send_fds(a, [b'x'], [0] * 10)
time.sleep(1)
for a, b in pairs[:5]:
    socket.send_fds(a, [b'x'], [0] * 10)
"""
BOTH = {"queued signals": SIGNALS + HALF, "timers": TIMERS + HALF}
AS_ROOT = {"pages of pipes": PIPES, "descriptors in flight": FLIGHT}


def have_uids():
    """Whether a run can have a uid of its own: in some containers root has only 65 536."""
    with open("/proc/self/uid_map") as f:
        maps = [[int(word) for word in line.split()] for line in f]
    return os.geteuid() == 0 and any(first <= 0x70000000 and first + count > 0x7fffffff for first, _, count in maps)


def test_apart(tap, feed):
    kinds = dict(BOTH, **AS_ROOT) if have_uids() else BOTH
    for name, code in kinds.items():
        alone = feed.run(code)
        tap.ok(alone["success"] and alone["taken"] != "cold", name + ": one has what it may have", alone["stderr"][-300:])
        tap.equal(feed.ask(many=4, threads=4, code=code)["failed"], 0, name + ": and so has each of four at once")


def test_again(tap, feed):
    """Users are used again, by jails of which nothing is left."""
    if not have_uids():
        tap.skip("users that are used again", "needs root, and uids")
        return
    failed = feed.ask(many=600, threads=4, code=FLIGHT.replace("time.sleep(1)", "pass"))["failed"]
    tap.equal(failed, 0, "600 runs that end with descriptors in flight")
    tap.ok(feed.run(FLIGHT)["success"], "and one more")


def make_timers(count):
    """How many this process can have."""
    libc, timers = ctypes.CDLL(None, use_errno=True), []
    for _ in range(count):
        timer = ctypes.c_void_p()
        if libc.timer_create(1, None, ctypes.byref(timer)) < 0:
            break
        timers.append(timer)
    for timer in timers:
        libc.timer_delete(timer)
    return len(timers)


def queued():
    """How many signals the host's user has, guests included, as this process may see it."""
    with open("/proc/self/status") as f:
        return int(next(line for line in f if line.startswith("SigQ")).split()[1].split("/")[0])


def test_host(tap, feed):
    """The host's own programs, of the user who runs it."""
    for warm in (False, True):
        before = queued()
        run = threading.Thread(target=feed.run, args=(TIMERS + "time.sleep(5)",), kwargs={"warm": warm, "timeout_ms": 20000})
        run.start()
        end, last = time.time() + 10, -1
        while time.time() < end and (queued() != last or last <= before):  # until it has what it can get
            last = queued()
            time.sleep(0.4)
        got = make_timers(1000)
        run.join()
        tap.ok(last > before, "a %s run has timers" % ("warm" if warm else "cold"), before, last)
        tap.equal(got, 1000, "and leaves some to others of the host's user")


def test(tap):
    with Feed() as feed:
        if not tap.ok(feed.warm_up(30), "one becomes ready", feed.stats()):
            return
        test_apart(tap, feed)
        test_again(tap, feed)
        test_host(tap, feed)
