# SPDX-License-Identifier: Apache-2.0
"""Frames and series of pandas as typed JSON, and back. The bytes of numpy's columns cross the wall as they are; the
other columns as lists of values.

What a program sends is read with a list of dtypes: none of them can run code or reserve more than was sent. pandas' own
tables of hashes take quadratic time for numbers that were chosen for it, so nothing here makes pandas build one.
"""

from __future__ import annotations

import base64
import re
from importlib import import_module
from typing import Any, Callable

from . import keys
from .errors import UsageError

Encode = Callable[[Any], Any]

_INTEGERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
# The types of the items beside None. pandas would make texts or numbers of any others.
_ITEMS: dict[str, set[type]] = {
    "str": {str}, "string": {str}, "boolean": {bool}, "Float32": {int, float}, "Float64": {int, float},
    **{name: {int} for name in _INTEGERS},
}
_PACKED = re.compile(r"bool|u?int(?:8|16|32|64)|float(?:16|32|64|128)|complex(?:64|128|256)|"
                     r"(?:datetime|timedelta)64\[(?:s|ms|us|ns)\]", re.ASCII)
_ZONE = r"(?!dateutil)[A-Za-z0-9_+:/-]{1,64}"
_CODES = re.compile(r"int(?:8|16|32|64)", re.ASCII)
_SIMPLE = {str, int, float, bool, type(None)}
_MOST_UNSORTED = 4096  # categories
_IN_ZONE = re.compile(rf"(datetime64\[(?:s|ms|us|ns))(?:, )({_ZONE})\]", re.ASCII)


# ---- from pandas ----


def encode_frame(frame: Any, encode: Encode) -> dict[str, Any]:
    columns = [_encode_column(frame.iloc[:, at], encode) for at in range(frame.shape[1])]
    return {"$type": "frame", "index": _encode_index(frame.index, encode), "columns": _encode_index(frame.columns, encode),
            "data": columns}


def encode_series(series: Any, encode: Encode) -> dict[str, Any]:
    return {"$type": "series", "name": encode(series.name), "index": _encode_index(series.index, encode),
            "data": _encode_column(series, encode)}


def _encode_index(index: Any, encode: Encode) -> dict[str, Any]:
    form = {"$type": "index", "names": [encode(name) for name in index.names]}
    kind = type(index).__name__
    if kind == "RangeIndex":
        return {**form, "range": [int(index.start), int(index.stop), int(index.step)]}
    levels = [_encode_column(_as_series(index.get_level_values(at)), encode) for at in range(index.nlevels)]
    return {**form, "multi": kind == "MultiIndex", "levels": levels}


def _as_series(index: Any) -> Any:
    """to_series() alone makes a column of strings out of an index of objects."""
    return index.to_series().astype(index.dtype)


def _encode_column(series: Any, encode: Encode) -> dict[str, Any]:
    dtype = _name(series.dtype)
    form: dict[str, Any] = {"$type": "column", "dtype": dtype}
    if dtype == "category":
        return {**form, "codes": _encode_column(series.cat.codes, encode), "ordered": bool(series.cat.ordered),
                "categories": _encode_column(_as_series(series.cat.categories), encode)}
    if _PACKED.fullmatch(dtype):
        return {**form, "base64": _packed(series.to_numpy())}
    if _IN_ZONE.fullmatch(dtype):
        return {**form, "base64": _packed(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())}
    if dtype in _ITEMS or dtype == "object":
        return {**form, "items": [None if gone else encode(item) for item, gone in zip(series.tolist(), _gone(series, dtype))]}
    raise UsageError(f"the column {series.name!r:.80} has the dtype {dtype}, which has no form inside; convert it with "
                     "astype(), or write the frame to a file of the sandbox")


def _name(dtype: Any) -> str:
    """The name of a dtype, whose bytes are little-endian if it is one of numpy."""
    return str(dtype.newbyteorder("<") if hasattr(dtype, "newbyteorder") else dtype)


def _gone(series: Any, dtype: str) -> Any:
    """Which items are missing. In a column of objects, None and NaN are different."""
    if dtype != "object":
        return series.isna()
    missing = import_module("pandas").NA
    return (item is missing for item in series.tolist())


def _packed(values: Any) -> str:
    return base64.b64encode(values.astype(values.dtype.newbyteorder("<")).tobytes()).decode("ascii")


# ---- to pandas ----


def decode_frame(form: dict[str, Any], decode: Encode) -> Any:
    data = [_decode_column(column, decode) for column in form["data"]]
    frame = import_module("pandas").DataFrame(dict(enumerate(data)), index=_decode_index(form["index"], decode))
    frame.columns = _decode_index(form["columns"], decode)
    return frame


def decode_series(form: dict[str, Any], decode: Encode) -> Any:
    data = _decode_column(form["data"], decode)
    index = _decode_index(form["index"], decode)
    return import_module("pandas").Series(data, index=index, name=decode(form["name"]), dtype=data.dtype)


def _decode_index(form: dict[str, Any], decode: Encode) -> Any:
    names = [decode(name) for name in form["names"]]
    if "range" in form:
        if not all(type(number) is int for number in form["range"]):
            raise ValueError("a range of what is no number")
        return import_module("pandas").RangeIndex(*form["range"], name=names[0])
    levels = [_decode_column(level, decode) for level in form["levels"]]
    return _multi(levels, names) if form["multi"] else _index(levels[0]).set_names(names)


