# SPDX-License-Identifier: Apache-2.0
"""A daemon whose sessions are forked, and what is seen of their processes on the host."""

import atexit
import os
import shutil
import tempfile
import threading

from daemon import GLOVEBOX, MARK, Daemon
from procs import named, wait_for

AS_USER = os.environ.get("FORKS_AS") == "user" or os.geteuid() != 0  # then there are no control groups
ORDINARY = 31416  # a user that nobody is
PROGRAMS = ("glovebox", "glovebox-jail", "glovebox-fetch", "glovebox-zygote.so")

# In each guest's first cell: a name by which the host knows its processes, and what attacks need.
BEGIN = """
import ctypes, os, sys, time, signal, socket, stat, errno
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(15, b'%s', 0, 0, 0)
def status(name, pid='self'):
    with open('/proc/%%s/status' %% pid) as f:
        return next(line.split(':', 1)[1].strip() for line in f if line.startswith(name + ':'))
""" % MARK


def copied_programs(places=[]):
    """A folder with the programs under test that every user may enter."""
    if not places:
        places.append(tempfile.mkdtemp(prefix="glovebox-programs-"))
        atexit.register(shutil.rmtree, places[0], ignore_errors=True)
        os.chmod(places[0], 0o755)
        given = os.path.dirname(GLOVEBOX)
        for name in PROGRAMS:
            shutil.copy(os.path.join(given, name), places[0])
    return places[0]


class Families(Daemon):
    def __init__(self, *options, **how):
        super().__init__("--workers", "16", "--sessions", "300", *options, **how)

    def start(self, **how):
        if not AS_USER or os.geteuid():
            return super().start(**how)
        self.command[0] = self.env["GLOVEBOX"] = os.path.join(copied_programs(), "glovebox")
        for path in (self.folder, self.config, self.tokens):
            os.chown(path, ORDINARY, ORDINARY)
        return super().start(user=ORDINARY, group=ORDINARY, extra_groups=[], **how)

    def open(self, **fields):
        r = self.post("/v1/sessions", dict({"forks": 100, "grace_ms": 500}, **fields))
        if r.status != 201:
            raise RuntimeError("no session: %r" % r)
        s = Member(self, r.json["id"])
        s.run(BEGIN)
        return s

    def capable(self):
        """Those of them that hold a capability."""
        found = []
        for p, _ in self.guests():
            try:
                with open("/proc/%d/status" % p) as f:
                    caps = {line.split()[0]: int(line.split()[1], 16) for line in f if line.startswith("Cap")}
            except OSError:
                continue
            if any(caps.values()):
                found.append((p, caps))
        return found


class Member:
    """A session, or a fork of one."""

    def __init__(self, daemon, name):
        self.daemon, self.name, self.path = daemon, name, "/v1/sessions/" + name

    def run(self, code, **fields):
        r = self.daemon.post(self.path + "/exec", dict({"code": code, "no_check": True, "timeout_ms": 30000}, **fields))
        return r.json

    def value(self, code, **fields):
        """Of the last expression, or what went wrong."""
        r = self.run(code, **fields)
        if r.get("exception"):
            return "%s: %s" % (r["exception"]["type"], r["exception"]["message"])
        return r.get("value", r)

    def ask_fork(self):
        return self.daemon.post(self.path + "/fork", {})

    def fork(self):
        r = self.ask_fork()
        if r.status != 201:
            raise RuntimeError("no fork: %r" % r)
        return Member(self.daemon, r.json["id"])

    def close(self):
        return self.daemon.call("DELETE", self.path).status

    def process(self):
        """The host's number of its first process."""
        word = "%s-%s" % (MARK[3:], self.name[-6:])
        self.run("libc.prctl(15, b'%s', 0, 0, 0)" % word)
        try:
            return next((p for p, _ in named(self.daemon.pid, word[:15])), None)
        finally:
            self.run("libc.prctl(15, b'%s', 0, 0, 0)" % MARK)


def no_forks(d):
    """Why this host has none, or None."""
    r = d.post("/v1/sessions", {"forks": 1})
    if r.status != 201:
        return r.message
    s = Member(d, r.json["id"])
    f = s.ask_fork()
    return None if f.status == 201 else f.message


def side_by_side(*works):
    """Runs them in threads; their answers in order."""
    answers = [None] * len(works)

    def one(i, work):
        try:
            answers[i] = work()
        except Exception as e:
            answers[i] = e

    threads = [threading.Thread(target=one, args=x) for x in enumerate(works)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return answers


def nothing_left(tap, d, what):
    for s in d.get("/v1/sessions").json["sessions"]:
        d.call("DELETE", "/v1/sessions/" + s["id"])
    tap.ok(wait_for(lambda: not d.guests()), what + ": no process is left", d.guests())
