#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Programs out of the generator: the same tree as Python's, attribute by attribute, and the same
verdict as compile()'s.

    tests/python/generated.py [--count N] [--seed N] [--first N]

The language is that of the Python that runs this (3.11 to 3.14). `generated.py --print SEED N`
shows one program.
"""

import os
import sys
from collections import Counter

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import oracle  # noqa: E402
from generator import Generator  # noqa: E402
from tap import alone, in_parts  # noqa: E402


def program_of(seed, number):
    return Generator("%d %d" % (seed, number), oracle.TARGET).program()


def difference(feed, program):
    """Whether Python accepts it, and None or what is wrong with ours."""
    tree, code = oracle.parsed(program), oracle.compiled(program)
    right = tree.kind is None
    try:
        ours, checked = feed.verdict("d", program), feed.verdict("c", program)
    except oracle.Crash as e:
        return right, "crash: %s" % e
    if ours.dump != tree.dump and right and ours.kind is None:
        return right, oracle.first_difference(ours.dump, tree.dump)
    if ours[:6] != tree[:6]:
        return right, "parse: ours   %r\ntheirs %r" % (ours[:6], tree[:6])
    if checked[:6] != code[:6]:
        return right, "compile: ours   %r\ntheirs %r" % (checked[:6], code[:6])
    if code.kind is None and set(checked.warnings) != set(code.warnings):
        return right, "warnings: ours   %r\ntheirs %r" % (checked.warnings, code.warnings)
    return right, None


def compare(numbers):
    feed, counts, found = oracle.Feed(), Counter(), []
    for seed, number in numbers:
        program = program_of(seed, number)
        right, what = difference(feed, program)
        counts.update(right=right, bytes=len(program))
        if what:
            found.append("number %d: %s" % (number, what))
    feed.close()
    return counts, found


def test(tap, count=3000, seed=1, first=0):
    counts, found = Counter(), []
    for some, more in in_parts(compare, [(seed, n) for n in range(first, first + count)], 100):
        counts.update(some)
        found += more
    tap.note("%d programs (%d right), %d kB" % (count, counts["right"], counts["bytes"] / 1000))
    tap.ok(counts["right"] > 0.9 * count, "most generated programs are right")
    tap.ok(not found, "trees of generated programs: %d differ" % len(found), *found[:20])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--print"]:
        sys.stdout.buffer.write(program_of(int(sys.argv[2]), int(sys.argv[3])))
    else:
        alone(test, __doc__, count=3000, seed=1, first=0)