def index_of(columns: list[Any], names: list[Any]) -> Any:
    """The index of one column or of several."""
    return _multi(columns, names) if len(columns) > 1 else _index(columns[0]).set_names(names)


def _index(column: Any) -> Any:
    dtype = column.dtype
    return import_module("pandas").Index(column, dtype=dtype if dtype.name in _ITEMS else getattr(dtype, "numpy_dtype", dtype))


def _multi(columns: list[Any], names: list[Any]) -> Any:
    factored = [_factored(column) for column in columns]
    if len({len(codes) for codes, _ in factored}) != 1:
        raise ValueError("levels of different lengths")
    return import_module("pandas").MultiIndex([_index(values) for _, values in factored], [codes for codes, _ in factored],
                                              names=names, verify_integrity=False)


def _factored(column: Any) -> tuple[Any, Any]:
    """The different values of a column, and the place of each item among them: -1 for a missing one."""
    numpy = import_module("numpy")
    there = ~numpy.asarray(import_module("pandas").isna(column))
    values = column[there]
    first, places = _distinct(values)
    codes = numpy.full(len(column), -1, dtype="int64")
    codes[there] = places
    return codes, values[first]


def _distinct(values: Any) -> tuple[Any, Any]:
    """The places of the different values, in their order, and for each value its place in that list."""
    numpy, dtype = import_module("numpy"), values.dtype
    if dtype.name == "category":
        plain = values.codes
    elif getattr(dtype, "tz", None) is not None:
        plain = values.tz_convert(None)
    else:
        plain = values.astype(getattr(dtype, "numpy_dtype", dtype)) if dtype.name in _ITEMS else values
    array = numpy.asarray(plain)
    if array.dtype.kind != "O":
        _, places, inverse = numpy.unique(array, return_index=True, return_inverse=True)
        return places, inverse
    items = array.tolist()
    first = keys.dict_of([(item, at) for at, item in zip(range(len(items) - 1, -1, -1), reversed(items))])
    number = {at: place for place, at in enumerate(_in_order(first))}
    return [*number], [number[first[item]] for item in items]


def _in_order(first: dict[Any, int]) -> list[int]:
    try:
        return [first[item] for item in sorted(first)]
    except TypeError:  # a text and a number
        return sorted(first.values())


def _decode_column(form: dict[str, Any], decode: Encode) -> Any:
    dtype = str(form["dtype"])
    zone = _IN_ZONE.fullmatch(dtype)
    if dtype == "category":
        return _categorical(form, decode)
    if dtype in _ITEMS or dtype == "object":
        return _array(dtype, [decode(item) for item in form["items"]])
    if zone:
        moments = import_module("pandas").Series(_unpacked(f"{zone[1]}]", form))
        return moments.dt.tz_localize("UTC").dt.tz_convert(zone[2]).array
    if _PACKED.fullmatch(dtype):
        return _unpacked(dtype, form)
    raise ValueError("a dtype that no column has")


def _categorical(form: dict[str, Any], decode: Encode) -> Any:
    """pandas looks whether the categories are different with a table of hashes, unless it knows that they rise."""
    categories, codes = _index(_decode_column(form["categories"], decode)), form["codes"]
    if not _CODES.fullmatch(str(codes["dtype"])):
        raise ValueError("codes that are no numbers")
    if not categories.is_monotonic_increasing and len(categories) > _MOST_UNSORTED:
        raise ValueError("too many categories without an order")
    return import_module("pandas").Categorical.from_codes(_decode_column(codes, decode), categories,
                                                          ordered=form["ordered"] is True)


def _array(dtype: str, items: list[Any]) -> Any:
    if dtype in _ITEMS and not set(map(type, items)) <= _ITEMS[dtype] | {type(None)}:
        raise ValueError("an item of another type than the column's")
    pandas = import_module("pandas")
    return pandas.array(objects(items), dtype="object" if dtype == "str" and version_of(pandas) < 3 else dtype)


def version_of(pandas: Any) -> int:
    return int(str(pandas.__version__).partition(".")[0])


def _unpacked(dtype: str, form: dict[str, Any]) -> Any:
    numpy, data = import_module("numpy"), base64.b64decode(form["base64"])
    if dtype == "bool":  # numpy takes any byte for one, and is then wrong
        return numpy.frombuffer(data, dtype="uint8") != 0
    return numpy.frombuffer(data, dtype=dtype).copy()


def objects(items: list[Any]) -> Any:
    """The items as they are. Of a list, numpy takes a range of a billion numbers for a row, and makes them all."""
    array = import_module("numpy").empty(len(items), dtype=object)
    if set(map(type, items)) <= _SIMPLE:
        array[:] = items
        return array
    for at, item in enumerate(items):
        array[at] = item
    return array


def zone(name: object) -> str:
    """The name of a time zone; ValueError for what could be the path of a file."""
    if not isinstance(name, str) or not re.fullmatch(_ZONE, name, re.ASCII):
        raise ValueError("a name that no time zone has")
    return name
