# SPDX-License-Identifier: Apache-2.0
"""Frames and series of pandas as typed JSON, and back. The bytes of numpy's columns cross the wall as they are; the
other columns as lists of values.

What a program sends is read with a list of dtypes: none of them can run code or reserve more than was sent.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Hashable
from importlib import import_module
from typing import Any, Callable

from .errors import UsageError

Encode = Callable[[Any], Any]
Check = Callable[[list[Any]], object]

_ITEMS = frozenset(("object", "str", "string", "boolean", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32",
                    "UInt64", "Float32", "Float64"))
_PACKED = re.compile(r"bool|u?int(?:8|16|32|64)|float(?:16|32|64|128)|complex(?:64|128|256)|"
                     r"(?:datetime|timedelta)64\[(?:s|ms|us|ns)\]", re.ASCII)
_ZONE = r"(?!dateutil)[A-Za-z0-9_+:/-]{1,64}"
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
    """to_series() alone makes a column of texts out of an index of objects."""
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
    if dtype in _ITEMS:
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


def decode_frame(form: dict[str, Any], decode: Encode, check: Check) -> Any:
    data = [_decode_column(column, decode, check) for column in form["data"]]
    frame = import_module("pandas").DataFrame(dict(enumerate(data)), index=_decode_index(form["index"], decode, check))
    frame.columns = _decode_index(form["columns"], decode, check)
    return frame


def decode_series(form: dict[str, Any], decode: Encode, check: Check) -> Any:
    data = _decode_column(form["data"], decode, check)
    index = _decode_index(form["index"], decode, check)
    return import_module("pandas").Series(data, index=index, name=decode(form["name"]), dtype=data.dtype)


def _decode_index(form: dict[str, Any], decode: Encode, check: Check) -> Any:
    pandas = import_module("pandas")
    names = [decode(name) for name in form["names"]]
    if "range" in form:
        return pandas.RangeIndex(*map(int, form["range"]), name=names[0])
    columns = [_decode_column(level, decode, check) for level in form["levels"]]
    levels = [pandas.Index(column, dtype=getattr(column.dtype, "numpy_dtype", column.dtype)) for column in columns]
    return pandas.MultiIndex.from_arrays(levels, names=names) if form["multi"] else levels[0].set_names(names)


def _decode_column(form: dict[str, Any], decode: Encode, check: Check) -> Any:
    dtype = str(form["dtype"])
    zone = _IN_ZONE.fullmatch(dtype)
    if dtype == "category":
        categories = _decode_column(form["categories"], decode, check)
        codes = _decode_column(form["codes"], decode, check)
        return import_module("pandas").Categorical.from_codes(codes, categories, ordered=form["ordered"] is True)
    if dtype in _ITEMS:
        return _array(dtype, [decode(item) for item in form["items"]], check)
    if zone:
        moments = import_module("pandas").Series(_unpacked(f"{zone[1]}]", form))
        return moments.dt.tz_localize("UTC").dt.tz_convert(zone[2]).array
    if _PACKED.fullmatch(dtype):
        return _unpacked(dtype, form)
    raise ValueError("a dtype that no column has")


def _array(dtype: str, items: list[Any], check: Check) -> Any:
    check([item for item in items if isinstance(item, Hashable)])
    pandas = import_module("pandas")
    has_str = int(str(pandas.__version__).partition(".")[0]) >= 3
    return pandas.array(objects(items), dtype="object" if dtype == "str" and not has_str else dtype)


def _unpacked(dtype: str, form: dict[str, Any]) -> Any:
    data = base64.b64decode(form["base64"])
    return import_module("numpy").frombuffer(data, dtype=dtype).copy()


def objects(items: list[Any]) -> Any:
    """The items as they are. Of a list, numpy takes a range of a billion numbers for a row, and makes them all."""
    array = import_module("numpy").empty(len(items), dtype=object)
    for at, item in enumerate(items):
        array[at] = item
    return array


def zone(name: object) -> str:
    """The name of a time zone; ValueError for what could be the path of a file."""
    if not isinstance(name, str) or not re.fullmatch(_ZONE, name, re.ASCII):
        raise ValueError("a name that no time zone has")
    return name
