# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: a place to run glovebox in, and checks in TAP."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import traceback

import elsewhere
from procs import PATIENCE
from tap import running

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PATH = "/usr/local/bin:/usr/bin:/bin"
ORDINARY = 31415  # a user that nobody is


def text(value):
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def make_folder(owner):
    """For an owner's homes: not below /tmp, which is another folder inside the jail."""
    places = [
        p for p in ("/home", "/srv", "/opt", os.path.expanduser("~")) if os.access(p, os.W_OK)
    ]
    folder = tempfile.mkdtemp(prefix="glovebox-cli-", dir=(places or [None])[0])
    if owner != os.geteuid():
        os.chown(folder, owner, owner)
    return folder


class Done:
    """How a process ended. code is as a shell would say it; None when it had to be killed."""

    def __init__(self, code, out, err, seconds):
        self.code = 128 - code if code is not None and code < 0 else code
        self.out, self.err, self.seconds = out, err, seconds

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def events(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def __str__(self):
        return "exit %s\nstdout: %s\nstderr: %s" % (
            self.code,
            text(self.out)[-2000:],
            text(self.err)[-2000:],
        )


class Suite:
    """Counts and prints; checks may come from several threads."""

    def __init__(self, glovebox, folder, who, out, number=0):
        self.glovebox, self.folder, self.who, self.out = glovebox, folder, who, out
        self.number, self.failed = number, 0
        self.lock = threading.Lock()
        self.layers = None

    def say(self, good, name, detail="", skip=""):
        name = re.sub(r"[^\x20-\x7e]|#", "?", name)
        with self.lock:
            self.number += 1
            self.failed += not good
            lines = [
                "%s %d - %s%s"
                % ("ok" if good else "not ok", self.number, name, " # SKIP " + skip if skip else "")
            ]
            if not good:
                lines += ["# " + line for line in text(detail).splitlines()[:60]]
            self.out.write("\n".join(lines).encode("ascii", "backslashreplace") + b"\n")
            self.out.flush()
        return good


class Test:
    """Given to each test function: a home, a folder to work in, and what a check needs."""

    def __init__(self, suite, name):
        self.suite, self.name, self.who = suite, name, suite.who
        self.glovebox = suite.glovebox
        self.base = tempfile.mkdtemp(prefix="t-", dir=suite.folder)
        self.home = self.path("home")
        self.dir = self.path("here")
        for folder in (self.home, self.dir):
            os.mkdir(folder, 0o700)

    def done(self):
        for folder, _, _ in os.walk(self.base):
            os.chmod(folder, 0o700)
        shutil.rmtree(self.base, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.base, *parts)

    def write(self, name, data="", mode=None):
        """A file in the working folder (or at an absolute path); returns its path."""
        path = (
            os.path.join(self.dir, name)
            if isinstance(name, str)
            else os.path.join(os.fsencode(self.dir), name)
        )
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        if mode is not None:
            os.chmod(path, mode)
        return path

    def config(self, data):
        return self.write(os.path.join(self.home, ".config/glovebox/glovebox.conf"), data)

    def project(self, data):
        return self.write("glovebox.conf", data)

    def env(self, extra=None):
        # No daemon of this machine's has a part in this.
        env = {"PATH": PATH, "HOME": self.home, "TMPDIR": self.base, "LANG": "C.UTF-8",
               "GLOVEBOX_SOCKET": "unix:" + self.path("nowhere.sock"), **elsewhere.variables()}
        env.update(extra or {})
        return {k: v for k, v in env.items() if v is not None}

    def start(self, *args, env=None, cwd=None, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(
            [self.glovebox, *args],
            env=self.env(env),
            cwd=cwd or self.dir,
            start_new_session=True,
            **more
        )

    def command(self, argv, stdin=b"", env=None, cwd=None, timeout=PATIENCE, **more):
        """Any program, in this test's surroundings; killed with its group when it takes too long."""
        if isinstance(stdin, bytes):
            more["stdin"] = subprocess.PIPE
        else:
            more["stdin"], stdin = stdin, None
        begin = time.monotonic()
        p = subprocess.Popen(
            argv,
            env=self.env(env),
            cwd=cwd or self.dir,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **more
        )
        code = None
        try:
            out, err = p.communicate(stdin, timeout)
            code = p.returncode
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            out, err = p.communicate()
            err += b"\n(killed after %d s by the test)" % timeout
        return Done(code, out, err, time.monotonic() - begin)

    def box(self, *args, **how):
        return self.command([self.glovebox, *args], **how)

    def run(self, *args, **how):
        return self.box("run", *args, **how)

    # ---- checks ----

    def ok(self, good, name, detail=""):
        return self.suite.say(bool(good), "%s: %s: %s" % (self.who, self.name, name), detail)

    def equal(self, got, want, name, detail=""):
        return self.ok(got == want, name, "got  %.1500r\nwant %.1500r\n%s" % (got, want, detail))

    def match(self, pattern, value, name):
        flags = re.S
        if isinstance(pattern, bytes) != isinstance(value, bytes):
            value = text(value)
        return self.ok(
            re.search(pattern, value, flags), name, "%r\nnot in\n%s" % (pattern, text(value))
        )

    def exits(self, done, code, name, out=None):
        """The exit status, and standard output where it is known."""
        good = done.code == code and (out is None or done.out == out)
        return self.ok(
            good,
            name,
            "want exit %s%s\n%s" % (code, "" if out is None else ", stdout %r" % out, done),
        )

    def refused(self, done, code, pattern, name):
        """One line on standard error that matches, nothing on standard output."""
        line = done.err.decode("utf-8", "backslashreplace")
        good = (
            done.code == code
            and line.count("\n") == 1
            and re.search(pattern, line)
            and not done.out
        )
        return self.ok(good, name, "want exit %s and one line with %r\n%s" % (code, pattern, done))

    def skip(self, name, why):
        must = os.environ.get("GLOVEBOX_MUST_JAIL") == "1" and not why.startswith(("needs root", "root reads", "no file"))
        return self.suite.say(
            not must, "%s: %s: %s" % (self.who, self.name, name), why, "" if must else why
        )

    def no_forks(self, done):
        """Where sessions cannot be forked; every jail with a private root can."""
        why = done.err.decode("utf-8", "backslashreplace").splitlines()[0]
        if os.environ.get("GLOVEBOX_BACKEND") or not self.has("userns", "root"):
            return self.skip("forks", "no forks here: " + why)
        return self.ok(False, "forks", done)

    def has(self, *layers):
        """Whether these layers hold here."""
        if self.suite.layers is None:
            doc = self.box("doctor", "--json", timeout=60).json
            self.suite.layers = {l["name"]: l["state"] for l in doc["layers"]}
            self.suite.layers["runs"] = "present" if doc["runs"] else "absent"
        return all(self.suite.layers.get(layer) == "present" for layer in layers)


def once(function):
    """For what does not depend on who one is: skips the second round."""
    function.once = True
    return function


def run_test(test, function):
    try:
        function(test)
    except Exception:
        test.ok(False, "the test itself", traceback.format_exc())
    finally:
        test.done()


def run_tests(suite, modules, words):
    for module in modules:
        for name, function in list(vars(module).items()):
            full = "%s.%s" % (module.__name__[5:], name[5:])
            if not name.startswith("test_") or not callable(function):
                continue
            if words and not any(word in "." + full for word in words):
                continue
            if (
                getattr(function, "once", False)
                and suite.who == "user"
                and os.environ.get("GLOVEBOX_BOTH")
            ):
                continue
            with running("%s: %s" % (suite.who, full)):
                run_test(Test(suite, full), function)
