#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The guard from outside, in TAP: run.py [PART...]. What it finds in the programs of routes/, nothing
in those of innocent/; the texts of its profiles (texts.py); text that comes before the program
(prelude.py); how often it parses a program (parses.py); how much it finds where there is nothing to
find (noise.py), how many honest programs it refuses (honest.py), how many programs that are made to get past it do
(bypasses.py); whether it knows the library (test_library). $GLOVEBOX names the program (build/glovebox)."""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import bypasses  # noqa: E402
import honest  # noqa: E402
import noise  # noqa: E402
import parses  # noqa: E402
import prelude  # noqa: E402
import programs  # noqa: E402
import texts  # noqa: E402
from tap import run_parts  # noqa: E402

QUIET = ("info", "low")  # severities that may be found on lines where nothing is expected


def shown(findings):
    return ["line %d: %s: %s" % (f["line"], f["rule"], f["message"]) for f in findings]


def numbered(text):
    return ["%3d  %s" % pair for pair in enumerate(text.rstrip("\n").split("\n"), 1)]


def decided(program):
    """What is wrong with the verdict itself; an empty list for nothing."""
    verdict, wrong = program.verdict, []
    if program.refused and (verdict["allowed"] or verdict["stage"] != program.refused):
        wrong.append("not refused by %s: %s" % (program.refused, verdict["stage"]))
    if program.allowed and not verdict["allowed"]:
        wrong.append("refused by %s: %s" % (verdict["stage"], verdict["reason"]))
    return wrong


def test_routes(tap):
    found = programs.read("routes")
    programs.judge(found)
    for p in found:
        wrong = decided(p)
        wrong += ["line %d lacks %s" % (n, ", ".join(sorted(r))) for n, r in p.missing()]
        loud = [f for f in p.unexpected() if f["severity"] not in QUIET]
        wrong += ["not expected: " + text for text in shown(loud)]
        rules = sorted(set().union(*p.expected.values())) if p.expected else ["(nothing)"]
        name = "%s: %s" % (p.name, ", ".join(rules))
        tap.ok(not wrong, name, *wrong, *shown(p.verdict["findings"]), *numbered(p.text))


def test_innocent(tap):
    found = programs.read("innocent")
    programs.judge(found)
    for p in found:
        wrong = decided(p) + shown(p.unexpected())
        wrong += ["line %d lacks %s" % (n, ", ".join(sorted(r))) for n, r in p.missing()]
        if not p.verdict["allowed"] and not p.refused:
            wrong.append("refused: %s" % p.verdict["reason"])
        tap.ok(not wrong, "innocent %s" % p.name, *wrong, *numbered(p.text))


def test_library(tap):
    """What tools/make-library reads in this Python's library is in the guard's file already."""
    name = "src/reading/policy/library.def has what Python %d.%d holds" % sys.version_info[:2]
    if not (3, 9) <= sys.version_info[:2] <= (3, 13):
        tap.skip(name, "needs Python 3.9 to 3.13")
        return
    tool = os.path.join(programs.ROOT, "tools", "make-library")
    done = subprocess.run([sys.executable, tool, "--check"], stdout=subprocess.PIPE, text=True)
    tap.ok(done.returncode == 0, name, done.stdout, "tools/make-library adds these rows")


PARTS = {
    "routes": test_routes,
    "innocent": test_innocent,
    "texts": texts.test,
    "prelude": prelude.test,
    "parses": parses.test,
    "bypasses": bypasses.test,
    "honest": honest.test,
    "library": test_library,
    "noise": noise.test,
}


if __name__ == "__main__":
    sys.exit(run_parts(PARTS, sys.argv[1:]))
