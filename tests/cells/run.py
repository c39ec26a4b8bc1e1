#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sessions' guests from outside, in TAP: run.py [NAME...]. Each file here that ends in _cells.py has test(tap), and
talks to an interpreter as the host does (driver.py)."""

import glob
import importlib
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

from tap import run_parts  # noqa: E402


def main():
    found = sorted(os.path.basename(path)[:-len("_cells.py")] for path in glob.glob(os.path.join(HERE, "*_cells.py")))
    return run_parts({name: importlib.import_module(name + "_cells").test for name in found}, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
