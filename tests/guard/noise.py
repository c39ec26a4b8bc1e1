#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the guard finds in code that people wrote for good reasons: the 200 largest files of the
standard library, rule by rule, with all stages looked at. noise.limits holds how much each rule may
find in 1 000 lines, so that noise cannot grow unnoticed.

    tests/guard/noise.py [--write 1]    prints the table (and writes noise.limits anew)
"""

import os
import sys
from collections import Counter

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import corpus  # noqa: E402
import programs  # noqa: E402
from tap import alone  # noqa: E402

LIMITS = os.path.join(HERE, "noise.limits")
FILES = 200
SLACK = 1.2  # other patch levels of the library may find somewhat more


def largest():
    """Without the library's tests, which are dangerous on purpose."""
    paths = [p for p in corpus.files() if "/test/" not in p and "/tests/" not in p]
    paths.sort(key=lambda p: (-os.path.getsize(p), p))
    return paths[:FILES]


def read_limits():
    limits = {}
    with open(LIMITS, encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                rule, most = line.split()
                limits[rule] = float(most)
    return limits


def write_limits(rates):
    with open(LIMITS, "w", encoding="utf-8") as f:
        f.write("# SPDX-License-Identifier: Apache-2.0\n")
        f.write("# rule, findings in 1 000 lines of the library's largest files (see noise.py)\n")
        for rule in sorted(rates):
            f.write("%-28s %.3f\n" % (rule, rates[rule]))


def count():
    """Findings by rule and by (rule, stage), and thousands of lines."""
    texts = [corpus.read(path) for path in largest()]
    found, files = Counter(), Counter()
    for stages in ("input,syntax,imports", "patterns"):
        for verdict in programs.check(texts, "--profile", "strict", "--stages", stages):
            rules = [f["rule"] for f in verdict["findings"]]
            found.update(rules)
            files.update(set(rules))
    return found, files, sum(t.count(b"\n") for t in texts) / 1000


def test(tap, write=0):
    found, files, thousands = count()
    rates = {rule: n / thousands for rule, n in found.items()}
    head = ("%.0f 000 lines" % thousands, "findings", "per 1 000", "files")
    tap.note("%-28s %9s %12s %6s" % head)
    for rule, n in found.most_common():
        tap.note("%-28s %9d %12.3f %6d" % (rule, n, rates[rule], files[rule]))
    if write:
        write_limits(rates)
    limits = read_limits()
    loud = [
        "%s: %.3f of 1 000 lines, at most %.3f were expected" % (r, rates[r], limits.get(r, 0))
        for r in rates
        if rates[r] > SLACK * limits.get(r, 0) + 0.02
    ]
    tap.ok(not loud, "no rule is noisier than it was", *loud)


if __name__ == "__main__":
    alone(test, __doc__, write=0)
