#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""CPython's own tests, inside a jail and outside, compared test by test, in TAP:

    tests/compat/cpython.py [--all] [--minutes N] [--jobs N] [MODULE...]

For a release, by hand; no part of make check. Without a MODULE: those that touch the operating system; --all: every one.
Needs the test package of /usr/bin/python3 (Debian: libpython3-testsuite). A difference is a failure, unless
cpython.known lists it with its reason; a module that differs is run once more first. After each module, its known
differences are printed by reason. A module that does not end outside says nothing and is skipped. After N minutes (30)
what is left is skipped. $GLOVEBOX names the program."""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "python"))

from tap import Tap  # noqa: E402

PYTHON = "/usr/bin/python3"
GLOVEBOX = os.path.abspath(os.environ.get("GLOVEBOX") or os.path.join(ROOT, "build", "glovebox"))
NOBODY = 31415  # a user that nobody is
LIMIT_S = 120  # of a module
MODULES = """
    asyncio builtin cmd_line concurrent_futures contextlib ctypes dbm_dumb email eintr epoll fcntl file file_eintr fileio
    fileinput fork1 ftplib gc getpass glob grp gzip httplib httpservers import io json largefile logging mailbox mmap
    multiprocessing_fork multiprocessing_spawn openpty os pathlib pickle pipes platform poll popen posix posixpath pty pwd
    queue random readline resource runpy sched select selectors shelve shutil signal smtplib socket sqlite3 stat subprocess
    sys tarfile tempfile threadedtempfile threading threadsignals time tty unicode_file urllib2_localnet uuid wait3 wait4
    xmlrpc zipfile""".split()

# The same text on both sides. What a test prints is its own; the outcomes go into a file.
PROGRAM = """
import json, sys, unittest
from test import support

class Outcomes(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.of = {}
    def note(self, test, outcome):
        if self.of.get(test.id()) != 'failed':
            self.of[test.id()] = outcome
    def addSuccess(self, test):
        self.note(test, 'ok')
    def addExpectedFailure(self, test, error):
        self.note(test, 'ok')
    def addUnexpectedSuccess(self, test):
        self.note(test, 'failed')
    def addSkip(self, test, reason):
        self.note(test, 'skipped')
    def addError(self, test, error):
        self.note(test, 'failed')
        print(test.id(), self._exc_info_to_string(error, test), file=sys.stderr)
    addFailure = addError
    def addSubTest(self, test, part, error):
        if error is not None:
            self.addError(test, error)

support.use_resources = []
outcomes = Outcomes()
if __name__ == '__main__':
    try:
        unittest.defaultTestLoader.loadTestsFromName('test.test_' + NAME).run(outcomes)
    except unittest.SkipTest:
        outcomes.of['module'] = 'skipped'
    with open('outcomes.json', 'w') as f:
        json.dump(outcomes.of, f)
"""
VARIABLES = {"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}


def read_known():
    """[(pattern, reason)]: a reason holds for the indented patterns below it."""
    known, reason = [], ""
    with open(os.path.join(HERE, "cpython.known")) as f:
        for line in f:
            if line.startswith("#") or not line.strip():
                continue
            if line.startswith(" "):
                known.append((line.strip(), reason))
            else:
                reason = line.strip()
    return known


def copy_programs(folder):
    """Where any user can reach them; a build may lie in a private home."""
    for name in ("glovebox", "glovebox-jail", "glovebox-zygote.so"):
        shutil.copy(os.path.join(os.path.dirname(GLOVEBOX), name), folder)
    os.chmod(folder, 0o755)
    return os.path.join(folder, "glovebox")


def as_user():
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def read_outcomes(folder):
    try:
        with open(os.path.join(folder, "outcomes.json")) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def own(folder):
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    return folder


def heed_signals():
    """A shell's background job ignores these; a guest never does."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def outside(folder, name):
    """The outcomes by test, or None where there are none."""
    home = own(tempfile.mkdtemp(dir=folder))
    env = dict(VARIABLES, PATH="/usr/local/bin:/usr/bin:/bin", HOME=home, TMPDIR=home)
    with open(os.path.join(home, "main.py"), "w") as f:
        f.write("NAME = %r\n" % name + PROGRAM)
    p = subprocess.Popen([PYTHON, "main.py"], cwd=home, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=heed_signals, **as_user())
    try:
        p.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, 9)
        p.wait()
    return read_outcomes(home)


