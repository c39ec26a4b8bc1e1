# SPDX-License-Identifier: Apache-2.0
"""tests/run-tap names what ran when a suite dies."""

import os
import re
import shutil
import sys

from box import ROOT, once

TESTS = os.path.join(ROOT, "tests")
PYTHON = """#!%s
import os, signal, sys, time
sys.path.insert(0, %r)
from tap import running, run_parts

def test_inner(tap):
    tap.ok(True, "the inner check")
    %s
    tap.ok(True, "the last check")

def test_before(tap):
    tap.ok(True, "the first check")

def test(tap):
    test_before(tap)
    with running("a phase"):
        test_inner(tap)
    tap.ok(True, "after the phase")

def other(tap):
    tap.ok(True, "the other part's check")

def cut(tap):
    raise SystemExit(3)

sys.exit(run_parts({"one": test, "two": other, **({"cut": cut} if %r else {})}))
"""
C = """#include <signal.h>
#include "tap.h"
static void test_good(void) { OK(1, "a check"); }
static void test_bad(int number) { OK(1, "its check"); raise(number); }
int main(void) { RUN(test_good()); RUN(test_bad(SIGKILL)); return tap_done(); }
"""
# How the suite ends in test_inner, whether a part leaves by SystemExit, and the line that run-tap begins with.
ENDS = {
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", False,
               r"not ok - killed ended early \(exit status 137, planned nothing, ran 2\) in one / a phase / test_inner, "
               r"after 'ok 2 - the inner check'"),
    "hung": ("time.sleep(600)", False,
             r"not ok - hung ended early \(stopped after 2 s, planned nothing, ran 2\) in one / a phase / test_inner, "
             r"after 'ok 2 - the inner check'"),
    "raised": ("raise ValueError('its text')", False,
               r"not ok 3 - one goes to its end\n# ValueError\('its text'\)\n(#.*\n)*FAIL raised: 3 passed, 1 failed"),
    "left": ("pass", True,
             r"not ok - left ended early \(exit status 3, planned nothing, ran 5\) in cut, after 'ok 5 - the other part"),
    "whole": ("pass", False, r"ok whole: 5 passed, 0 failed, 0 skipped, \d+\.\d s\n$"),
}


def run_tap(t, path):
    done = t.command([os.path.join(TESTS, "run-tap"), path], env={"TAP_TIMEOUT": "2"})
    t.ok(b"# begins" not in done.out and b"# ends" not in done.out, "what begins is not shown", done)
    return done


@once
def test_python(t):
    for name, (end, leaves, pattern) in ENDS.items():
        text = PYTHON % (sys.executable, os.path.join(TESTS, "python"), end, leaves)
        done = run_tap(t, t.write(name, text, mode=0o755))
        t.match(r"^" + pattern, done.out.decode(), name)
        t.equal(done.code, 0 if name == "whole" else 1, "status of " + name)
        t.equal(done.out.endswith(b"\nagain alone: %s\n" % os.path.join(t.dir, name).encode()), name != "whole",
                "what repeats one that failed")
        if name == "hung":
            t.match(rb"line 8 in test_inner", done.out, "and where it was")


@once
def test_several(t):
    """Several may run at once, and end in any order."""
    lines = ["# begins a", "# begins a / x", "# begins b", "# begins c", "ok 1 - a check", "# ends b", "# ends a / x"]
    done = run_tap(t, t.write("several", "#!/bin/sh\ncat <<'END'\n%s\nEND\nkill -9 $$\n" % "\n".join(lines), mode=0o755))
    t.match(rb"ran 1\) in a, c, after 'ok 1 - a check'", done.out, "those that had not ended")
    done = run_tap(t, t.write("none", "#!/bin/sh\nkill -9 $$\n", mode=0o755))
    t.match(rb"ran 0\) after 'its start'", done.out, "nothing had begun")


@once
def test_c(t):
    cc = shutil.which(os.environ.get("CC", "gcc")) or shutil.which("cc")
    if not cc:
        return t.skip("a program in C", "no file cc")
    source, program = t.write("dies.c", C), t.path("here", "dies")
    t.exits(t.command([cc, "-I", TESTS, "-o", program, source]), 0, "it is built")
    done = run_tap(t, program)
    t.match(rb"\(exit status 137, planned nothing, ran 2\) in test_bad, after 'ok 2 - its check'", done.out, "its test")
