# SPDX-License-Identifier: Apache-2.0
"""What the tests of limits share: running glovebox as someone, watching a run's tree of processes
from outside, and speaking TAP.

Nothing here asks glovebox what it did when the kernel can be asked instead.
"""
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import elsewhere

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PATIENCE = 90  # seconds, for anything that should take far less
USER_ID = 63777  # nobody's; with a name of its own it would have a home, too


class Tap:
    """Prints results as they come, and the plan at the end."""

    def __init__(self):
        self.count = self.failed = 0

    def ok(self, condition, name, *details):
        self.count += 1
        self.failed += not condition
        print(f"{'' if condition else 'not '}ok {self.count} - {name}")
        if not condition:
            for detail in details:
                for line in str(detail).splitlines() or [""]:
                    print(f"# {line[:2000]}")
        sys.stdout.flush()
        return condition

    def equal(self, got, want, name, *details):
        return self.ok(got == want, name, f"got {got!r}, want {want!r}", *details)

    def note(self, text):
        print(f"# {text}")
        sys.stdout.flush()

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} # SKIP {why}: {name}")

    def done(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


class Result:
    """One finished run: its JSON, what it said on stderr, its exit status, how long it took."""

    def __init__(self, status, out, err, seconds):
        self.status, self.out, self.err, self.seconds = status, out, err, seconds
        try:
            self.json = json.loads(out)
        except ValueError:
            self.json = {}

    def __getattr__(self, name):
        return self.json.get(name)

    def __str__(self):
        short = {k: v for k, v in self.json.items() if v not in (None, [], {}, False, "")}
        return f"exit status {self.status} after {self.seconds:.2f} s\n{short}\nstderr: {self.err[-1500:]}"


class Sandbox:
    """The programs under test in a folder that everyone may enter, and homes beside them."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="glovebox-test-")
        os.chmod(self.dir, 0o755)
        given = os.path.abspath(os.environ.get("GLOVEBOX", os.path.join(ROOT, "build", "glovebox")))
        self.bin = os.path.join(self.dir, "bin")
        os.mkdir(self.bin)
        for name in ("glovebox", "glovebox-jail", "glovebox-zygote.so"):
            shutil.copy(os.path.join(os.path.dirname(given), name), self.bin)
        self.glovebox = os.path.join(self.bin, "glovebox")
        self.users = {}

    def close(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def build(self, source, *flags):
        """Compiles a C file of this folder; None when there is no compiler."""
        out = os.path.join(self.bin, os.path.splitext(source)[0])
        if not os.path.exists(out):
            cc = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
            if not cc:
                return None
            subprocess.run([cc, "-O1", "-o", out, os.path.join(HERE, source), *flags], check=True)
        return out

    def user(self, name):
        if name not in self.users:
            self.users[name] = User(self, name)
        return self.users[name]


def identities():
    half = os.environ.get("LIMITS_AS")
    return ([half] if half else ["root", "user"]) if os.geteuid() == 0 else ["user"]


class User:
    """Runs glovebox as root or as an ordinary user, with a home and a temporary folder of its own,
    behind `launcher` if there is one."""

    def __init__(self, sandbox, name, launcher=()):
        self.sandbox, self.name, self.launcher = sandbox, name, tuple(launcher)
        self.is_root = name == "root"
        self.id = 0 if self.is_root else os.geteuid() or USER_ID
        self.home = os.path.join(sandbox.dir, "home-" + name)
        self.tmp = os.path.join(sandbox.dir, "tmp-" + name)
        for folder in (self.home, self.tmp):
            if not os.path.exists(folder):
                os.mkdir(folder, 0o700)
                os.chown(folder, self.id, self.id)
        self.env = {"HOME": self.home, "TMPDIR": self.tmp, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
                    "GLOVEBOX_LOG": "off", "GLOVEBOX_SOCKET": "unix:/nowhere/glovebox.sock", **elsewhere.variables()}

    def behind(self, *launcher):
        return User(self.sandbox, self.name, launcher)

    def start(self, *args, **options):
        """A running glovebox, as a Popen."""
        who = {} if os.geteuid() != 0 else {"user": self.id, "group": self.id, "extra_groups": []}
        if self.launcher and self.launcher[0] == "as-root":
            command, who = self.launcher[1:], {}
        else:
            command = self.launcher
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen([*command, self.sandbox.glovebox, *args], env=self.env,
                                cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                **who, **options)

    def command(self, *args, timeout=240, **options):
        """Runs glovebox to its end; whatever a hung one leaves is killed."""
        begin = time.monotonic()
        process = self.start(*args, **options)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += b"\n(the test waited %d s and gave up)" % timeout
        return Result(process.returncode, out.decode("utf-8", "replace"),
                      err.decode("utf-8", "replace"), time.monotonic() - begin)

    def run(self, code, *args, lang="python", timeout=240, **options):
        return self.command("run", "--json", "--lang", lang, *args, "-c", code, timeout=timeout,
                            **options)


def children_of(pid):
    """The direct children of every thread of a process, as far as they can be seen."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as f:
                found += [int(word) for word in f.read().split()]
    except OSError:
        pass
    return found


def tree_of(pid):
    found, todo = [], [pid]
    while todo:
        for child in children_of(todo.pop()):
            found.append(child)
            todo.append(child)
    return found


class Tree:
    """Everything below a process, held by descriptors, so that nothing escapes by losing its parent
    and no number is mistaken for another process."""

    def __init__(self, pid):
        self.root, self.fds = pid, {}

    def look(self):
        for pid in tree_of(self.root):
            if pid not in self.fds:
                try:
                    self.fds[pid] = os.pidfd_open(pid)
                except OSError:
                    continue
                # A member that lost its parent is found through what it starts from now on.
        return len(self.fds)

    def alive(self):
        if not self.fds:
            return []
        poller = select.poll()
        for fd in self.fds.values():
            poller.register(fd, select.POLLIN)
        dead = {fd for fd, _ in poller.poll(0)}
        return [pid for pid, fd in self.fds.items() if fd not in dead]

    def wait(self, seconds):
        """Waits until all are dead; the moment of it, or None."""
        deadline = time.monotonic() + seconds
        waiting = {fd: pid for pid, fd in self.fds.items()}
        poller = select.poll()
        for fd in waiting:
            poller.register(fd, select.POLLIN)
        while waiting:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            for fd, _ in poller.poll(left * 1000):
                poller.unregister(fd)
                waiting.pop(fd, None)
        return time.monotonic()

    def kill(self):
        for fd in self.fds.values():
            try:
                signal.pidfd_send_signal(fd, signal.SIGKILL)
            except OSError:
                pass

    def close(self):
        for fd in self.fds.values():
            os.close(fd)
        self.fds = {}


class Events:
    """The lines of `run --events`, read by a thread of their own with the moment they came."""

    def __init__(self, process):
        self.process, self.lines, self.at = process, [], {}
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        for raw in self.process.stdout:
            event = json.loads(raw)
            with self.changed:
                self.lines.append(event)
                self.at.setdefault(event["event"], event["time_ms"] / 1000)
                self.changed.notify_all()

    def wait(self, name, seconds):
        """The time of day of the first such event, or None."""
        with self.changed:
            self.changed.wait_for(lambda: name in self.at, seconds)
            return self.at.get(name)

    def text(self):
        return "".join(e.get("text", "") for e in self.lines)

    def result(self):
        self.thread.join(60)
        for event in self.lines:
            if event["event"] == "finished":
                return event["result"]
        return {}


def status_line(pid, key):
    """A number from /proc/PID/status, in its unit; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/status") as f:
            for line in f:
                if line.startswith(key + ":"):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


BEFORE = set(os.listdir("/tmp"))  # which others left


def leftovers(user):
    """What runs that are over have left in temporary folders."""
    found = [os.path.join(user.tmp, name) for name in os.listdir(user.tmp)]
    for name in set(os.listdir("/tmp")) - BEFORE:
        match = re.fullmatch(r"glovebox-(\d+)-[0-9a-f]{16}", name)
        if match and not os.path.exists(f"/proc/{match[1]}"):
            found.append(os.path.join("/tmp", name))
    return found


def held_layers(user):
    """The layers that a run of this user has on this host."""
    result = user.run("", lang="python")
    return set(result.isolation or [])