def inside(glovebox, folder, name):
    out = own(tempfile.mkdtemp(dir=folder))
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": out, "TMPDIR": "/tmp"}
    limits = ["--timeout", "%ds" % LIMIT_S, "--cpu-time", "0", "--memory", "2g", "--disk", "1g", "--pids", "512"]
    p = subprocess.run([glovebox, "run", "--no-daemon", "--no-check", "--log", "off", "--json", "--out", out, *limits,
                        "-c", "NAME = %r\n" % name + PROGRAM],
                       env=env, stdin=subprocess.DEVNULL, capture_output=True, **as_user())
    try:
        result = json.loads(p.stdout)
        said = (result["stderr"] or result["verdict"]["reason"] or "")[-3000:]
    except (ValueError, KeyError):
        said = p.stderr.decode(errors="replace")[-3000:]
    return read_outcomes(out), said


def differences(glovebox, name):
    """{test: (outside, inside)}, how many were compared, and what was printed inside; None for a module that did not end."""
    folder = tempfile.mkdtemp(prefix="glovebox-compat-")
    os.chmod(folder, 0o755)
    try:
        here, (there, said) = outside(folder, name), inside(glovebox, folder, name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if here is None or there is None:
        return {"module": ("ended" if here else "did not end", "ended" if there else "did not end")}, 0, said
    tests = sorted(set(here) | set(there))
    pairs = {test: (here.get(test, "absent"), there.get(test, "absent")) for test in tests}
    return {test: pair for test, pair in pairs.items() if pair[0] != pair[1]}, len(tests), said


def is_known(known, name, test):
    return next((row for row in known if fnmatch.fnmatch(name + " " + test, row[0])), None)


def compare(glovebox, known, name, deadline):
    if time.monotonic() > deadline:
        return name, None, 0, ""
    found, count, said = differences(glovebox, name)
    if not all(is_known(known, name, test) for test in found) and time.monotonic() < deadline:
        again, count, said = differences(glovebox, name)
        found = {test: pair for test, pair in again.items() if test in found}
    return name, found, count, said


def judge(tap, known, used, name, found, count, said):
    if found is None:
        tap.skip(name, "the time is up")
        return
    if found.get("module", ("", ""))[0] == "did not end":
        tap.skip(name, "does not end in %d s outside" % LIMIT_S)
        return
    new, reasons = {}, collections.Counter()
    for test, (here, there) in found.items():
        row = is_known(known, name, test)
        if row:
            used.add(row)
            reasons[row[1]] += 1
        else:
            new[test] = "%s: outside %s, inside %s" % (test, here, there)
    known_count = len(found) - len(new)
    tap.ok(not new, "%s: %d tests, %d known to differ" % (name, count, known_count), *new.values(), *([said] if new else []))
    for reason, n in reasons.items():
        print("# %s: %d: %s" % (name, n, reason))


def all_modules():
    listed = subprocess.run([PYTHON, "-m", "test", "--list-tests"], capture_output=True, text=True).stdout.split()
    return [name[len("test_"):] for name in listed if name.startswith("test_")]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("modules", nargs="*")
    options = parser.parse_args()
    tap, known, used = Tap(), read_known(), set()
    if subprocess.run([PYTHON, "-c", "import test.test_os"], stderr=subprocess.DEVNULL).returncode != 0:
        tap.skip("CPython's tests", "no test package (libpython3-testsuite)")
        return tap.done()
    names = options.modules or (all_modules() if options.all else MODULES)
    deadline = time.monotonic() + options.minutes * 60
    with tempfile.TemporaryDirectory(prefix="glovebox-programs-") as programs, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        glovebox = copy_programs(programs)
        for answer in pool.map(lambda name: compare(glovebox, known, name, deadline), names):
            judge(tap, known, used, *answer)
    if options.all:
        for pattern, reason in known:
            if (pattern, reason) not in used:
                print("# not seen: %s (%s)" % (pattern, reason))
    return tap.done()


sys.exit(main())
