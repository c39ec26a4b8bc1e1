# SPDX-License-Identifier: Apache-2.0
"""Values as typed JSON, the form in which they cross the wall: plain JSON where JSON has a form, else an object with
``$type``.

Nothing here runs code that the sandbox names. A class of the program's own becomes a plain value: a dataclass a dict,
a named tuple a tuple, an enum its value. An object without a form becomes a `Foreign`.
"""

from __future__ import annotations

import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import importlib
import io
import pathlib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable, NoReturn, cast

from . import frames
from .documents import object_or_none
from .errors import UsageError

_SMALL = 1 << 62  # larger integers do not fit the readers on the way
_DEEPEST = 120
_WIDEST = 1024  # bytes that an array of texts may reserve for each character in it
_MOST_ALIKE = 1000  # keys with one hash
_NUMBERS_AND_TEXTS = (int, float, complex, str, bytes)
_NOTHING = object()
_LONGEST = 1 << 16  # bits of a fraction's parts: to reduce longer ones takes long


@dataclasses.dataclass(frozen=True)
class Foreign:
    """An object inside the sandbox that has no form outside: the name of its class, and its ``repr()``."""

    class_name: str
    text: str

    def __repr__(self) -> str:
        return self.text or f"<{self.class_name} object>"

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> NoReturn:
            kind = self.__dict__.get("class_name", "object")
            raise AttributeError(f"only the repr() of this {kind} crossed the wall, so it has no '{name}' here; use it in "
                                 "a cell, or read a frame or an array as box.variables['name']")


# ---- from Python ----


def encode(value: object, depth: int = 0) -> Any:
    """The typed JSON of a value; `UsageError` if it has none.

    >>> encode({"a": (1, 2)})
    {'a': {'$type': 'tuple', 'items': [1, 2]}}
    """
    if depth > _DEEPEST:
        raise UsageError(f"the value is nested more than {_DEEPEST} levels deep, or contains itself")
    if isinstance(value, enum.Enum):
        return encode(value.value, depth + 1)
    for kind, write in _WRITERS:
        if isinstance(value, kind):
            return write(value, depth + 1)
    return _encode_other(value, depth + 1)


def _encode_int(value: int, depth: int) -> Any:
    return int(value) if -_SMALL < value < _SMALL else {"$type": "int", "hex": hex(value)}


def _encode_float(value: float, depth: int) -> Any:
    return float(value) if value - value == 0 else {"$type": "float", "text": repr(float(value))}


def _encode_str(value: str, depth: int) -> Any:
    try:
        value.encode()
    except UnicodeEncodeError:
        return {"$type": "str", "base64": _base64(value.encode("utf-8", "surrogatepass"))}
    return str(value)


def _encode_dict(value: Mapping[Any, Any], depth: int) -> Any:
    kind = type(value).__name__ if isinstance(value, (collections.OrderedDict, collections.Counter)) else None
    if kind is None and all(type(key) is str and key != "$type" and "\0" not in key for key in value):
        return {key: encode(item, depth) for key, item in value.items()}
    form: dict[str, Any] = {"$type": "dict", "items": [[encode(k, depth), encode(v, depth)] for k, v in value.items()]}
    return {**form, "class": kind} if kind in ("OrderedDict", "Counter") else form


def _encode_items(form: str) -> Callable[[Any, int], Any]:
    return lambda value, depth: {"$type": form, "items": [encode(item, depth) for item in value]}


def _encode_text(form: str, text: Callable[[Any], str]) -> Callable[[Any, int], Any]:
    return lambda value, depth: {"$type": form, "text": text(value)}


def _encode_moment(value: datetime.datetime, depth: int) -> Any:
    """NaT of pandas, a datetime that does not equal itself, is None."""
    return {"$type": "datetime", "text": value.isoformat()} if value == value else None


def _encode_timedelta(value: datetime.timedelta, depth: int) -> Any:
    return {"$type": "timedelta", "days": value.days, "seconds": value.seconds, "microseconds": value.microseconds}


def _encode_fraction(value: fractions.Fraction, depth: int) -> Any:
    return {"$type": "fraction", "numerator": encode(value.numerator), "denominator": encode(value.denominator)}


