# SPDX-License-Identifier: Apache-2.0
"""Values as typed JSON, the form in which they cross the wall: plain JSON where JSON has a form, else an object with
``$type``.

Nothing here runs code that the sandbox names. To decode a value takes at most MOST_MEMORY times the bytes of its JSON, and
time that grows with these bytes as to sort them does; what would take more is a `Foreign`. A class of the program's own becomes a plain value: a dataclass a dict,
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
import math
import pathlib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable, NoReturn, cast

from . import frames, keys, pictures, tables
from .documents import object_or_none
from .errors import UsageError
from .printable import lines, one_line

_SMALL = 1 << 62  # larger integers do not fit the readers on the way
_DEEPEST = 120
_WIDEST = 64  # bytes that an array of strings may reserve for each byte of its JSON
_LONGEST_DTYPE = 64  # characters of the name of an array's dtype
_MOST_EMPTY = 1 << 16  # rows of an array without items
_NUMBERS = {bool, int, float, complex}
_TEXTS = ({str}, {bytes})
MOST_MEMORY = 100  # bytes for each byte of a value's JSON; empty lists take 48, and an array may reserve _WIDEST
_NOTHING = object()
_LONGEST = 1 << 16  # bits of a fraction's parts: to reduce longer ones takes long


@dataclasses.dataclass(frozen=True)
class Foreign:
    """An object inside the sandbox that has no form outside: the name of its class, and its ``repr()``.

    >>> print(repr(Foreign("Odd", "<Odd \x1b[2J>")))
    <Odd \\x1b[2J>
    """

    class_name: str
    text: str

    def __repr__(self) -> str:
        return one_line(str(self.text or f"<{self.class_name} object>"))

    def __str__(self) -> str:
        return lines(str(self.text or f"<{self.class_name} object>"))

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> NoReturn:
            kind = one_line(str(self.__dict__.get("class_name", "object")))
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
    except (RecursionError, MemoryError):
        raise
    except Exception:  # numpy and pandas have many
        name = next((name for name in (form.get("class"), kind) if isinstance(name, str)), "object")[:200]
        text = form.get("repr")
        return Foreign(name, text if isinstance(text, str) else f"<{name} object>")


def _text(form: dict[str, Any], name: str = "text") -> str:
    """A text in a form. Constructors take more: a list for the digits of a number, for example."""
    text = form[name]
    if not isinstance(text, str):
        raise TypeError("no text")
    return text


def _items(form: dict[str, Any]) -> list[Any]:
    return [_decode(item) for item in form["items"]]


def _decode_dict(form: dict[str, Any]) -> Any:
    found = keys.dict_of([(_decode(key), _decode(value)) for key, value in form["items"]])
    makers: dict[str, Callable[[Any], Any]] = {"OrderedDict": collections.OrderedDict, "Counter": collections.Counter}
    maker = makers.get(form.get("class", ""))
    return maker(found) if maker else found


def _decode_bytes(form: dict[str, Any]) -> bytes:
    return _text(form).encode() if "text" in form else base64.b64decode(form["base64"])


def _decode_moment(kind: Any) -> Callable[[dict[str, Any]], Any]:
    def read(form: dict[str, Any]) -> Any:
        text = _text(form)
        return kind.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)

    return read


def _decode_fraction(form: dict[str, Any]) -> fractions.Fraction:
    parts: list[int] = [_decode(form["numerator"]), _decode(form.get("denominator", 1))]
    if any(part.bit_length() > _LONGEST for part in parts):
        raise ValueError("the fraction is too long")
    return fractions.Fraction(*parts)


def _decode_array(form: dict[str, Any]) -> Any:
    numpy = _module("numpy")
    items, kind = _items(form), str(form.get("class") or "")
    shape, types = _shape(form.get("shape", [len(items)]), len(items)), set(map(type, items))
    if len(kind) > _LONGEST_DTYPE:
        raise ValueError("a dtype with a long name")
    if kind.startswith(("datetime64", "timedelta64")):
        return numpy.array(_only({int}, types, items), dtype="int64").view(kind).reshape(shape)
    dtype = numpy.dtype(kind or _kind_of(types))
    if dtype.kind in "SU":
        return numpy.array(items, dtype=_width(numpy, dtype, types, items)).reshape(shape)
    if dtype.kind in "biufc":
        return numpy.array(_only(_NUMBERS, types, items), dtype=kind or None).reshape(shape)
    return frames.objects(items).reshape(shape)


def _kind_of(types: set[type]) -> str:
    """For an array whose dtype is not named. numpy decides which numbers it has, but not the width of strings."""
    return "f8" if types <= _NUMBERS else "U" if types == {str} else "S"


def _only(allowed: set[type], types: set[type], items: list[Any]) -> list[Any]:
    if not types <= allowed:
        raise ValueError("an item of another type than the array's")
    return items


def _shape(shape: Any, items: int) -> list[int]:
    """The shape. An array without items takes nothing, but its empty rows are made when it becomes a list."""
    if not all(type(n) is int and n >= 0 for n in shape) or math.prod(n or 1 for n in shape) > max(items, _MOST_EMPTY):
        raise ValueError("no shape of an array")
    return list(shape)


def _width(numpy: Any, dtype: Any, types: set[type], items: list[Any]) -> Any:
    """The dtype of an array of strings with its width: numpy reserves that for each of them."""
    _only(types if types in _TEXTS else set(), types, items)
    unit, lengths = numpy.dtype(dtype.kind + "1").itemsize, list(map(len, items))
    width = dtype.itemsize // unit or max([1, *lengths])
    if width * unit * len(items) > _WIDEST * (sum(lengths) + 3 * len(items)):
        raise ValueError("the array reserves far more than it has")
    return dtype if dtype.itemsize else f"{dtype.kind}{width}"


def _decode_scalar(form: dict[str, Any]) -> Any:
    if "unit" not in form:
        return _decode(form["value"])
    numpy = _module("numpy")
    kinds = {"datetime64": numpy.datetime64, "timedelta64": numpy.timedelta64}
    unit = form["unit"]
    number = form["value"]
    if type(number) is not int:
        raise ValueError("no number")
    return kinds[form["class"]](number, *([] if unit == "generic" else [_text(form, "unit")]))


def _decode_image(form: dict[str, Any]) -> Any:
    """A picture of PIL where that is installed, else the bytes of the PNG."""
    data = base64.b64decode(form["base64"])
    try:
        return pictures.picture(data)
    except Exception:  # PIL has many
        return data


_READERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "int": lambda form: int(_text(form, "hex"), 16),
    "float": lambda form: float(_text(form)),
    "str": lambda form: base64.b64decode(form["base64"]).decode("utf-8", "surrogatepass"),
    "list": _items,
    "complex": lambda form: complex(_decode(form["real"]), _decode(form["imag"])),
    "bytes": _decode_bytes,
    "bytearray": lambda form: bytearray(_decode_bytes(form)),
    "tuple": lambda form: tuple(_items(form)),
    "set": lambda form: keys.set_of(_items(form)),
    "frozenset": lambda form: frozenset(keys.set_of(_items(form))),
    "deque": lambda form: collections.deque(_items(form)),
    "dict": _decode_dict,
    "range": lambda form: range(form.get("start", 0), form["stop"], form.get("step", 1)),
    "decimal": lambda form: decimal.Decimal(_text(form)),
    "fraction": _decode_fraction,
    "path": lambda form: pathlib.PurePosixPath(_text(form)),
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
    "frame": lambda form: frames.decode_frame(form, _decode),
    "series": lambda form: frames.decode_series(form, _decode),
}


_TABLE = "application/vnd.dataresource+json"


def decode_shown(form: Any, bundles: list[Mapping[str, Any]]) -> Any:
    """The value of a cell. `bundles` are the displays of the value; a table among them becomes a frame of pandas."""
    value = decode(form)
    if not isinstance(value, Foreign) or value.class_name not in ("DataFrame", "Series"):
        return value
    table = next((bundle[_TABLE] for bundle in bundles if _TABLE in bundle), None)
    whole = object_or_none(table)
    if whole is None or "cut" in whole:
        return value
    try:
        frame = tables.frame_of(whole)
        return frame.iloc[:, 0] if value.class_name == "Series" else frame
    except Exception:  # no pandas, or a table that it does not take
        return value
