# SPDX-License-Identifier: Apache-2.0
"""Dicts and sets whose keys a hostile program chose.

A program can choose keys that collide: equal hashes, or different ones whose places in the table follow each other. To
insert them takes quadratic time, and the hash of a number is the same in every process. No property of the hashes shows
all such keys, so the insertion is measured while it runs. A busy machine is slow with any keys, so a slow part is no
proof: its keys are then looked up, which takes the same way through the table, beside random numbers that are looked up
in that table. Only what is many times slower than these, at each try, collides.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Union

_PART = 256       # keys between two looks at the clock
_SLOW = 8e-6      # seconds for a key; usual ones take less than a hundredth of that
_TIMES = 4        # how many times as long as its hash a long key may take
_FACTOR = 20      # how many times as long as a random number a key may take
_TRIES = 3        # in each part; keys that collide are slow in all
_SLOW_PARTS = 4   # parts that collide, before the keys are refused
_MOST_SLOW = 0.15  # seconds in these parts; the tries take three times that


def dict_of(pairs: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
    """`dict(pairs)`; ValueError if the keys collide."""
    found: dict[Any, Any] = {}
    _fill(found, pairs, lambda part: [key for key, _ in part])
    return found


def set_of(keys: Sequence[Any]) -> set[Any]:
    """`set(keys)`; ValueError if they collide."""
    found: set[Any] = set()
    _fill(found, keys, lambda part: part)
    return found


def _fill(found: Union[dict[Any, Any], set[Any]], items: Sequence[Any],
          keys_of: Callable[[Sequence[Any]], Sequence[Hashable]]) -> None:
    """Inserts one part after the other. To cut them off a list would start the garbage collector."""
    rest, slow, parts = iter(items), 0.0, 0
    for at in range(0, len(items), _PART):
        began = time.thread_time()
        found.update(islice(rest, _PART))
        spent = time.thread_time() - began
        if spent > _PART * _SLOW and _collide(found.__contains__, keys_of(items[at:at + _PART])):
            slow, parts = slow + spent, parts + 1
            if slow > _MOST_SLOW and parts >= _SLOW_PARTS:
                raise ValueError("the keys collide")


def _collide(contains: Callable[[Any], bool], keys: Sequence[Hashable]) -> bool:
    """Whether each try to look these keys up takes much longer than to hash them and to look random numbers up."""
    return all(_seconds(contains, keys) > _FACTOR * _seconds(contains, _strangers()) + _TIMES * _seconds(hash, keys)
               for _ in range(_TRIES))


def _seconds(call: Callable[[Any], object], keys: Iterable[Hashable]) -> float:
    """The time of this thread's processor."""
    began = time.thread_time()
    for key in keys:
        call(key)
    return time.thread_time() - began


@lru_cache(maxsize=None)
def _strangers() -> tuple[int, ...]:
    """Numbers that no program foresees. Their high bits lead out of an arc of full places."""
    source = random.SystemRandom()
    return tuple(source.getrandbits(60) for _ in range(_PART))
