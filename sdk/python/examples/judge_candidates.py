#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scores for a training loop: many candidate programs against the same cases, several at once.

    python judge_candidates.py --candidates 10000

A candidate that loops, eats memory, prints the expected answers or patches the judge costs its own score alone.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import os
import random
import sys
import time

from glovebox_sandbox import AsyncSandbox

CASES = [{"args": [n], "expected": sum(range(n))} for n in (0, 1, 5, 100)]
# What a model would write: right, wrong, broken, and hostile.
PROGRAMS = (
    "def total(n):\n    return n * (n - 1) // 2\n",
    "def total(n):\n    return sum(range(n + 1))\n",
    "def total(n):\n    return sum(range(n)\n",
    "def total(n):\n    return 1 / (n - 5)\n",
    "def total(n):\n    while True:\n        pass\n",
    "import sys\ndef total(n):\n    sys.exit(0)\n",
)
LIKELY = (60, 20, 8, 8, 1, 3)


def candidates(count: int) -> list[str]:
    chooser = random.Random(1)
    return [f"# candidate {i}\n{chooser.choices(PROGRAMS, LIKELY)[0]}" for i in range(count)]


class Progress:
    def __init__(self, total: int) -> None:
        self.total, self.done, self.began = total, 0, time.monotonic()

    def step(self) -> None:
        self.done += 1
        if self.done % 50 and self.done != self.total:
            return
        rate = self.done / (time.monotonic() - self.began)
        filled = 40 * self.done // self.total
        print(f"\r[{'#' * filled:<40}] {self.done}/{self.total}  {rate:.0f}/s", end="", file=sys.stderr, flush=True)


async def scores(programs: list[str], at_once: int) -> list[float]:
    progress, turns = Progress(len(programs)), asyncio.Semaphore(at_once)
    async with AsyncSandbox(timeout="1s", memory="128m") as box:

        async def score(program: str) -> float:
            async with turns:
                result = await box.test(program, CASES, func="total")
            progress.step()
            return result.score

        found = await asyncio.gather(*map(score, programs))
    print(file=sys.stderr)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--candidates", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=2 * (os.cpu_count() or 1))
    args = parser.parse_args()
    found = asyncio.run(scores(candidates(args.candidates), args.at_once))
    for score, count in sorted(collections.Counter(found).items(), reverse=True):
        print(f"score {score:.2f}: {count} candidates")


if __name__ == "__main__":
    main()
