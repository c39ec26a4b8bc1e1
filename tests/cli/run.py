#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the program from outside: run.py [WORD...] (`.run.` is those of test_run.py), with $GLOVEBOX (build/glovebox), in TAP.

As root each test runs twice: as root, and as an ordinary user. CLI_AS=root or CLI_AS=user runs one half."""

import glob
import importlib
import os
import shutil
import signal
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]
import box


def copy_programs(glovebox):
    """Where any user can reach them, and nobody builds them anew meanwhile."""
    folder = tempfile.mkdtemp(prefix="glovebox-programs-")
    os.chmod(folder, 0o755)
    for name in ("glovebox", "glovebox-jail", "glovebox-fetch", "glovebox-net", "glovebox-zygote.so"):
        shutil.copy(os.path.join(os.path.dirname(glovebox), name), folder)
    return folder


def as_user(glovebox, folder, modules, words, number):
    """A child that is nobody in particular; returns how many checks it made and how many failed."""
    read, write = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.environ["GLOVEBOX_BOTH"] = "1"
        os.chdir("/")
        os.setgroups([])
        os.setresgid(box.ORDINARY, box.ORDINARY, box.ORDINARY)
        os.setresuid(box.ORDINARY, box.ORDINARY, box.ORDINARY)
        suite = box.Suite(glovebox, folder, "user", sys.stdout.buffer, number)
        try:
            box.run_tests(suite, modules, words)
        finally:
            os.write(write, b"%d %d" % (suite.number, suite.failed))
            os._exit(0)
    os.close(write)
    with open(read, "rb") as f:
        counts = f.read().split()
    os.waitpid(pid, 0)
    return (int(counts[0]), int(counts[1])) if counts else (number, 1)


def main(words):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    glovebox = os.path.abspath(
        os.environ.get("GLOVEBOX") or os.path.join(box.ROOT, "build", "glovebox")
    )
    names = sorted(os.path.basename(p)[:-3] for p in glob.glob(os.path.join(box.HERE, "test_*.py")))
    modules = [importlib.import_module(name) for name in names]
    os.umask(0o022)
    root, half = os.geteuid() == 0, os.environ.get("CLI_AS", "")
    if not root and half == "user":
        print("ok 1 - as a user # SKIP CLI_AS=root runs these tests as this user\n1..1")
        return 0
    folder = copy_programs(glovebox)
    program = os.path.join(folder, "glovebox")
    homes = [box.make_folder(owner) for owner in ((0, box.ORDINARY) if root else (os.geteuid(),))]
    number = failed = 0
    half = half if root else "root"
    try:
        if half != "user":
            suite = box.Suite(program, homes[0], "root" if root else "user", sys.stdout.buffer)
            box.run_tests(suite, modules, words)
            number, failed = suite.number, suite.failed
        if half != "root":
            number, more = as_user(program, homes[1], modules, words, number)
            failed += more
        if half:
            number += 1
            print("ok %d - the other half # SKIP %s" % (number, "CLI_AS says so" if root else "needs root to become another user"))
        print("1..%d" % number)
        return 1 if failed or not number else 0
    finally:
        for each in (folder, *homes):
            shutil.rmtree(each, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
