# SPDX-License-Identifier: Apache-2.0
"""Cases and tasks a second."""

import json
import os
import subprocess
import time

import common

CODE = "def add(a, b):\n    return a + b\n"
TESTS = {
    "cases": {"cases": [{"args": [i, 1], "expected": i + 1} for i in range(10)]},
    "code": {"entry_point": "add", "test": "def check(f):\n    for i in range(10): assert f(i, 1) == i + 1\n"},
}


def place(name, text):
    path = os.path.join(common.folder, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def seconds(*words):
    begin = time.monotonic()
    subprocess.run([common.BOX, "test", *words, "--log", "off", "--quiet"], env=common.ENV, check=True,
                   stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def judge():
    candidate = place("add.py", CODE)
    table = common.Table("Judging calls of a Python function", "a second")
    for count, how, flags in ((2000, "in one sandbox", ()), (common.ROUNDS, "a sandbox each", ("--isolate",))):
        cases = place("cases.jsonl", "".join(
            json.dumps({"args": [i, 1], "expected": i + 1}) + "\n" for i in range(count)))
        table.row("%d cases, %s" % (count, how), count / seconds(candidate, "--cases", cases, *flags))
    for kind, tests in TESTS.items():
        suite = place("suite.jsonl", "".join(
            json.dumps({"id": i, "code": CODE, **tests}) + "\n" for i in range(common.ROUNDS)))
        for jobs in (1, 2):
            table.row("tasks with ten calls, tested by %s, -j %d" % (kind, jobs),
                      common.ROUNDS / seconds("--suite", suite, "-j", str(jobs)))
