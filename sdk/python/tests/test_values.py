# SPDX-License-Identifier: Apache-2.0
"""Values that a hostile program sends. Each is small, and must cost the reader little time and memory."""

from __future__ import annotations

import base64
import json
import random
import struct
import subprocess
import sys
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable

import pytest

import hostile_keys
from glovebox_sandbox import Result, keys
from glovebox_sandbox.values import MOST_MEMORY, Foreign, decode, decode_shown


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


def seconds(form: Any) -> float:
    """The processor's time for a value; the least of three, because the machine may be busy."""
    found = []
    for _ in range(3):
        began = time.process_time()
        decode(form)
        found.append(time.process_time() - began)
    return min(found)


def packed(numbers: list[int]) -> Any:
    return {"dtype": "int64", "base64": base64.b64encode(struct.pack(f"<{len(numbers)}q", *numbers)).decode()}


def in_order(n: int) -> Any:
    return {"range": [0, n, 1], "names": [None]}


def one_hash_hidden(n: int) -> Any:
    return {"$type": "set", "items": [1] * n + hostile_keys.alike(n)}


def one_after_the_other(n: int) -> Any:
    return {"$type": "dict", "items": [[key, 0] for key in hostile_keys.one_after_the_other(n)]}


def tuples_alike(n: int) -> Any:
    return {"$type": "frozenset", "items": [{"$type": "tuple", "items": [key]} for key in hostile_keys.alike(n)]}


def levels_alike(n: int) -> Any:
    level = packed(hostile_keys.alike_for_pandas(n))
    return {"$type": "series", "name": None, "data": packed([0] * n),
            "index": {"multi": True, "levels": [level, level], "names": [None, None]}}


def objects_alike(n: int) -> Any:
    level = {"dtype": "object", "items": hostile_keys.alike(n)}
    return {"$type": "series", "name": None, "data": packed([0] * n), "index": {"multi": True, "levels": [level], "names": [None]}}


def categories_alike(n: int) -> Any:
    numbers = hostile_keys.alike_for_pandas(n)
    random.Random(1).shuffle(numbers)
    return {"$type": "series", "name": None, "index": in_order(1),
            "data": {"dtype": "category", "codes": packed([0]), "categories": packed(numbers), "ordered": False}}


@pytest.mark.parametrize("make", [one_hash_hidden, one_after_the_other, tuples_alike, levels_alike, objects_alike,
                                  categories_alike], ids=lambda make: str(make.__name__))
def test_collisions_take_no_quadratic_time(make: Callable[[int], Any]) -> None:
    if make in (levels_alike, objects_alike, categories_alike):
        pytest.importorskip("pandas", reason="pandas is not installed; run the part frames")
    assert seconds(make(80_000)) < 1.5


@pytest.mark.parametrize("n", [6_000, 24_000, 40_000])
@pytest.mark.parametrize("make", [int, lambda number: (number,), Decimal, Fraction], ids=["int", "tuple", "decimal", "fraction"])
def test_keys_that_collide_are_refused_soon(make: Callable[[int], Any], n: int) -> None:
    hostile = [make(hostile_keys.MODULUS * i) for i in range(1, n + 1)]
    for fill in (lambda: keys.set_of(hostile), lambda: keys.dict_of([(key, 0) for key in hostile])):
        began = time.process_time()
        try:
            fill()
        except ValueError:
            pass
        assert time.process_time() - began < 4


@pytest.fixture
def busy() -> Iterator[None]:
    """Four processes that compute, so that this one shares its processor and its caches."""
    children = [subprocess.Popen([sys.executable, "-c", "n = bytearray(1 << 25)\nfor _ in range(1000): n = n[1:] + n[:1]"])
                for _ in range(4)]
    yield
    for child in children:
        child.kill()
        child.wait()


@pytest.mark.parametrize("make", [random.random, lambda: f"{random.getrandbits(64):x}", lambda: random.getrandbits(62)],
                         ids=["floats", "texts", "ints"])
