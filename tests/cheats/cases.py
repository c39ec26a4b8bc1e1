# SPDX-License-Identifier: Apache-2.0
"""The same liars in front of cases, whose expected values stay outside."""

import os

import liars
from box import Box

EXPECTED = {1: 7919, 2: 5.5, 3: "secret-word", 4: [7919, 2], 6: {"a": 7919}, 5: {"$type": "tuple", "items": [7919, 2]},
            7: {"$type": "set", "items": [7919, 2]}, 8: True, 12: None}
# Values that are wrong as values of one type are right as those of another.
SAME = {12: "None", 8: "True"}
HONEST = """
def g(which, n):
    return {1: 7919, 2: 5.5, 3: 'secret-word', 4: [7919, 2], 5: (7919, 2), 6: {'a': 7919}, 7: {7919, 2}, 8: True, 12: None}[n]
"""


def case(k, n, **more):
    return dict({"name": "%d %d" % (k, n), "call": "g(%d, %d)" % (k, n), "expected": EXPECTED[n]}, **more)


def test(tap):
    every = 1 if os.environ.get("CHEATS") == "all" else 4
    wanted = [n for n in EXPECTED if n not in SAME]
    with Box() as box:
        tasks, kept = [], []
        for names, code in liars.candidates(False):
            some = [case(k, wanted[k % len(wanted)]) for k in range(0, len(names), every)]
            some += [dict(case(k, 2), tolerance=1e-6) for k in range(1, len(names), 4 * every)]
            tasks.append({"id": str(len(tasks)), "code": code, "func": "g", "cases": some, "timeout": 5})
            kept.append(names)
        results, done = box.suite(tasks)
        tap.equal(len(results), len(tasks), "each of %d tasks with %d cases has a result" % (
            len(tasks), sum(len(t["cases"]) for t in tasks)), done)
        for r in results:
            names = kept[int(r["id"])]
            tap.ok(r["passed"] == 0 and r["error"] is None, "no liar passes a case: %s to %s" % (names[0], names[-1]), r)
        results, done = box.suite([{"id": "honest", "code": HONEST, "func": "g", "cases": [case(0, n) for n in EXPECTED]}])
        tap.ok([r["all_passed"] for r in results] == [True], "an honest candidate passes the cases", results, done)
