#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Programs in each language: input, arguments, status, exception, memory, time, errors of the compiler; and what a
hostile program may try while it is compiled.

    tests/languages/run.py [PART...]    a language, or cache, attacks, judge, rows

A language whose tools are missing is skipped by name. Nothing is read from or written to the caller's own cache.
"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import attacks  # noqa: E402
import cache  # noqa: E402
import judge  # noqa: E402
import rows  # noqa: E402
from box import Box  # noqa: E402
from programs import LANGUAGES  # noqa: E402
from tap import run_parts  # noqa: E402
from usual import part_of  # noqa: E402


def main():
    box = Box()
    parts = {language.name: part_of(box, language) for language in LANGUAGES}
    for module in (cache, attacks, judge, rows):
        parts[module.__name__] = lambda tap, test=module.test: test(tap, box)
    try:
        return run_parts(parts, sys.argv[1:])
    finally:
        box.close()


if __name__ == "__main__":
    sys.exit(main())
