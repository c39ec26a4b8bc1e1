#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Candidates that would rather pass than be right, in TAP: run.py [PART...]. None may pass, and their honest twins all
must. $CHEATS=all runs every hook at every place, also in metaclasses; without it each place meets a part of them.
$GLOVEBOX names the program (build/glovebox)."""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tests", "python")]

import cases  # noqa: E402
import forms  # noqa: E402
import honest  # noqa: E402
import liars  # noqa: E402
import names  # noqa: E402
import objects  # noqa: E402
import places  # noqa: E402
import programs  # noqa: E402
from box import Box  # noqa: E402
from tap import run_parts  # noqa: E402

ALL = os.environ.get("CHEATS") == "all"
BATCH = 1500  # tests in one task


def texts_of(count, found, offset):
    """Tests for so many liars: every pair of liar and place, or a part in which each place and each liar is."""
    every = 1 if ALL or offset == 0 else 24
    return ["K = %d\n%s" % (k, found[p]) for k in range(count) for p in range(len(found)) if (7 * k + p) % every == 0]


def in_tasks(name, code, texts):
    for at in range(0, len(texts), BATCH):
        yield {"task_id": name, "sample": at, "code": code, "func": "g", "test_list": texts[at:at + BATCH], "timeout": 300,
               "setup": places.SETUP}


def passed_alone(box, code, texts):
    """Which of the tests pass, each by itself."""
    tasks = [dict(next(in_tasks(str(i), code, [text])), timeout=20) for i, text in enumerate(texts)]
    return [texts[int(r["id"])] for r in box.suite(tasks)[0] if r["all_passed"]]


def test_liars(tap):
    with Box() as box:
        found, tasks, kept = places.places(box.has_numpy()), [], []
        for offset, (names_of, code) in enumerate(liars.candidates(ALL)):
            texts = texts_of(len(names_of), found, offset)
            kept.append((names_of, code, texts))
            tasks.extend(in_tasks(str(offset), code, texts))
        results, done = box.suite(tasks, timeout=3600)
        tap.equal(len(results), len(tasks), "each of %d tasks with %d liars and %d tests has a result" % (
            len(tasks), sum(len(n) for n, _, _ in kept), sum(len(t) for _, _, t in kept)), done)
        for number, (names_of, code, texts) in enumerate(kept):
            mine = [r for r in results if r["id"] == str(number)]
            bad = [r for r in mine if r["passed"] or r["error"] or "Timeout after" in r["detail"]]
            tap.ok(mine and not bad, "no liar passes: %s to %s" % (names_of[0], names_of[-1]), bad,
                   *(named(names_of, text) for text in (passed_alone(box, code, guilty(bad, texts)) if bad else ())))


def guilty(bad, texts):
    """The tests of the tasks in which something passed; not so many that finding out takes longer than anyone waits."""
    return [text for r in bad for text in texts[r["sample"]:r["sample"] + BATCH]][:BATCH]


def named(names_of, text):
    return names_of[int(text.partition("\n")[0][4:])] + ": " + text


def test_honest(tap):
    with Box() as box:
        found = places.places(box.has_numpy())
        for name, code in (("plain", places.HONEST), ("derived", places.DERIVED)):
            texts = ["K = %d\n%s" % (k, text) for k in (0, 1) for text in found]
            results, done = box.suite(in_tasks(name, code, texts))
            good = results and all(r["all_passed"] and r["trustworthy"] and r["error"] is None for r in results)
            tap.ok(good, "an honest candidate passes all %d tests (%s)" % (len(texts), name), results, done,
                   *(() if good else sorted(set(texts) - set(passed_alone(box, code, texts)))))


PARTS = {"honest": test_honest, "liars": test_liars, "names": names.test, "objects": objects.test, "cases": cases.test, "forms": forms.test, "corpus": honest.test, "programs": programs.test}

if __name__ == "__main__":
    sys.exit(run_parts(PARTS, sys.argv[1:]))
