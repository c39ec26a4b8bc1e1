#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tree of every file of the standard library and of its tests, attribute by attribute, is the
one that ast.dump(ast.parse(...), include_attributes=True) prints; what Python refuses is refused
with the same error at the same place. Through the library, and through `glovebox check --dump-ast`.
"""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import corpus  # noqa: E402
import oracle  # noqa: E402
from tap import alone, in_parts  # noqa: E402

COMMAND = 1  # 0: only through the library


def by_program(glovebox, path):
    """What the command prints for a file that Python accepts."""
    command = [glovebox, "check", "--dump-ast", "--target", "3.%d" % oracle.TARGET, path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout.decode().rstrip("\n") or "status %d: %r" % (done.returncode, done.stderr)


def difference(feed, glovebox, path):
    """None, or what is wrong."""
    program = corpus.read(path)
    theirs = oracle.parsed(program)
    try:
        ours = feed.verdict("d", program)
    except oracle.Crash as e:
        return "crash: %s" % e
    if not oracle.same(ours, theirs):
        return "ours   %r\ntheirs %r" % (ours[:6], theirs[:6])
    if ours.dump != theirs.dump:
        return oracle.first_difference(ours.dump, theirs.dump)
    if theirs.kind is None and glovebox:
        printed = by_program(glovebox, path)
        if printed != theirs.dump:
            return "check --dump-ast: " + oracle.first_difference(printed, theirs.dump)
    return None


def compare(paths):
    glovebox = COMMAND and (
        os.environ.get("GLOVEBOX") or os.path.join(oracle.ROOT, "build", "glovebox")
    )
    feed = oracle.Feed()
    found = [(path, difference(feed, glovebox, path)) for path in paths]
    feed.close()
    return found


def test(tap, command=1):
    global COMMAND
    COMMAND = command
    paths = corpus.files()
    wrong, size = [], 0
    for found in in_parts(compare, paths, 16):
        wrong += [pair for pair in found if pair[1]]
    size = sum(os.path.getsize(path) for path in paths)
    tap.note("%d files, %.1f MB, %d differ" % (len(paths), size / 1e6, len(wrong)))
    details = ["%s\n%s" % pair for pair in wrong[:20]]
    tap.ok(not wrong, "trees of the standard library (%d files)" % len(paths), *details)
    if corpus.has_tests(paths):
        tap.ok(len(paths) > 1500, "its tests are among them")
    else:
        tap.skip("its tests are among them", "they are not installed")


if __name__ == "__main__":
    alone(test, __doc__, command=1)
