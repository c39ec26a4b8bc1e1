#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile values against the decoder: fuzz_values.py [SECONDS [SEED]], or fuzz_values.py case SEED:NUMBER.

A value may take MOST_MEMORY bytes for each byte of its JSON, and time in proportion to these bytes and to its tables.
What comes out is a value or a `Foreign`, and repr() of a result with it has nothing that a terminal obeys."""

from __future__ import annotations

import gc
import json
import os
import random
import resource
import subprocess
import sys
import time
import tracemalloc
import warnings
from typing import Any

from hostile_values import Maker, changed

from glovebox_sandbox import values
from glovebox_sandbox.results import Result

LIMIT = 4 << 30               # bytes of memory of the process: a value that takes more than its share is found before
SPARE = 2 << 20               # bytes that any value may take: the first frame loads modules of pandas
MOMENT, BYTE, TABLE = 0.4, 3e-6, 3e-3  # seconds for a value, for each of its bytes, and for each array, series or frame
TRIES = 3                     # the least time counts: the machine may be busy
TABLES = (b'"ndarray"', b'"series"', b'"frame"', b'"column"', b'"image"', b'"levels"')


def document(maker: Maker) -> bytes:
    """A result of the daemon's."""
    sys.setrecursionlimit(10_000)  # to write what is nested deeply
    try:
        return _document(maker)
    finally:
        sys.setrecursionlimit(1000)


def _document(maker: Maker) -> bytes:
    value = changed(maker, maker.value())
    if maker.rng.random() < 0.1:
        bundle = {"application/vnd.dataresource+json": changed(maker, maker.table()), "text/plain": maker.word()}
        shown = {"$type": "other", "class": maker.rng.choice(("DataFrame", "Series")), "repr": maker.word()}
        return json.dumps({"success": True, "value": shown, "results": [{"kind": "value", "data": bundle}]}).encode()
    return json.dumps({"success": True, "value": value}).encode()


def seconds(text: bytes, most: float) -> float:
    least = float("inf")
    for _ in range(TRIES):
        read: Any = json.loads(text)
        began = time.process_time()
        repr(Result.from_document(read))
        least = min(least, time.process_time() - began)
        if least <= most:
            break
    return least


def memory(text: bytes) -> int:
    tracemalloc.start()
    try:
        result = Result.from_document(json.loads(text))
        del result
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def fault(text: bytes) -> str:
    """What is wrong with a value; empty if nothing is."""
    try:
        read = json.loads(text)
    except RecursionError:  # of a daemon's answer that is a DaemonError
        return ""
    try:
        values._decode(read["value"])
    except RecursionError:
        pass
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:300]}"
    try:
        return _fault(text)
    except Exception as error:
        return f"{type(error).__name__} leaves the package: {str(error)[:300]}"


def _fault(text: bytes) -> str:
    result = Result.from_document(json.loads(text))
    if not repr(result).isprintable() or not result.for_model():
        return "repr() has what a terminal obeys"
    most = MOMENT + BYTE * len(text) + TABLE * sum(map(text.count, TABLES))
    took = seconds(text, most)
    if took > most:
        return f"{len(text)} bytes took {took:.2f} s, at most {most:.2f}"
    used = memory(text)
    if used > SPARE + values.MOST_MEMORY * len(text):
        return f"{len(text)} bytes took {used} bytes of memory, {used / len(text):.0f} for each"
    return ""


def run(seed: str, limit: float) -> int:
    """Tries values for so many seconds. Their number is on standard output: the parent names the one that crashed."""
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    warnings.simplefilter("ignore")
    gc.freeze()  # a collection of pandas' own objects would count for a value
    began, number, faults = time.monotonic(), 0, 0
    while time.monotonic() - began < limit and faults < 10:
        print(number, flush=True)
        text = document(Maker(f"{seed}:{number}"))
        found = fault(text)
        if found:
            faults += 1
            print(f"{found}\n  again: fuzz_values.py case {seed}:{number}\n  {text[:600]!r}", file=sys.stderr)
        number += 1
    return 1 if faults else 0


def main(words: list[str]) -> int:
    if words[:1] == ["case"]:
        text = document(Maker(words[1]))
        print(text[:2000].decode(), "\n", fault(text) or "nothing is wrong")
        return 0
    if words[:1] == ["child"]:
        return run(words[1], float(words[2]))
    limit, seed = float(words[0] if words else 10), words[1] if words[1:] else str(random.randrange(1 << 32))
    child = subprocess.run([sys.executable, os.path.abspath(__file__), "child", seed, str(limit)], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, timeout=limit + 300, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    tried = child.stdout.split()
    print(f"seed {seed}: {len(tried)} values in {limit:.0f} s")
    if child.returncode:
        print(f"ended with {child.returncode}; the last value was {seed}:{tried[-1] if tried else 0}\n{child.stderr[-6000:]}")
    return 1 if child.returncode else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
