#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The versions of the language: tests/python/targets/ holds small programs and what Python 3.11,
3.12, 3.13 and 3.14 say of each; ours says the same under each --target.

    tests/python/targets.py [--only NAME] [--show N]
"""

import glob
import os
import sys
from collections import Counter

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "targets")]

import oracle  # noqa: E402
import record  # noqa: E402
from tap import alone  # noqa: E402

# The words of errors follow 3.11; later versions reworded some, and those we do not all follow.
SAME_WORDS = 0.90


def recorded(path):
    """For each program what each version says: {target: [[what, field...], ...]}."""
    found = []
    with open(path, encoding="utf-8") as f:
        for line in f.read().split("\n")[:-1]:
            if line.startswith("# "):
                found.append({})
                continue
            version, what, *rest = line.split("\t")
            target = int(version[2:])
            lines = found[-1].setdefault(target, [])
            if what == "same":
                lines += found[-1][target - 1]
            else:
                lines.append([what, *rest])
    return found


def said(feed, program):
    """What ours says, in the same form."""
    tree, whole = feed.verdict("d", program), feed.verdict("c", program)
    if tree.kind:
        return [["parser", *map(str, tree[:6])]]
    lines = [["tree", tree.dump]]
    if whole.kind:
        return lines + [["compiler", *map(str, whole[:6])]]
    told = sorted({(line, kind, text) for kind, line, text in whole.warnings})
    return lines + [["warning", *map(str, w)] for w in told]


def judge(ours, theirs):
    """The first thing that differs, or None."""
    refused = ("parser", "compiler")
    if (ours[-1][0] in refused) != (theirs[-1][0] in refused):
        return "verdict"
    if ours[0][0] == theirs[0][0] == "tree" and ours[0] != theirs[0]:
        return "tree"
    if ours[-1][0] not in refused:
        return None if ours[1:] == theirs[1:] else "warnings"
    # Which stage of Python refuses what has changed with its versions.
    mine, its = ours[-1], theirs[-1]
    if mine[2] != its[2]:
        return "line"
    if mine[6:] != its[6:] or mine[1] != its[1]:
        return "words"
    return None if mine[3] == its[3] else "offset"


def short(lines):
    return " | ".join(" ".join(fields)[:400] for fields in lines)


def compare(tap, name, target, programs, theirs):
    """One file under one version."""
    feed, counts, details = oracle.Feed(target), Counter(), []
    for number, (program, its) in enumerate(zip(programs, theirs), 1):
        try:
            ours = said(feed, program.encode())
            what = judge(ours, its[target])
        except oracle.Crash as e:
            ours, what = [[str(e)]], "crash"
        if not what:
            continue
        counts[what] += 1
        if what == "tree":
            its_text, our_text = its[target][0][1], ours[0][1]
            text = oracle.first_difference(our_text, its_text)
        else:
            text = "ours   %s\ntheirs %s" % (short(ours), short(its[target]))
        details.append((what, "%s of program %d: %r\n%s" % (what, number, program[:200], text)))
    feed.close()
    where = "%s under 3.%d" % (name, target)
    for what in ("crash", "verdict", "tree", "warnings"):
        own = [text for kind, text in details if kind == what]
        tap.ok(not own, "%s: %s" % (where, what), *own)
    rest = [text for kind, text in details if kind in ("line", "words", "offset")]
    good = counts["line"] + counts["words"] <= (1 - SAME_WORDS) * len(programs)
    tap.ok(good, "%s: lines and words of errors (%d differ)" % (where, len(rest)), *rest)
    return counts


def test(tap, only=""):
    counts = Counter()
    for path in sorted(glob.glob(os.path.join(HERE, "targets", "*.dump"))):
        name = os.path.basename(path)[:-5]
        if only not in name:
            continue
        with open(path[:-5] + ".py", encoding="utf-8") as f:
            programs = record.programs(f.read())
        theirs = recorded(path)
        tap.ok(len(programs) == len(theirs), "%s: %d programs are recorded" % (name, len(theirs)))
        for target in range(11, 15):
            counts.update(compare(tap, name, target, programs, theirs))
    tap.note("what differs: %s" % (dict(counts) or "nothing"))


if __name__ == "__main__":
    alone(test, __doc__, only="")
