#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What share of honest programs each profile refuses. The programs are those in a folder (*.py, and *.jsonl.gz with
prompts and solutions, as HumanEval has them), 2 000 of them at most, spread over it; without a folder, 600 files of
the standard library. The rules of FEW find what honest programs rarely do: they may be the only reason to refuse
fewer than 1 % of them in profile `strict`.

    tests/guard/honest.py [--folder FOLDER] [--show 1]      the table; what the rules of FEW refuse alone
"""

import glob
import gzip
import json
import os
import random
import sys
from collections import Counter

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import corpus  # noqa: E402
import programs  # noqa: E402
from bypasses import PROFILES  # noqa: E402
from tap import alone  # noqa: E402

MANY, FEWER = 2000, 600
MOST = 1.0  # percent
FEW = {"module-handed-on", "made-name", "namespace-lookup"}  # rules that are right rarely


def compiles(text):
    try:
        compile(text, "<honest>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def solutions(path):
    with gzip.open(path, "rt", encoding="utf-8") as f:
        tasks = [json.loads(line) for line in f]
    return [("%s %d" % (path, i), (t["prompt"] + t["canonical_solution"]).encode()) for i, t in enumerate(tasks)]


def in_folder(folder):
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "**", "*"), recursive=True)):
        if path.endswith(".jsonl.gz"):
            found += solutions(path)
        elif path.endswith(".py"):
            found.append((path, corpus.read(path)))
    return found


def installed():
    paths = [p for p in corpus.files() if "/test/" not in p and "/tests/" not in p]
    return [(p, corpus.read(p)) for p in paths]


def chosen(folder):
    """Programs that compile and do something."""
    found = [(n, t) for n, t in (in_folder(folder) if folder else installed()) if t.strip()]
    random.Random(2).shuffle(found)
    few = [pair for pair in found if len(pair[1]) < 200000 and compiles(pair[1])]
    return few[: MANY if folder else FEWER]


def reasons(verdict):
    return {f["rule"] for f in verdict["findings"] if f["refuses"]}


def test(tap, folder="", show=0):
    found = chosen(folder)
    few = Counter()
    for profile in PROFILES if folder else PROFILES[:1]:
        verdicts = programs.check([t for _, t in found], "--profile", profile)
        refused = [(n, v) for (n, _), v in zip(found, verdicts) if not v["allowed"]]
        alone_for = [(n, v) for n, v in refused if reasons(v) <= FEW]
        few[profile] = 100 * len(alone_for) / len(found)
        numbers = (profile, 100 * len(refused) / len(found), len(found), few[profile])
        tap.note("%-12s refuses %5.1f %% of %d, %.2f %% for the rules of FEW alone" % numbers)
        for name, v in alone_for if show else ():
            for f in v["findings"]:
                if f["refuses"]:
                    tap.note("    %s:%d: %s: %s" % (name, f["line"], f["rule"], f["message"]))
    tap.ok(few["strict"] < MOST, "strict refuses few honest programs for %s" % ", ".join(sorted(FEW)))


if __name__ == "__main__":
    alone(test, __doc__, folder="", show=0)
