# SPDX-License-Identifier: Apache-2.0
"""Values that a hostile program sends. Each is small, and must cost the reader little time and memory."""

from __future__ import annotations

import time
from typing import Any

import pytest

from glovebox_sandbox.values import Foreign, decode, decode_shown


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


RANGE = {"$type": "range", "stop": 10**12}


@pytest.mark.parametrize("kind", ["int8", "float64", "datetime64[s]", "S3"])
def test_arrays_have_no_rows_of_their_own(kind: str) -> None:
    """numpy would make the numbers of the range, and as many texts as the list has."""
    pytest.importorskip("numpy", reason="numpy is not installed; run the part frames")
    for item in (RANGE, ["a"] * 1000):
        assert isinstance(decode({"$type": "ndarray", "class": kind, "items": [item]}), Foreign)


def test_objects_stay_as_they_are() -> None:
    pytest.importorskip("numpy", reason="numpy is not installed; run the part frames")
    array = decode({"$type": "ndarray", "class": "object", "shape": [2, 1], "items": [RANGE, [1, 2]]})
    assert array.tolist() == [[range(10**12)], [[1, 2]]]


COLUMN = {"$type": "column", "dtype": "int64", "base64": "AQAAAAAAAAA="}
ONE = {"$type": "index", "range": [0, 1, 1], "names": [None]}


def series(**column: Any) -> Any:
    return decode({"$type": "series", "name": None, "index": ONE, "data": {"$type": "column", **column}})


def test_frames_of_a_hostile_program() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed; run the part frames")
    assert isinstance(series(dtype="int64", base64="AQAAAAAAAAA="), pandas.Series)
    alike = [{"$type": "int", "hex": hex(((1 << 61) - 1) * i)} for i in range(20000)]
    categories = {"$type": "column", "dtype": "object", "items": alike}
    began = time.monotonic()
    for column in ({"dtype": "int64", "base64": "AQ=="}, {"dtype": "V1000000000", "base64": ""}, {"dtype": "object"},
                   {"dtype": "int64", "base64": "AQAAAAAAAAABAAAAAAAAAA=="}, {"dtype": "datetime64[ns, dateutil//etc/passwd]", "base64": ""},
                   {"dtype": "datetime64[ns, ../../etc/passwd]", "base64": "AQAAAAAAAAA="},
                   {"dtype": "datetime64[ns, America]", "base64": "AQAAAAAAAAA="}, {"dtype": "Int64", "items": [RANGE]}, {"dtype": ["object"], "items": []},
                   {"dtype": "category", "codes": COLUMN, "categories": COLUMN, "ordered": 1},
                   {"dtype": "category", "codes": COLUMN, "categories": categories, "ordered": False}):
        assert isinstance(series(**column), Foreign), column
    for form in ({"data": [COLUMN]}, {"index": 5, "columns": ONE, "data": [COLUMN]}, {"index": ONE, "columns": ONE, "data": [ONE]},
                 {"index": {**ONE, "range": [0, 1 << 60, 1]}, "columns": ONE, "data": [COLUMN]}):
        assert isinstance(decode({"$type": "frame", **form}), Foreign), form
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("zone", ["dateutil//etc/localtime", "America", pytest.param("x" * 5000, id="long"), 5, None])
def test_tables_name_no_file_as_their_zone(zone: object) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed; run the part frames")
    table = {"schema": {"fields": [{"name": "a", "type": "datetime", "tz": zone}]}, "data": [{"a": "2026-01-01"}]}
    shown = decode_shown({"$type": "object", "class": "DataFrame"}, [{"application/vnd.dataresource+json": table}])
    assert isinstance(shown, Foreign)
