#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Python front end against Python itself, in TAP: run.py [PART...], with $GLOVEBOX
(build/glovebox) and tests/feed beside it.

Each part can be run by itself with more to do, such as tests/python/mutants.py --count 100000.
"""

import importlib
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from tap import run_parts  # noqa: E402

PARTS = ("targets", "compile_errors", "dump", "generated", "mutants", "hostile")


def main():
    return run_parts({part: importlib.import_module(part).test for part in sys.argv[1:] or PARTS})


if __name__ == "__main__":
    sys.exit(main())