def _encode_other(value: Any, depth: int) -> Any:
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        pairs = [[f.name, encode(getattr(value, f.name), depth)] for f in dataclasses.fields(value)]
        return {"$type": "dataclass", "class": type(value).__name__, "items": pairs}
    if value is getattr(sys.modules.get("pandas"), "NA", _NOTHING):
        return None  # as NaT
    found = _encode_foreign(value, depth)
    if found is not None:
        return found
    raise UsageError(f"a value of the type {type(value).__qualname__} cannot cross the wall; give lists, dicts and "
                     "numbers, or write the data to a file of the sandbox")


def _encode_array(value: Any, depth: int) -> Any:
    """None for an array of objects, or one with a mask, which would be lost."""
    kind = value.dtype.kind
    if kind not in "mMbiufcSU" or _is_a(value, "numpy.ma", "MaskedArray"):
        return None
    flat = _module("numpy").asarray(value).ravel()
    items = flat.astype("int64").tolist() if kind in "mM" else [encode(item, depth) for item in flat.tolist()]
    return {"$type": "ndarray", "class": str(value.dtype), "shape": list(value.shape), "items": items}


def _encode_foreign(value: Any, depth: int) -> Any:
    """The form of an array, a number or a picture of a package; None for anything else."""
    if _is_a(value, "pandas", "DataFrame"):
        return frames.encode_frame(value, encode)
    if _is_a(value, "pandas", "Series"):
        return frames.encode_series(value, encode)
    if _is_a(value, "numpy", "generic"):
        return _encode_scalar(value, depth)
    if _is_a(value, "numpy", "ndarray"):
        return _encode_array(value, depth)
    if _is_a(value, "PIL.Image", "Image"):
        data = io.BytesIO()
        value.save(data, "PNG")
        return {"$type": "image", "class": "PNG", "mode": str(value.mode), "base64": _base64(data.getvalue())}
    return None


def _encode_scalar(value: Any, depth: int) -> Any:
    """A number of numpy is a plain one, but its times have a unit."""
    if value.dtype.kind not in "mM":
        return encode(value.item(), depth)
    kind, _, unit = str(value.dtype).rstrip("]").partition("[")
    return {"$type": "scalar", "class": kind, "unit": unit or "generic", "value": int(value.astype("int64"))}


