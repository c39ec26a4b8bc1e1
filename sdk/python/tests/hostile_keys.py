# SPDX-License-Identifier: Apache-2.0
"""Keys that collide in the tables of CPython and of pandas, as a hostile program chooses them."""

from __future__ import annotations

from typing import Any

MODULUS = (1 << 61) - 1  # of the hash of a number


def alike(n: int) -> list[Any]:
    """Typed JSON of `n` numbers with one hash."""
    return [{"$type": "int", "hex": hex(MODULUS * i)} for i in range(1, n + 1)]


def alike_for_pandas(n: int) -> list[int]:
    """Numbers of 64 bits for which pandas' hash, (k >> 33) ^ k ^ (k << 11) in 32 bits, is 0."""
    found: list[int] = []
    low = 1
    while len(found) < n:
        high = (low ^ (low << 11)) & 0xFFFFFFFF
        if high < 1 << 30:
            found.append(high << 33 | low)
        low += 1
    return found


def one_after_the_other(n: int) -> list[int]:
    """Small numbers, all with hashes of their own. Most fill an arc of the places through which a dict looks for a free
    one; the others begin at its head, and each goes to its end."""
    size = 1 << (2 * n).bit_length() - 1
    taken, arc, place = bytearray(size), list[int](), 0
    for _ in range(4 * n // 5):
        taken[place] = 1
        arc.append(place)
        place = (5 * place + 1) % size
    head, late, key = set(arc[:len(arc) // 3]), list[int](), size
    while len(late) < n - len(arc):
        if _last_place(key, size, taken) in head:
            late.append(key)
        key += 1
    return arc + late


def _last_place(key: int, size: int, taken: bytearray) -> int:
    """Where the search of a key begins to walk the arc; -1 if it finds a free place before."""
    rest, place = key, key % size
    while rest:
        if not taken[place]:
            return -1
        rest >>= 5
        place = (5 * place + rest + 1) % size
    return place