@pytest.mark.parametrize("suspected", [False, True])
def test_honest_keys_on_a_busy_machine(busy: None, monkeypatch: pytest.MonkeyPatch, make: Callable[[], Any],
                                       suspected: bool) -> None:
    """Also if every single part seems slow."""
    if suspected:
        monkeypatch.setattr(keys, "_SLOW", 0)
        monkeypatch.setattr(keys, "_MOST_SLOW", 0)
    honest = [make() for _ in range(50_000 if suspected else 200_000)]
    assert len(keys.set_of(honest)) == len(set(honest))
    assert len(keys.dict_of([(key, 0) for key in honest])) == len(set(honest))


def test_long_keys_are_no_collisions() -> None:
    items = [{"$type": "tuple", "items": list(range(i, i + 500))} for i in range(3000)]
    assert len(decode({"$type": "set", "items": items})) == 3000
    assert len(decode({"$type": "set", "items": [{"$type": "int", "hex": hex(1 << i)} for i in range(10_000)]})) == 10_000


@pytest.mark.parametrize("kind", [None, "", "U", "S", "str", "bytes", "<U0", "|S0", "<U20000", "S20000"])
def test_arrays_of_texts_reserve_what_they_have(kind: object) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed; run the part frames")
    wide: list[Any] = ["A" * 20_000, *[""] * 10_000]
    for items in (wide, [*wide, 0, 1.5], [{"$type": "bytes", "text": text} for text in wide], [0, 0, *wide]):
        form = {"$type": "ndarray", "class": kind, "items": items}
        tracemalloc.start()
        assert isinstance(decode(form), Foreign)
        reserved = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert reserved < MOST_MEMORY * len(json.dumps(form))
    if "2" not in str(kind):
        even = decode({"$type": "ndarray", "class": kind, "items": ["abc", "de"]})
        assert even.tolist() in (["abc", "de"], [b"abc", b"de"])


@pytest.mark.parametrize("form", [
    {"class": "float64", "items": ["1.5"]}, {"class": "float128", "items": [[1]]}, {"items": [1, "a"]}, {"items": [None]},
    {"class": "datetime64[s]", "items": [1.5]}, {"class": "datetime64[s],O", "items": [1]}, {"class": "i8," * 100, "items": []},
    {"class": "int64", "items": [], "shape": [1 << 40, 0]}, {"class": "int64", "items": [1], "shape": [-1]},
    {"class": "int64", "items": [1], "shape": ["1"]}, {"class": "int8", "items": [1 << 80]}])
def test_arrays_that_are_none(form: Any) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed; run the part frames")
    assert isinstance(decode({"$type": "ndarray", **form}), Foreign)


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
    alike = [{"$type": "int", "hex": hex(((1 << 61) - 1) * i)} for i in range(20000, 0, -1)]
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


MIME = "application/vnd.dataresource+json"
SHOWN = {"$type": "object", "class": "DataFrame"}


def table(names: list[Any], rows: list[Any], keys: Any = (), kind: str = "integer") -> Any:
    fields = [{"name": name, "type": kind} for name in names]
    return decode_shown(SHOWN, [{MIME: {"schema": {"fields": fields, "primaryKey": keys}, "data": rows}}])


def test_tables() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed; run the part frames")
    frame = table(["index", "a"], [{"index": 5, "a": 1}, {"index": 6, "a": 2}], ["index"])
    pandas.testing.assert_frame_equal(frame, pandas.DataFrame({"a": [1, 2]}, index=[5, 6]))
    frame = table(["p", "q", "a"], [{"p": 1, "q": 2, "a": 1}, {"p": 1, "q": 3, "a": 2}], ["p", "q"])
    assert frame.loc[(1, 3), "a"] == 2 and frame.index.names == ["p", "q"]
    moments = table(["t"], [{"t": "2026-01-01T00:00:00.000"}, {"t": None}], kind="datetime")
    assert moments["t"].tolist()[0] == pandas.Timestamp("2026-01-01") and moments["t"].isna().tolist() == [False, True]


