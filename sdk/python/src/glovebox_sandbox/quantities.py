# SPDX-License-Identifier: Apache-2.0
"""Times and sizes as people write them: ``2.5``, ``timedelta(minutes=5)``, ``"500ms"``; ``1048576``, ``"512m"``."""

from __future__ import annotations

import decimal
import math
import numbers
import re
from datetime import timedelta
from typing import Union

from .errors import UsageError, kind_of

Time = Union[int, float, str, timedelta]
Size = Union[int, str]

_MILLISECONDS = {"ms": 1, "": 1000, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_BYTES = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_NUMBER_AND_UNIT = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)\s*", re.ASCII | re.IGNORECASE)
_LARGEST = 1 << 62


def milliseconds(name: str, time: Time) -> int:
    """The time in milliseconds, rounded up so that a short time does not become 0, which means no limit.

    >>> milliseconds("timeout", 2.5), milliseconds("timeout", "1m"), milliseconds("timeout", 0.0001)
    (2500, 60000, 1)
    """
    if isinstance(time, timedelta):
        return _checked(name, time, time.total_seconds() * 1000)
    if isinstance(time, str):
        return _checked(name, time, _parsed(name, time, _MILLISECONDS, "2.5, '500ms', '5m' or a timedelta"))
    return _checked(name, time, _number(name, time, "2.5, '500ms', '5m' or a timedelta") * 1000)


def size(name: str, amount: Size) -> int:
    """The size in bytes.

    >>> size("memory", "512m"), size("memory", "1.5k"), size("memory", 100)
    (536870912, 1536, 100)
    """
    example = "1048576, '512m' or '4g'"
    if isinstance(amount, str):
        units = {**_BYTES, **{f"{unit}{tail}": factor for unit, factor in _BYTES.items() if unit not in ("", "b")
                              for tail in ("b", "ib")}}
        return _checked(name, amount, _parsed(name, amount, units, example))
    return _checked(name, amount, _number(name, amount, example))


def _number(name: str, value: object, example: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, decimal.Decimal)):
        raise UsageError(f"{name} is {kind_of(value)}; give {example}")
    return value if isinstance(value, (int, float)) else float(value)


def _parsed(name: str, text: str, units: dict[str, int], example: str) -> float:
    found = _NUMBER_AND_UNIT.fullmatch(text)
    factor = units.get(found.group(2).lower()) if found else None
    if found is None or factor is None:
        raise UsageError(f"{name} is '{text[:80]}'; give {example}")
    return float(found.group(1)) * factor


def _checked(name: str, given: object, amount: float) -> int:
    if not 0 <= amount < _LARGEST:  # also false for NaN
        raise UsageError(f"{name} is {str(given)[:80]}; it must be 0 (no limit) or more, and finite")
    return math.ceil(amount)