def _is_a(value: object, module: str, name: str) -> bool:
    """Whether the value is of a type of a package, which is loaded if there is such a value."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def _module(name: str) -> Any:
    """A module of a package that may not be installed, and whose types are not known here."""
    return importlib.import_module(name)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


# In this order: bool is an int, datetime is a date.
_WRITERS: list[tuple[Any, Callable[[Any, int], Any]]] = [
    ((bool, type(None)), lambda value, depth: value),
    (int, _encode_int),
    (float, _encode_float),
    (str, _encode_str),
    (list, lambda value, depth: [encode(item, depth) for item in value]),
    (dict, _encode_dict),
    (tuple, _encode_items("tuple")),
    (set, _encode_items("set")),
    (frozenset, _encode_items("frozenset")),
    (collections.deque, _encode_items("deque")),
    (bytes, lambda value, depth: {"$type": "bytes", "base64": _base64(value)}),
    (bytearray, lambda value, depth: {"$type": "bytearray", "base64": _base64(value)}),
    (complex, lambda v, depth: {"$type": "complex", "real": encode(v.real), "imag": encode(v.imag)}),
    (range, lambda v, depth: {"$type": "range", "start": v.start, "stop": v.stop, "step": v.step}),
    (datetime.datetime, _encode_moment),
    (datetime.date, _encode_text("date", datetime.date.isoformat)),
    (datetime.time, _encode_text("time", datetime.time.isoformat)),
    (datetime.timedelta, _encode_timedelta),
    (decimal.Decimal, _encode_text("decimal", str)),
    (fractions.Fraction, _encode_fraction),
    (pathlib.PurePath, _encode_text("path", lambda value: value.as_posix())),
    (Mapping, _encode_dict),
]


# ---- to Python ----


def decode(form: object) -> Any:
    """The value of a typed JSON document. One that is too deep or too large is a `Foreign`.

    >>> decode({"$type": "tuple", "items": [1, {"$type": "bytes", "base64": "AAE="}]})
    (1, b'\\x00\\x01')
    """
    try:
        return _decode(form)
    except (RecursionError, MemoryError):
        return Foreign("object", "<a value that is nested too deeply, or too large>")


def _decode(form: object) -> Any:
    if isinstance(form, list):
        return [_decode(item) for item in cast("list[object]", form)]
    typed = object_or_none(form)
    if typed is None:
        return form
    if "$type" not in typed:
        return {key: _decode(item) for key, item in typed.items()}
    return _decode_typed(typed["$type"], typed)


def _decode_typed(kind: Any, form: dict[str, Any]) -> Any:
    try:
        return _READERS[kind](form)
    except (KeyError, ValueError, TypeError, IndexError, ArithmeticError, ImportError, AttributeError, OSError):
        return Foreign(str(form.get("class", kind))[:200], _shown(form))


def _shown(form: dict[str, Any]) -> str:
    text = form.get("repr")
    return text if isinstance(text, str) else f"<{form.get('class', form['$type'])} object>"[:200]


def _items(form: dict[str, Any]) -> list[Any]:
    return [_decode(item) for item in form["items"]]


def _keys(keys: list[Any]) -> list[Any]:
    """The keys of a set or a dict. A program may choose numbers that all have one hash: that takes quadratic time."""
    for found, count in collections.Counter(map(hash, keys)).most_common(1):
        if count > _MOST_ALIKE and len({repr(key) for key in keys if hash(key) == found}) > _MOST_ALIKE:
            raise ValueError("too many keys have the same hash")
    return keys


def _decode_dict(form: dict[str, Any]) -> Any:
    pairs = [(_decode(key), _decode(value)) for key, value in form["items"]]
    _keys([key for key, _ in pairs])
    makers: dict[str, Callable[[Any], Any]] = {"OrderedDict": collections.OrderedDict, "Counter": _counter}
    return makers.get(form.get("class", ""), dict)(pairs)


def _counter(pairs: list[tuple[Any, int]]) -> collections.Counter[Any]:
    return collections.Counter(dict(pairs))


def _decode_bytes(form: dict[str, Any]) -> bytes:
    if "text" in form:
        return str(form["text"]).encode()
    return base64.b64decode(form["base64"])


def _decode_moment(kind: Any) -> Callable[[dict[str, Any]], Any]:
    def read(form: dict[str, Any]) -> Any:
        text = str(form["text"])
        return kind.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)

    return read


def _decode_fraction(form: dict[str, Any]) -> fractions.Fraction:
    parts: list[int] = [_decode(form["numerator"]), _decode(form.get("denominator", 1))]
    if any(part.bit_length() > _LONGEST for part in parts):
        raise ValueError("the fraction is too long")
    return fractions.Fraction(*parts)


def _decode_array(form: dict[str, Any]) -> Any:
    numpy = _module("numpy")
    items, kind = _items(form), str(form.get("class", ""))
    shape = [int(n) for n in form.get("shape", [len(items)])]
    is_time = kind.startswith(("datetime64", "timedelta64"))
    dtype = numpy.dtype("int64" if is_time else kind or None)
    if dtype.kind not in "biufcSU":
        return frames.objects(items).reshape(shape)
    if not all(isinstance(item, _NUMBERS_AND_TEXTS) for item in items):
        raise ValueError("an item that is no number and no text")
    if is_time:
        return numpy.array(items, dtype=dtype).view(kind).reshape(shape)
    if dtype.kind in "SU" and dtype.itemsize * len(items) > _WIDEST * sum(len(item) + 1 for item in items):
        raise ValueError("the array reserves far more than it has")
    return numpy.array(items, dtype=kind or None).reshape(shape)


def _decode_scalar(form: dict[str, Any]) -> Any:
    if "unit" not in form:
        return _decode(form["value"])
    numpy = _module("numpy")
    kinds = {"datetime64": numpy.datetime64, "timedelta64": numpy.timedelta64}
    unit = form["unit"]
    return kinds[form["class"]](int(form["value"]), *([] if unit == "generic" else [unit]))


def _decode_image(form: dict[str, Any]) -> Any:
    """A picture of PIL where that is installed, else the bytes of the PNG."""
    data = base64.b64decode(form["base64"])
    try:
        image = _module("PIL.Image")
    except ImportError:
        return data
    try:
        return image.open(io.BytesIO(data), formats=["PNG"])
    except (OSError, image.DecompressionBombError):
        return data


_READERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "int": lambda form: int(form["hex"], 16),
    "float": lambda form: float(form["text"]),
    "str": lambda form: base64.b64decode(form["base64"]).decode("utf-8", "surrogatepass"),
    "list": _items,
    "complex": lambda form: complex(_decode(form["real"]), _decode(form["imag"])),
    "bytes": _decode_bytes,
    "bytearray": lambda form: bytearray(_decode_bytes(form)),
    "tuple": lambda form: tuple(_items(form)),
    "set": lambda form: set(_keys(_items(form))),
    "frozenset": lambda form: frozenset(_keys(_items(form))),
    "deque": lambda form: collections.deque(_items(form)),
    "dict": _decode_dict,
    "range": lambda form: range(form.get("start", 0), form["stop"], form.get("step", 1)),
    "decimal": lambda form: decimal.Decimal(form["text"]),
    "fraction": _decode_fraction,
    "path": lambda form: pathlib.PurePosixPath(form["text"]),
    "date": _decode_moment(datetime.date),
    "time": _decode_moment(datetime.time),
    "datetime": _decode_moment(datetime.datetime),
    "timedelta": lambda f: datetime.timedelta(f.get("days", 0), f.get("seconds", 0), f.get("microseconds", 0)),
    "enum": lambda form: _decode(form["value"]),
    "namedtuple": lambda form: tuple(_decode(value) for _, value in form["items"]),
    "dataclass": lambda form: {name: _decode(value) for name, value in form["items"]},
    "scalar": _decode_scalar,
    "ndarray": _decode_array,
    "image": _decode_image,
    "frame": lambda form: frames.decode_frame(form, _decode, _keys),
    "series": lambda form: frames.decode_series(form, _decode, _keys),
}


_TABLE = "application/vnd.dataresource+json"


def decode_shown(form: Any, bundles: list[Mapping[str, Any]]) -> Any:
    """The value of a cell. `bundles` are the displays of the value; a table among them becomes a frame of pandas."""
    value = decode(form)
    if not isinstance(value, Foreign) or value.class_name not in ("DataFrame", "Series"):
        return value
    table = next((bundle[_TABLE] for bundle in bundles if _TABLE in bundle), None)
    whole = object_or_none(table)
    frame = None if whole is None or "cut" in whole else _frame(whole)
    if frame is None:
        return value
    return frame.iloc[:, 0] if value.class_name == "Series" else frame


def _frame(table: dict[str, Any]) -> Any:
    try:
        pandas = _module("pandas")
    except ImportError:
        return None
    try:
        schema = table["schema"]
        frame = pandas.DataFrame(table["data"], columns=[field["name"] for field in schema["fields"]])
        for field in schema["fields"]:
            frame[field["name"]] = _column(pandas, frame[field["name"]], field)
        keys = schema.get("primaryKey", [])
        if keys:
            frame = frame.set_index(list(keys))
            frame.index.names = [None if name == "index" else name for name in frame.index.names]
        return frame
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, OSError):
        return None


def _column(pandas: Any, column: Any, field: Mapping[str, Any]) -> Any:
    if field.get("type") == "datetime":
        moments = pandas.to_datetime(column, utc=True)
        return moments.dt.tz_convert(frames.zone(field["tz"])) if "tz" in field else moments.dt.tz_localize(None)
    kinds = {"integer": "int64", "number": "float64", "boolean": "bool"}
    kind = kinds.get(str(field.get("type")))
    return column.astype(kind) if kind and not (kind != "float64" and column.isna().any()) else column
