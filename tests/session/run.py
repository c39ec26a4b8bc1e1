#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sessions from outside, in TAP: run.py [PART...], with $GLOVEBOX (build/glovebox), the helper and
tests/session-feed beside it."""

import importlib
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "python")]

from tap import run_parts  # noqa: E402

PARTS = ("cells", "ends", "files", "tools", "turns", "guard", "languages", "ready", "hostile", "forks", "tries")


def main():
    return run_parts({part: importlib.import_module("session_" + part).test for part in sys.argv[1:] or PARTS})


if __name__ == "__main__":
    sys.exit(main())
