#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The limits of a run, each enforced from outside and reported as itself. One file a limit.

    tests/limits/run.py [NAME...]    all of them, or those named (wall, cpu, memory, ...)

As root every limit is tried twice, by root and by an ordinary user.
"""
import importlib
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from harness import Sandbox, Tap, identities  # noqa: E402

NAMES = ["wall", "cpu", "memory", "pids", "disk", "files", "output", "share", "none", "hosts"]


def main():
    tap, sandbox = Tap(), Sandbox()
    try:
        for name in sys.argv[1:] or NAMES:
            module = importlib.import_module(name)
            if hasattr(module, "test_host"):
                module.test_host(tap, sandbox)
                continue
            for identity in identities():
                module.test(tap, sandbox.user(identity))
    finally:
        sandbox.close()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
