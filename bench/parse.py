#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the front end reads the standard library, beside the ast.parse of the Python that runs
this: parse.py PROGRAM [ROUNDS]. All take turns, round by round; printed are the medians of the
processor's time."""

import ast
import os
import statistics
import subprocess
import sys
import sysconfig
import time
import warnings

warnings.simplefilter("ignore")


class Ours:
    """build/bench/parse, kept running with its files read."""

    def __init__(self, program, paths):
        self.child = subprocess.Popen(
            [program, *paths], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def time(self, what, may_refuse=False):
        """Seconds. What is not read to its end is read too quickly, so nothing may be refused."""
        self.child.stdin.write(what + "\n")
        self.child.stdin.flush()
        nanoseconds, refused = map(int, self.child.stdout.readline().split())
        if refused and not may_refuse:
            sys.exit("bench/parse.py: %s refused %d files" % (what, refused))
        return nanoseconds / 1e9


def sources():
    """Paths and texts of all files that parse."""
    found = []
    for folder, folders, names in os.walk(sysconfig.get_path("stdlib")):
        folders[:] = sorted(f for f in folders if not f.endswith("-packages"))
        for path in (os.path.join(folder, n) for n in sorted(names) if n.endswith(".py")):
            with open(path, "rb") as f:
                text = f.read()
            try:
                compile(text, path, "exec", dont_inherit=True)
            except (SyntaxError, ValueError):
                continue
            found.append((path, text))
    return found


def ast_parse(texts):
    begin = time.process_time()
    for text in texts:
        ast.parse(text)
    return time.process_time() - begin


def in_turns(makers, rounds):
    times = {name: [] for name in makers}
    for _ in range(rounds + 1):
        for name, make in makers.items():
            times[name].append(make())
    return {name: statistics.median(t[1:]) for name, t in times.items()}


def whole_library(program, found, rounds):
    ours = Ours(program, [path for path, _ in found])
    texts = [text for _, text in found]
    size = sum(map(len, texts)) / 1e6
    medians = in_turns(
        {
            "ast.parse of Python %d.%d" % sys.version_info[:2]: lambda: ast_parse(texts),
            "ours, bytes to tree": lambda: ours.time("parse"),
            "ours, bytes to tokens only": lambda: ours.time("lex"),
            "ours, tree and what the compiler refuses": lambda: ours.time("check"),
            "ours, the guard, profile standard": lambda: ours.time("guard standard", True),
        },
        rounds,
    )
    base = next(iter(medians.values()))
    print("  %-44s %9s %9s %8s" % ("%d files, %.1f MB" % (len(texts), size), "s", "MB/s", "times"))
    for name, seconds in medians.items():
        print("  %-44s %9.3f %9.1f %8.2f" % (name, seconds, size / seconds, base / seconds))
    return base / medians["ours, bytes to tree"]


def thousand_lines(program, found, rounds):
    """Files of about 1 000 lines, in proportion."""
    chosen = [(path, text) for path, text in found if 900 <= text.count(b"\n") <= 1100]
    if not chosen:
        return None
    count = sum(text.count(b"\n") for _, text in chosen) / 1000
    ours = Ours(program, [path for path, _ in chosen])
    texts = [text for _, text in chosen]
    medians = in_turns(
        {
            "ast.parse": lambda: ast_parse(texts),
            "ours, bytes to tree": lambda: ours.time("parse"),
            "the guard, profile standard (budget: 1 ms)": lambda: ours.time("guard standard", True),
        },
        rounds * 5,
    )
    print("  %-44s %9s" % ("1 000 lines, the mean of %d such files" % len(chosen), "ms"))
    for name, seconds in medians.items():
        print("  %-44s %9.3f" % (name, seconds * 1e3 / count))
    return seconds * 1e3 / count


def main(program, rounds=5):
    """How many times faster than ast.parse; milliseconds of the guard for 1 000 lines, or None."""
    found = sources()
    times = whole_library(program, found, int(rounds))
    return times, thousand_lines(program, found, int(rounds))


if __name__ == "__main__":
    main(*sys.argv[1:])
