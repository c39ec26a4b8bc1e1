# SPDX-License-Identifier: Apache-2.0
"""Each row of limits.def binds where a backend says that it has the limit: cold, warm, in a session, in a fork
of it and in a cell that is tried. The rows come from `glovebox doctor --json`: one without a program fails by name.

A program goes on past its limit and then prints FREE. It does so without the limit, and does not with it.
"""
import copy
import json

# For each row: a value that its program exceeds, and the program.
PROGRAMS = {
    "timeout": ("700ms", "import time\nfor i in range(25): time.sleep(0.1)\nprint('FREE')"),
    "cpu-time": ("500ms", "import time\nend = time.process_time() + 2\nwhile time.process_time() < end: pass\nprint('FREE')"),
    "memory": ("96m", "x = bytearray(300 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nimport time\ntime.sleep(0.3)\n"
                      "print('FREE')"),
    "pids": ("16", "import os, signal, time\nmade = []\ntry:\n    while len(made) < 40:\n        pid = os.fork()\n"
                   "        if pid == 0: time.sleep(20); os._exit(0)\n        made.append(pid)\n"
                   "except OSError: pass\nfor pid in made: os.kill(pid, 9), os.waitpid(pid, 0)\n"
                   "if len(made) > 16: print('FREE')"),
    "cpus": ("0.2", "import time\nwall, used = time.monotonic(), time.process_time()\n"
                    "while time.process_time() < used + 0.4: pass\n"
                    "if time.monotonic() - wall < 1.2: print('FREE')"),
    "disk": ("8m", "with open('large', 'wb') as f:\n    for i in range(20): f.write(bytes(1 << 20)); f.flush()\nprint('FREE')"),
    "inodes": ("200", "for i in range(1000): open('f%d' % i, 'w').close()\nprint('FREE')"),
    "open-files": ("256", "import os\nfds = [os.open('/dev/null', os.O_RDONLY) for i in range(400)]\nprint('FREE')"),
}
BUSY = {"cpus"}  # on a machine with other work, its program may be slow without the limit


def rows(doctor, backend):
    """The limits that a backend says it has here; and those that it says it lacks."""
    abilities = next(b["abilities"] for b in doctor["backends"] if b["name"] == backend)
    limits = {name[len("limit-"):]: can["can"] for name, can in abilities.items() if name.startswith("limit-")}
    return [name for name in limits if limits[name]], [name for name in limits if not limits[name]]


def options(name):
    return f"--{name}", PROGRAMS[name][0]


def program(name):
    return "print('begin', flush=True)\n" + PROGRAMS[name][1]


def bound(r):
    return (r.get("stdout") or "").startswith("begin\n") and "FREE" not in r["stdout"]


def test_rows(tap, label, doctor, backend, run):
    """`run(code, *options)` returns the result as a dictionary."""
    held, lacking = rows(doctor, backend)
    for name in held + lacking:
        tap.ok(name in PROGRAMS, f"{label}: --{name} has a program that proves it (tests/limits/binds.py)")
    for name in held:
        if name not in PROGRAMS:
            continue
        r = run(program(name), *options(name))
        tap.ok(bound(r), f"{label}: --{name} binds", r)
        free = run(program(name))
        if name not in BUSY:
            tap.ok((free.get("stdout") or "").endswith("FREE\n"), f"{label}: its program tells, without --{name}", free)
    for name in lacking:
        r = run(program(name), *options(name))
        tap.equal((r["error"] and r["error"]["kind"], r["stdout"]), ("unsupported", ""), f"{label}: --{name} is refused", r)


class Remote:
    """The command line's runs and sessions at a daemon."""

    def __init__(self, user, daemon):
        self.user, self.at = copy.copy(user), ("--daemon", "unix:" + daemon.path)
        self.user.env = {name: value for name, value in user.env.items() if name != "GLOVEBOX_LOG"}  # the daemon's matter

    def run(self, code, *options):
        return self.user.run(code, "--no-check", *self.at, *options).json

    def session(self, *options):
        return self.user.command("session", "new", *self.at, "--lang", "python", "--no-check", *options).out.strip()

    def fork(self, session):
        return self.user.command("session", "fork", *self.at, session).out.strip()

    def cell(self, session, code, *options):
        return self.user.command("session", "exec", *self.at, *options, "--json", session, "-c", code).json

    def close(self, session):
        self.user.command("session", "close", *self.at, session)


def test_sessions(tap, label, names, remote, *more, forks=False):
    for name in names:
        session = remote.session(*more, *options(name))
        fork = remote.fork(session) if forks else None
        if forks:
            tap.ok(fork, f"{label}: --{name}: the session has a fork")
            r = remote.cell(session, program(name), "--try")
            tap.ok(bound(r), f"{label}: --{name} binds in a cell that is tried", r)
            r = remote.cell(fork, program(name))
            tap.ok(bound(r), f"{label}: --{name} binds in a fork of a session", r)
            remote.close(fork)
        r = remote.cell(session, program(name))
        tap.ok(bound(r), f"{label}: --{name} binds in a session", r)
        remote.close(session)


def test(tap, user):
    from shown import warm_starts
    from together import Daemon

    doctor = json.loads(user.command("doctor", "--json").out)
    host = ("--backend", "host", "--allow-unsafe")
    for backend, more in (("jail", ()), ("host", host)):
        test_rows(tap, f"{user.name}: {backend}", doctor, backend,
                  lambda code, *options: user.run(code, "--no-check", *more, *options).json)
    daemon = Daemon(user, "--allow", "host-backend")
    try:
        remote = Remote(user, daemon)
        held = [name for name in rows(doctor, "jail")[0] if name in PROGRAMS]
        for name in held:
            for _ in range(2):  # the first one teaches the pool
                r = remote.run(program(name), *options(name))
                tap.ok(bound(r), f"{user.name}: jail, warm: --{name} binds", r)
        tap.ok(warm_starts(daemon.path), f"{user.name}: jail, warm: and some were")
        test_sessions(tap, f"{user.name}: jail", held, remote, forks=True)
        held = [name for name in rows(doctor, "host")[0] if name in PROGRAMS]
        test_sessions(tap, f"{user.name}: host", held, remote, *host[:2])
    finally:
        daemon.close()
