#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A random mixture of clients against one daemon, in TAP: runs, batches, tests, streams, sessions with forks, attempts,
interrupts, restarts and files, relatives that are closed at once, sessions that are forgotten, MCP, clients that go away
and are killed, guests that are killed on the host. Each answer is checked. A wrong one is allowed only for a guest that
this test has killed.

SOAK_SECONDS (60) says how long, SOAK_SEED repeats one, SOAK_CLIENTS (12) are at work at a time. $GLOVEBOX names the
program; tests/run-outside soak/mixture.py looks for the reports of one with ThreadSanitizer.
"""

import collections
import contextlib
import os
import random
import signal
import sys
import threading
import time
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE] + [os.path.join(os.path.dirname(HERE), name) for name in ("http", "mcp", "python")]

import client  # noqa: E402
import daemon  # noqa: E402
from actors import LONG_MS, Actor, act  # noqa: E402
from left import left_over, state  # noqa: E402
from procs import descendants, descriptors, groups, own_mounts, sanitized, wait_for  # noqa: E402
from tap import Tap, running  # noqa: E402

SECONDS = float(os.environ.get("SOAK_SECONDS", "60"))
SEED = int(os.environ.get("SOAK_SEED", str(time.time_ns() % 1000000)))
CLIENTS = int(os.environ.get("SOAK_CLIENTS", "12"))
# What the second half may add to the daemon's memory once its sessions are closed, MiB. The heaps of a sanitizer are
# its own.
GROWTH_MIB = None if sanitized(daemon.GLOVEBOX) else 16
WRONG_SHOWN = 10


class Guest:
    """Until a fork has a name of its own, a kill of its origin may be its own."""

    def __init__(self, number, origin):
        self.name = "gs%x-%x" % (os.getpid() % 0x10000, number)  # at most 15 characters
        self.named = "import ctypes\nctypes.CDLL(None).prctl(15, b'%s', 0, 0, 0)" % self.name
        self.hit, self.origin = False, origin

    @property
    def killed(self):
        return self.hit or (self.origin is not None and self.origin.killed)



def name_of(pid):
    try:
        with open("/proc/%d/comm" % pid, errors="replace") as f:
            return f.read().strip()
    except OSError:
        return None


class Guests:
    """Those that may be killed, found by the name that each gives its process."""

    def __init__(self):
        self.lock, self.count, self.open, self.killed = threading.Lock(), 0, set(), 0

    def new(self, origin=None):
        with self.lock:
            self.count += 1
            return Guest(self.count, origin)

    def expose(self, guest):
        """It has its name now."""
        with self.lock:
            guest.hit, guest.origin = guest.killed, None
            self.open.add(guest)

    def hide(self, guest):
        with self.lock:
            self.open.discard(guest)

    @contextlib.contextmanager
    def exposed(self, guest):
        self.expose(guest)
        yield
        self.hide(guest)

    def kill_one(self, rng, pid):
        """Only a process below the daemon of this test."""
        with self.lock:
            names = {g.name: g for g in self.open if not g.hit}
        found = [(p, name) for p, name in ((p, name_of(p)) for p, _ in sorted(descendants(pid))) if name in names]
        if not found:
            return
        p, name = rng.choice(found)
        with self.lock:
            if name_of(p) != name:  # a fork that has got its own meanwhile
                return
            names[name].hit = True  # first: its answer may come at once
            with contextlib.suppress(ProcessLookupError):
                os.kill(p, signal.SIGKILL)
                self.killed += 1


class Mixture:
    def __init__(self, d):
        self.daemon, self.guests = d, Guests()
        self.counts, self.wrong, self.forgotten = collections.Counter(), [], []
        self.until, self.environment = 0, client.environment(d.folder)

    def over(self):
        return time.monotonic() >= self.until or self.daemon.process.poll() is not None

    def note(self, e):
        last = traceback.extract_tb(e.__traceback__)
        where = " < ".join("%s:%d" % (f.name, f.lineno) for f in reversed(last) if "actors" in f.filename)
        self.wrong.append("%s %s: %.3000r" % (time.strftime("%X"), where, e))

    def be_client(self, i, half):
        actor = Actor(self, random.Random("%d-%d-%d" % (SEED, half, i)))
        while not self.over() and len(self.wrong) < 50:
            try:
                self.counts[act(actor)] += 1
            except Exception as e:
                self.note(e)

    def kill(self, half):
        rng = random.Random("%d-%d-killer" % (SEED, half))
        while not self.over():
            time.sleep(rng.random() * 2)
            self.guests.kill_one(rng, self.daemon.pid)

    def work(self, half, seconds):
        self.until = time.monotonic() + seconds
        threads = [threading.Thread(target=self.be_client, args=(i, half)) for i in range(CLIENTS)]
        threads.append(threading.Thread(target=self.kill, args=(half,)))
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    def settled(self):
        """Nothing is at work any more, and every forgotten session is closed."""
        status = self.daemon.get("/v1/status").json
        return status["sessions"] == 0 and status["running"] <= 1 and status["waiting"] == 0

    def figures(self):
        """What the daemon has once all is closed: MiB, descriptors, control groups."""
        time.sleep(2)
        return (self.daemon.figure("process_resident_memory_bytes") / (1 << 20), descriptors(self.daemon.pid),
                len(groups(self.daemon.pid)))


def check_half(tap, m, half):
    with running("half %d, %g s, seed %d" % (half, SECONDS / 2, SEED)):
        m.work(half, SECONDS / 2)
    if not tap.ok(m.daemon.process.poll() is None, "half %d: the daemon lives" % half, m.daemon.words()[-3000:]):
        return None
    tap.ok(not m.wrong, "every answer is right, but for guests that were killed", len(m.wrong), *m.wrong[:WRONG_SHOWN])
    tap.ok(wait_for(m.settled), "all sessions are closed, the forgotten ones too", m.daemon.get("/v1/status").body,
           m.daemon.get("/v1/sessions").body)
    found = m.figures()
    tap.note("%d answers, %d guests killed; MiB, descriptors, groups: %.1f, %d, %d" %
             (sum(m.counts.values()), m.guests.killed, *found))
    return found


def check_growth(tap, d, first, second):
    grown = second[0] - first[0]
    if GROWTH_MIB is not None:
        tap.ok(grown <= GROWTH_MIB, "the second half adds no memory: %.1f MiB" % grown, first, second)
    # Jails that wait become fewer for half a minute.
    tap.ok(wait_for(lambda: descriptors(d.pid) <= first[1] + 32), "nor descriptors", first, descriptors(d.pid))
    tap.ok(wait_for(lambda: len(groups(d.pid)) <= first[2] + 48), "nor control groups", first, groups(d.pid))


def soak(tap, d):
    m, pid = Mixture(d), d.pid
    first = check_half(tap, m, 1)
    second = check_half(tap, m, 2) if first else None
    if second:
        check_growth(tap, d, first, second)
        tap.equal(d.get("/v1/status").json["pid"], pid, "it is the same daemon")
        runs = d.get("/v1/runs?limit=1").json["runs"]
        tap.ok(runs and d.figure("glovebox_log_lost_total") == 0, "its run log has every run", runs)
    tap.note("seed %d: %s" % (SEED, ", ".join("%s %d" % pair for pair in m.counts.most_common())))


def main():
    own_mounts()
    tap, before = Tap(), state()
    daemon.PATIENCE = client.PATIENCE = LONG_MS / 1000 + 20
    d = daemon.Daemon("--workers", "24", "--sessions", "400", "--queue", "1000", "--end-with", str(os.getpid()))
    with d:
        soak(tap, d)
        d.process.send_signal(signal.SIGTERM)
        tap.equal(d.ended(), 0, "it ends when it is asked to", d.words()[-2000:])
        tap.ok("Sanitizer" not in d.words(), "no sanitizer reports anything", d.words()[-20000:])
    for what, new in left_over(before).items():
        tap.ok(not new, "no %s are left" % what, new[:3])
    return tap.done()


sys.exit(main())
