#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs as models write them print the same outside, cold, warm (twice) and as a cell of a session, in TAP:

    tests/compat/programs.py [NAME...]

Before a release, by hand; no part of make check, because it installs packages (programs.txt) from the package index. The
programs are the files of programs/. $GLOVEBOX names the program under test."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests", "python"), os.path.join(ROOT, "sdk", "python", "tests")]

import venvs  # noqa: E402
from tap import Tap  # noqa: E402

GLOVEBOX = os.path.abspath(os.environ.get("GLOVEBOX") or os.path.join(ROOT, "build", "glovebox"))
PATIENCE = 300
LIMITS = ["--timeout", "120s", "--memory", "2g", "--pids", "256"]
# What may differ: the places of files, marks below a line of a traceback, which need the file's text, and addresses.
SAME = ((rb"/[^\s\"']*/(?=main\.py)", b""), (rb"<cell \d+>", b"main.py"), (rb"(?m)^ +[~^]+\n", b""), (rb"0x[0-9a-f]{6,}", b"0x"))
# The exit status is a process's; a cell that raises or exits has ended with an exception.
IN_A_CELL = {"exit_status"}


def plain(data):
    for pattern, text in SAME:
        data = re.sub(pattern, text, data)
    return data.decode("utf-8", "replace")


def outcome(command, folder=None, more=None):
    variables = {"PATH": os.environ["PATH"], "HOME": folder or HERE, "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8", **(more or {})}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, timeout=PATIENCE)
    return plain(done.stdout), plain(done.stderr), done.returncode


class Daemon:
    """A daemon of this test's own, for warm runs and sessions."""

    def __init__(self, folder):
        self.more = {"GLOVEBOX_SOCKET": "unix:" + os.path.join(folder, "d.sock"), "HOME": folder}

    def __enter__(self):
        command = [GLOVEBOX, "serve", "--background", "--quiet", "--allow", "host-files", "--max-timeout", "200s", "--max-memory", "4g"]
        subprocess.run(command, env={**os.environ, **self.more}, check=True)
        return self

    def __exit__(self, *_):
        subprocess.run([GLOVEBOX, "serve", "--stop"], env={**os.environ, **self.more})


def run(python, program, *options, more=None):
    return outcome([GLOVEBOX, "run", "--quiet", "--no-check", "--python", python, *LIMITS, *options, program], more=more)


def in_session(python, program, more):
    opened = subprocess.run([GLOVEBOX, "session", "new", "--no-check", "--python", python, *LIMITS],
                            env={**os.environ, **more}, capture_output=True, text=True, check=True)
    try:
        return outcome([GLOVEBOX, "session", "exec", opened.stdout.strip(), program], more=more)
    finally:
        subprocess.run([GLOVEBOX, "session", "close", opened.stdout.strip()], env={**os.environ, **more}, capture_output=True)


def compare(tap, name, where, got, want):
    if where == "session" and name in IN_A_CELL:
        got, want = got[:1], want[:1]
    for part, was, should in zip(("stdout", "stderr", "status"), got, want):
        tap.equal(was, should, f"{name}: {where}: {part}")


def hold(tap, name, python, folder, daemon):
    program = os.path.join(folder, "main.py")
    shutil.copy(os.path.join(HERE, "programs", name + ".py"), program)
    with tempfile.TemporaryDirectory() as place:
        want = outcome([python, program], place)
    compare(tap, name, "cold", run(python, program, "--cold", "--no-daemon"), want)
    for turn in ("warm", "warm again"):
        compare(tap, name, turn, run(python, program, more=daemon.more), want)
    compare(tap, name, "session", in_session(python, program, daemon.more), want)


def main(names):
    tap = Tap()
    python = venvs.environment(tap, "compat", os.path.join(HERE, "programs.txt"))
    known = sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(HERE, "programs", "*.py")))
    unknown = set(names) - set(known)
    if unknown:
        sys.exit("there is no program %s; there are: %s" % (min(unknown), " ".join(known)))
    if python:
        with tempfile.TemporaryDirectory() as folder, Daemon(folder) as daemon:
            for name in names or known:
                hold(tap, name, python, folder, daemon)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
