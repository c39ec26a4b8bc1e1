#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the compiler refuses beyond the grammar, and what it warns of: the programs of
tests/python/compile_errors/, each with the verdict of the Python that runs this; and with those of
the other versions as recorded in *.said.

    tests/python/compile_errors.py [--only NAME]
    compile_errors.py --record > 3.N.json         (in each version)
    compile_errors.py --merge 3.11.json ...       writes *.said
"""

import glob
import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "targets")]

import oracle  # noqa: E402
import record  # noqa: E402
from tap import alone  # noqa: E402

PLACE = os.path.join(HERE, "compile_errors")
# Errors are told in the words of 3.11; these are the compiler's, which ours follows in all versions.
TARGETS = range(11, 15)


def files(only=""):
    return [p for p in sorted(glob.glob(os.path.join(PLACE, "*.py"))) if only in os.path.basename(p)]


def programs(path):
    with open(path, encoding="utf-8") as f:
        return record.programs(f.read())


def lines_of(verdict):
    """A verdict as lines of text. The order of warnings is nobody's business, nor are those before
    an error."""
    if verdict.kind:
        return ["\t".join(map(str, verdict[:6]))]
    return ["ok"] + sorted({"warning\t%d\t%s" % (line, text) for _, line, text in verdict.warnings})


def said(path):
    """For each program what each version says: {target: lines}."""
    found = []
    with open(path, encoding="utf-8") as f:
        for line in f.read().split("\n")[:-1]:
            if line.startswith("# "):
                found.append({})
                continue
            version, what = line.split("\t", 1)
            target = int(version[2:])
            lines = found[-1].setdefault(target, [])
            lines += found[-1][target - 1] if what == "same" else [what]
    return found


def is_same(ours, theirs):
    """Where the parser of a version has words of its own, which are not the compiler's matter, it is
    enough to refuse."""
    refused = "invalid syntax" in theirs[0] and ours[0] != "ok"
    return ours == theirs or refused


def compare(tap, name, target, wanted):
    feed, wrong = oracle.Feed(target), []
    for program, theirs in wanted:
        try:
            ours = lines_of(feed.verdict("c", program.encode()))
        except oracle.Crash as e:
            ours = [str(e)]
        if not is_same(ours, theirs):
            wrong.append("%r\nours   %s\ntheirs %s" % (program, ours, theirs))
    feed.close()
    tap.ok(not wrong, "%s under 3.%d: %d programs" % (name, target, len(wanted)), *wrong)


def test(tap, only=""):
    total = 0
    for path in files(only):
        name, texts = os.path.basename(path)[:-3], programs(path)
        total += len(texts)
        live = [(p, lines_of(oracle.compiled(p.encode()))) for p in texts]
        compare(tap, name, oracle.TARGET, live)
        recorded = said(path[:-3] + ".said")
        tap.equal(len(recorded), len(texts), "%s: all programs are recorded" % name)
        for target in TARGETS:
            if target != oracle.TARGET:
                wanted = [(p, r[target]) for p, r in zip(texts, recorded)]
                compare(tap, name, target, wanted)
    tap.note("%d programs" % total)


def recorded_here():
    """What the Python that runs this says."""
    return {
        os.path.basename(path): [lines_of(oracle.compiled(p.encode())) for p in programs(path)]
        for path in files()
    }


def merge(paths):
    versions = []
    for path in paths:
        with open(path, encoding="utf-8") as f:
            versions.append(json.load(f))
    for name in versions[0]["said"]:
        out = []
        for i in range(len(versions[0]["said"][name])):
            out.append("# %d" % (i + 1))
            before = None
            for one in versions:
                lines = one["said"][name][i]
                out += [one["target"] + "\t" + x for x in (["same"] if lines == before else lines)]
                before = lines
        with open(os.path.join(PLACE, name[:-3] + ".said"), "w", encoding="utf-8") as f:
            f.write("\n".join(out) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        print(json.dumps({"target": "3.%d" % oracle.TARGET, "said": recorded_here()}))
    elif sys.argv[1:2] == ["--merge"]:
        merge(sys.argv[2:])
    else:
        alone(test, __doc__, only="")
