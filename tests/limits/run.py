#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The limits of a run, each enforced from outside and reported as itself. One file a limit.

    tests/limits/run.py [NAME...]    all of them, or those named (wall, cpu, memory, ...)

As root every limit is tried twice, by root and by an ordinary user. LIMITS_AS=root or LIMITS_AS=user is one half.
"""
import importlib
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

from harness import Sandbox, identities  # noqa: E402
from tap import run_parts  # noqa: E402

NAMES = ["wall", "ends", "cpu", "memory", "pids", "disk", "files", "output", "share", "none",
         "hidden", "idle", "kernel", "counted", "metadata", "connections", "shown", "together",
         "hosts", "binds"]


def part(sandbox, name):
    module = importlib.import_module(name)

    def test(tap):
        if hasattr(module, "test_host"):
            module.test_host(tap, sandbox)
            return
        for identity in identities():
            module.test(tap, sandbox.user(identity))

    test.__module__ = name
    return test


def main():
    sandbox = Sandbox()
    try:
        return run_parts({name: part(sandbox, name) for name in sys.argv[1:] or NAMES})
    finally:
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
