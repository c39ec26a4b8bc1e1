# SPDX-License-Identifier: Apache-2.0
"""Engines that stop, and what a killed process left: tests that mostly wait, all at the same time."""

import fcntl
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time

import program
from pretence import honest
from pretender import Pretender


def stoppable(folder, speak):
    """The process of an engine that signals can stop."""
    ready, started = os.pipe()
    pid = os.fork()
    if pid == 0:
        Pretender(folder, speak)
        os.write(started, b"x")
        signal.pause()
    os.read(ready, 1)
    os.close(ready)
    os.close(started)
    return pid


def stops(talk):
    talk.begin()
    os.kill(os.getpid(), signal.SIGSTOP)


def stopped_engine(tap, folder, pid):
    """An engine that takes connections and answers no request: in the middle of a run, and before one."""
    host = "unix://%s/pretender.sock" % folder
    began = time.monotonic()
    r = program.result(host, "-c", "1", "--timeout", "1s")
    tap.ok("went away" in str(r.get("error")) and time.monotonic() - began < 50, "an engine that stops in the middle of a run", r)
    began = time.monotonic()
    done = program.run(host, "-c", "1")
    tap.ok(done.returncode == 124 and b"does not answer" in done.stderr and time.monotonic() - began < 25,
           "one that stopped before a run", program.said(done))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def full_queue(tap, folder):
    """An engine that takes no connection."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(folder + "/full.sock")
        server.listen(0)
        clients = [socket.socket(socket.AF_UNIX) for i in range(3)]
        for client in clients:
            client.setblocking(False)
            client.connect_ex(folder + "/full.sock")
        began = time.monotonic()
        done = program.run("unix://%s/full.sock" % folder, "-c", "1", "--retries", "0")
        tap.ok(done.returncode == 125 and b"timed out" in done.stderr and time.monotonic() - began < 15,
               "an engine with a full queue", program.said(done))
        for client in clients:
            client.close()


def copies(tap, folder):
    """Copies of workspaces: that of a killed process goes, that of a living one stays. The age is that of the folder's
    ctime, which cannot be set, so this waits."""
    for name in ("dead", "alive"):
        os.makedirs("%s/glovebox-files-%s/d" % (folder, name))
    lock = os.open(folder + "/glovebox-files-alive", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.symlink("glovebox-files-alive", folder + "/glovebox-files-link")
    pretender = Pretender(folder, honest)
    env = {**program.environment(pretender.host), "TMPDIR": folder}
    subprocess.run(program.command("-c", "1"), env=env, capture_output=True, timeout=60)
    tap.ok(os.path.exists(folder + "/glovebox-files-dead"), "a new copy of a workspace stays")
    time.sleep(62)
    pretender.started.clear()
    subprocess.run(program.command("-c", "1"), env=env, capture_output=True, timeout=60)
    pretender.close()
    left = sorted(n for n in os.listdir(folder) if n.startswith("glovebox-files-"))
    tap.equal(left, ["glovebox-files-alive", "glovebox-files-link"], "the one without an owner is gone")
    os.close(lock)


class Notes:
    """Findings of a thread, to be reported in order."""

    def __init__(self):
        self.all = []

    def ok(self, good, name, *more):
        self.all.append((good, name, more))

    def equal(self, got, wanted, name, *more):
        self.ok(got == wanted, name, got, wanted, *more)


def test(tap):
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, tempfile.TemporaryDirectory() as three:
        pid = stoppable(one, stops)
        tests = [(stopped_engine, one, pid), (full_queue, two), (copies, three)]
        notes = [Notes() for _ in tests]
        threads = [threading.Thread(target=t[0], args=(n, *t[1:])) for t, n in zip(tests, notes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for note in notes:
        for good, name, more in note.all:
            tap.ok(good, name, *more)
    tap.equal([len(note.all) for note in notes], [2, 1, 2], "each goes to its end")
