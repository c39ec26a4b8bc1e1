# SPDX-License-Identifier: Apache-2.0
"""Dicts and sets whose keys a hostile program chose.

A program can choose keys that collide: equal hashes, or different ones whose places in the table follow each other. To
insert them takes quadratic time, and the hash of a number is the same in every process. No property of the hashes shows
all such keys, so the insertion is measured while it runs: in time of this thread's processor, which other processes do
not change, and compared with the time in which the same keys are hashed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import islice
from typing import Any

_PART = 256       # keys between two looks at the clock
_SLOW = 8e-6      # seconds for a key; usual ones take less than a hundredth of that
_TIMES = 4        # how many times as long as its hash a long key may take
_SLOW_PARTS = 4   # one or two may be slow because of the machine
_MOST_SLOW = 0.25  # seconds in slow parts


def dict_of(pairs: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
    """`dict(pairs)`; ValueError if it takes too long."""
    found: dict[Any, Any] = {}
    _fill(found.update, pairs, lambda part: (key for key, _ in part))
    return found


def set_of(keys: Sequence[Any]) -> set[Any]:
    """`set(keys)`; ValueError if it takes too long."""
    found: set[Any] = set()
    _fill(found.update, keys, iter)
    return found


def _fill(update: Callable[[Iterable[Any]], None], items: Sequence[Any],
          keys_of: Callable[[Sequence[Any]], Iterable[Hashable]]) -> None:
    """Calls `update` with one part after the other. To cut them off a list would start the garbage collector."""
    rest, slow, parts = iter(items), 0.0, 0
    for at in range(0, len(items), _PART):
        began = time.thread_time()
        update(islice(rest, _PART))
        spent = time.thread_time() - began
        if spent > _PART * _SLOW and spent > _PART * _SLOW + _TIMES * _hashing(keys_of(items[at:at + _PART])):
            slow, parts = slow + spent, parts + 1
            if slow > _MOST_SLOW and parts >= _SLOW_PARTS:
                raise ValueError("the keys collide")


def _hashing(keys: Iterable[Hashable]) -> float:
    began = time.thread_time()
    for key in keys:
        hash(key)
    return time.thread_time() - began
