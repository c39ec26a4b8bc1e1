#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The limits of a run, each enforced from outside and reported as itself. One file a limit.

    tests/limits/run.py [NAME...]    all of them, or those named (wall, cpu, memory, ...)

As root every limit is tried twice, by root and by an ordinary user.
"""
import importlib
import os
import sys
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from harness import Sandbox, Tap, identities  # noqa: E402

NAMES = ["wall", "ends", "cpu", "memory", "pids", "disk", "files", "output", "share", "none",
         "hidden", "idle", "kernel", "hosts"]


def test(tap, sandbox, module):
    if hasattr(module, "test_host"):
        module.test_host(tap, sandbox)
        return
    for identity in identities():
        module.test(tap, sandbox.user(identity))


def main():
    tap, sandbox = Tap(), Sandbox()
    try:
        for name in sys.argv[1:] or NAMES:
            try:
                test(tap, sandbox, importlib.import_module(name))
            except Exception as e:  # one part's failure is not the others'
                tap.ok(False, f"{name} goes to its end", repr(e), *traceback.format_tb(e.__traceback__))
    finally:
        sandbox.close()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