def test_tables_of_a_hostile_program() -> None:
    """Names that are there twice, rows that have not all columns, levels that collide, moments that are numbers."""
    pytest.importorskip("pandas", reason="pandas is not installed; run the part frames")
    alike = hostile_keys.alike_for_pandas(30_000)
    began = time.process_time()
    for names, rows, keys, kind in (
            (["c"] * 5000, [{"c": 1}] * 5000, (), "integer"), ([["c"]], [{"c": 1}], (), "integer"),
            ([f"c{i}" for i in range(5000)], [{}] * 5000, (), "any"), (["t"], [{"t": n} for n in alike], (), "datetime"),
            (["t"], [{"t": "1" * 20_000}] * 100, (), "datetime"), (["a", "b"], [{"a": n, "b": n} for n in alike], ["a", "b"], "integer"),
            (["a"], [{"a": 1}], ["a", "a"], "integer"), (["a"], [{"a": 1}], 5, "integer"), (["a"], 5, (), "integer")):
        found = table(names, rows, keys, kind)
        assert isinstance(found, Foreign) or keys == ["a", "b"] and len(found) == 30_000
    assert time.process_time() - began < 3


@pytest.mark.parametrize("form", [
    {"$type": ["a"]}, {"$type": {"$type": 1}, "class": {"a": [1]}}, {"$type": "decimal", "text": [0, [1], 5]},
    {"$type": "set", "items": [{"$type": "decimal", "text": "sNaN"}]}, {"$type": "float", "text": None},
    {"$type": "dict", "items": [[[], 1]]}, {"$type": "timedelta", "days": 1e300}, {"$type": "date", "text": "10000-01-01"}])
def test_whatever_fails_is_foreign(form: Any) -> None:
    assert isinstance(decode(form), Foreign)


def test_what_pandas_raises_is_foreign() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed; run the part frames")
    level = {"dtype": "float16", "base64": "AAA="}  # pandas 2 has no such index, and raises NotImplementedError
    found = decode({"$type": "series", "name": None, "data": packed([1]), "index": {"multi": False, "names": [None], "levels": [level]}})
    assert isinstance(found, (Foreign, pandas.Series))


HUGE = {"$type": "int", "hex": hex(10**5000)}


@pytest.mark.parametrize("form", [
    HUGE, [HUGE], {"$type": "other", "class": "A\x1b[2J", "repr": "<\x1b]0;title\x07\u202e\x9b\n>"}, "\x1b[2J", {"\x1b[2J": 1},
    {"$type": "path", "text": "/\x1b[2J"}, {"$type": "other", "class": "A", "repr": "\ud800"}, nested(150),
    {"$type": "series", "name": "\x1b[2J", "data": packed([1]), "index": {"range": [0, 1, 1], "names": [None]}},
    {"$type": "frame", "data": [], "index": {"range": [0, 10**30, 1], "names": [None]}, "columns": {"range": [0, 0, 1], "names": [None]}},
    {"$type": "series", "name": None, "index": in_order(1), "data": {"dtype": "datetime64[s]", "base64": packed([1 << 60])["base64"]}}],
    ids=range(11))
def test_repr_of_a_result(form: Any) -> None:
    for key in ("value", "final_answer"):
        result = Result.from_document({"success": True, key: form, "is_final_answer": key == "final_answer"})
        assert repr(result).isprintable() and repr(result).startswith("<Result")
        assert result.for_model()
        if isinstance(result.value, Foreign):
            assert repr(result.value).isprintable()


def png(width: int, *chunks: tuple[bytes, bytes]) -> Any:
    header = (b"IHDR", struct.pack(">IIBBBBB", width, 1, 8, 0, 0, 0, 0))
    pixels = (b"IDAT", zlib.compress(bytes(1 + min(width, 100))))
    parts = [struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
             for kind, body in (header, *chunks, pixels, (b"IEND", b""))]
    return {"$type": "image", "base64": base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()}


def test_pictures() -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed; run the part frames")
    bomb = zlib.compress(bytes(900_000), 9)
    assert decode(png(10)).size == (10, 1)
    tracemalloc.start()
    for chunks in ([(b"zTXt", b"a\0\0" + bomb)] * 50, [(b"iTXt", b"a\0\1\0\0\0" + bomb)] * 50, [(b"iCCP", b"a\0\0" + bomb)]):
        found = decode(png(10, *chunks))
        assert isinstance(found, (bytes, image.Image))
    assert isinstance(decode(png(50_000_000)), bytes)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
