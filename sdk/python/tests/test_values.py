# SPDX-License-Identifier: Apache-2.0
"""Values that a hostile program sends. Each is small, and must cost the reader little time and memory."""

from __future__ import annotations

import time
from typing import Any

import pytest

from glovebox_sandbox.values import Foreign, decode


def nested(levels: int) -> Any:
    form: Any = {"$type": "tuple", "items": []}
    for _ in range(levels):
        form = {"$type": "tuple", "items": [form]}
    return form


@pytest.mark.parametrize("form", [
    nested(3000),
    {"$type": "fraction", "numerator": {"$type": "int", "hex": "7" * 150000}, "denominator": {"$type": "int", "hex": "b" * 149999}},
    {"$type": "set", "items": [{"$type": "int", "hex": hex(((1 << 61) - 1) * i)} for i in range(20000)]},
    {"$type": "dict", "items": [[{"$type": "int", "hex": hex(((1 << 61) - 1) * i)}, 1] for i in range(20000)]},
], ids=["nested", "fraction", "set", "dict"])
def test_costs_little(form: Any) -> None:
    began = time.monotonic()
    assert isinstance(decode(form), Foreign)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("kind", ["<U20000000", "S40000000"])
def test_arrays_reserve_little(kind: str) -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed; run the part frames")
    assert isinstance(decode({"$type": "ndarray", "class": kind, "shape": [1], "items": ["a"]}), Foreign)
    narrow = decode({"$type": "ndarray", "class": kind[:-7], "shape": [2], "items": ["a", ""]})
    assert narrow.dtype == numpy.dtype(kind[:-7]) and len(narrow) == 2
