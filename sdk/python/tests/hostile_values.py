# SPDX-License-Identifier: Apache-2.0
"""Typed JSON as a hostile program makes it: forms of every kind that the decoder knows, of many sizes, with keys that
collide, and then changed in places."""

from __future__ import annotations

import base64
import random
import struct
import zlib
from collections.abc import Callable
from typing import Any

import hostile_keys

WORDS = ("", "a", "index", "\x1b[2J\u202e", "é", "😀" * 3, "a" * 1000, "nan", "inf", "-0", "1e999999999", "-1e-999999", "9" * 5000,
         "0x" + "f" * 5000, "2026-01-01", "2026-01-01T00:00:00.5Z", "9999-12-31T23:59:59", "10:00:00", "../../etc/passwd", "Europe/Berlin")
NUMBERS = (0, 1, -1, 2, 3, 7, 1.5, -0.0, 1e300, 255, 65536, 1 << 31, (1 << 61) - 1, (1 << 62), (1 << 63) - 1, -(1 << 63))
CLASSES = (None, "", "int64", "<i4", "float64", "float16", "float128", "complex64", "bool", "U", "<U0", "S", "<U5", "S9", "<U99999", "str",
           "object", "O", "V8", "i8,O", "(9,9)i8", "datetime64[ns]", "timedelta64[s]", "datetime64", "datetime64[25Y]", "M8[s]",
           "OrderedDict", "Counter", "PNG", "DataFrame", "\x1b]0;x\x07", 5, [], {"a": 1})
DTYPES = ("object", "str", "string", "boolean", "Int64", "UInt8", "Float64", "category", "bool", "int8", "int64", "uint64", "float16",
          "float64", "complex128", "datetime64[ns]", "datetime64[s]", "timedelta64[ms]", "datetime64[ns, UTC]",
          "datetime64[ns, Europe/Berlin]", "datetime64[s, ../etc]", "V9", None)


class Maker:
    """Makes forms from the numbers of one seed."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.left = 400  # forms in one value, beside the items of long lists

    def size(self) -> int:
        """Mostly small; some thousand now and then."""
        return int(2 ** self.rng.uniform(0, 4)) if self.rng.random() < 0.9 else int(2 ** self.rng.uniform(4, 14))

    def value(self, depth: int = 0) -> Any:
        self.left -= 1
        if depth > 8 or self.left < 0 or self.rng.random() < 0.4:
            return self.rng.choice((self.number, self.word, lambda: None, lambda: True))()
        if self.rng.random() < 0.15:
            return [self.value(depth + 1) for _ in range(self.size() % 20)]
        return self.rng.choice(FORMS)(self, depth + 1)

    def number(self) -> Any:
        return self.rng.choice(NUMBERS) if self.rng.random() < 0.7 else self.rng.getrandbits(62)

    def word(self) -> str:
        return self.rng.choice(WORDS)

    def keys(self, depth: int) -> list[Any]:
        """Keys of a set, a dict or a column, which often collide."""
        n, kind = self.size(), self.rng.randrange(9)
        if kind == 0:
            return hostile_keys.alike(n)
        if kind == 1:
            return [1] * n + hostile_keys.alike(n)
        if kind == 2:
            return list(hostile_keys.one_after_the_other(max(n, 40)))
        if kind == 3:
            return list(hostile_keys.alike_for_pandas(n))
        if kind == 4:
            return [{"$type": "tuple", "items": [key, 1]} for key in hostile_keys.alike(n)]
        if kind == 5:
            return [{"$type": "complex", "real": 1000003 * i, "imag": -i} for i in range(n)]
        if kind == 6:
            return [{"$type": "fraction", "numerator": i, "denominator": {"$type": "int", "hex": hex((1 << 2000) - 1)}} for i in range(n % 100)]
        if kind == 7:
            return [f"k{i}" for i in range(n)]
        return [self.value(depth) for _ in range(n % 10)]

    def items(self, depth: int) -> list[Any]:
        n, kind = self.size(), self.rng.randrange(6)
        if kind == 0:
            return [self.number() for _ in range(n)]
        if kind == 1:
            return [self.word() for _ in range(n)]
        if kind == 2:
            return ["A" * n, *[self.rng.choice(("", 0))] * n]
        if kind == 3:
            return [self.value(depth)] * (n % 100)
        return self.keys(depth)

    def base64(self, width: int = 8) -> str:
        n = self.size()
        kind = self.rng.randrange(4)
        numbers = hostile_keys.alike_for_pandas(n) if kind == 0 else [self.rng.getrandbits(63) for _ in range(n)] if kind == 1 else list(range(n))
        data = struct.pack(f"<{n}q", *numbers) if kind < 3 else bytes(n * width)
        return base64.b64encode(data).decode() + ("=" if self.rng.random() < 0.05 else "")

    def index(self, depth: int) -> Any:
        names = [self.rng.choice((None, "index", self.value(depth))) for _ in range(self.rng.randrange(1, 3))]
        if self.rng.random() < 0.3:
            return {"range": [0, self.rng.choice((0, 1, self.size(), 1 << 60, 10**30)), self.rng.choice((1, 1, 0, -1))], "names": names}
        multi = self.rng.random() < 0.6
        return {"multi": multi, "levels": [self.column(depth) for _ in range(len(names) if multi else 1)], "names": names}

    def column(self, depth: int) -> Any:
        dtype = self.rng.choice(DTYPES)
        form: dict[str, Any] = {"$type": "column", "dtype": dtype}
        if dtype == "category" and depth < 8:
            return {**form, "codes": self.column(depth + 1), "categories": self.column(depth + 1), "ordered": self.rng.random() < 0.5}
        plain = str(dtype).lower().startswith(("obj", "str", "boolean")) or str(dtype)[:1] in "IUF"
        return {**form, "items": self.items(depth)} if plain else {**form, "base64": self.base64()}

    def table(self) -> Any:
        """What a notebook shows of a frame."""
        names = [self.rng.choice(("c", f"c{i}", "index", i)) if self.rng.random() < 0.3 else f"c{i}" for i in range(self.size() % 300)]
        kinds = ("integer", "number", "boolean", "datetime", "string", "any", "duration", None)
        fields = [{"name": name, "type": self.rng.choice(kinds)} for name in names]
        rows = self.rng.choice(([], [{}] * self.size(), [dict.fromkeys(map(str, names), self.number()) for _ in range(self.size() % 50)],
                                [{str(name): self.value(6) for name in names} for _ in range(self.size() % 5)]))
        return {"schema": {"fields": fields, "primaryKey": names[:self.rng.randrange(4)]}, "data": rows}


def changed(maker: Maker, form: Any) -> Any:
    """The form with some of its parts replaced, taken away, made twice or put into each other."""
    rng = maker.rng
    places: list[tuple[Any, Any]] = []
    rest = [form]
    while rest and len(places) < 3000:
        part = rest.pop()
        inner = list(part.items()) if isinstance(part, dict) else list(enumerate(part))[:50] if isinstance(part, list) else []
        places.extend((part, key) for key, _ in inner)
        rest.extend(value for _, value in inner)
    for part, key in rng.sample(places, min(len(places), rng.randrange(4))):
        how = rng.randrange(6)
        if how == 0 and isinstance(part, dict):
            part.pop(key, None)
        elif how == 1:
            part[key] = rng.choice(CLASSES)
        elif how == 2 and isinstance(part, list):
            part[key:key] = [None] * rng.randrange(1, 50)
        elif how == 3:
            part[key] = nested(rng.choice((5, 50, 300)), part.get(key) if isinstance(part, dict) else 1)
        else:
            part[key] = maker.value(6)
    return form


def nested(levels: int, form: Any) -> Any:
    for _ in range(levels):
        form = {"$type": "tuple", "items": [form]}
    return form


def picture(maker: Maker, depth: int) -> Any:
    rng = maker.rng
    header = struct.pack(">IIBBBBB", rng.choice((1, 10, 100_000)), rng.choice((1, 1000)), rng.choice((1, 8, 16)), rng.randrange(7), 0, 0, 0)
    body = zlib.compress(bytes(rng.choice((100, 100_000, 1_000_000))), 9)
    chunks = [(b"IHDR", header), *[(rng.choice((b"zTXt", b"iCCP", b"IDAT", b"tEXt", b"PLTE")), b"a\0\0" + body) for _ in range(rng.randrange(4))],
              (b"iTXt", b"a\0\1\0\0\0" + body), (b"IEND", b"")]
    parts = [struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks]
    return {"$type": "image", "base64": base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()}


def of_items(kind: str) -> Callable[[Maker, int], Any]:
    return lambda m, d: {"$type": kind, "items": m.keys(d) if "set" in kind else m.items(d)}


def of_text(kind: str, name: str = "text") -> Callable[[Maker, int], Any]:
    return lambda m, d: {"$type": kind, name: m.word() if m.rng.random() < 0.9 else m.value(d)}


def pairs(m: Maker, depth: int) -> list[Any]:
    return [[key, m.number()] for key in m.keys(depth)]


FORMS: list[Callable[[Maker, int], Any]] = [
    *map(of_items, ("list", "tuple", "set", "frozenset", "deque")),
    *map(of_text, ("float", "decimal", "path", "date", "time", "datetime", "bytes", "unknown")),
    of_text("int", "hex"),
    *(lambda m, d, kind=kind: {"$type": kind, "base64": m.base64()} for kind in ("str", "bytes", "bytearray", "image")),
    lambda m, d: {"$type": "complex", "real": m.value(d), "imag": m.number()},
    lambda m, d: {"$type": "range", "start": m.number(), "stop": m.number(), "step": m.number()},
    lambda m, d: {"$type": "fraction", "numerator": m.value(d), "denominator": m.value(d)},
    lambda m, d: {"$type": "timedelta", "days": m.number(), "seconds": m.number(), "microseconds": m.number()},
    lambda m, d: {"$type": "dict", "class": m.rng.choice(CLASSES), "items": pairs(m, d)},
    lambda m, d: {"$type": m.rng.choice(("namedtuple", "dataclass")), "items": pairs(m, d)},
    lambda m, d: {"$type": "enum", "class": m.word(), "value": m.value(d)},
    lambda m, d: {"$type": "scalar", "class": m.rng.choice(CLASSES), "unit": m.rng.choice(("ns", "s", "generic", "25s", 5)), "value": m.value(d)},
    lambda m, d: {"$type": "ndarray", "class": m.rng.choice(CLASSES), "items": m.items(d)},
    lambda m, d: {"$type": "ndarray", "class": m.rng.choice(CLASSES), "items": m.items(d), "shape": [m.number(), m.size()]},
    lambda m, d: {"$type": "other", "class": m.rng.choice(CLASSES), "repr": m.value(d)},
    lambda m, d: {"$type": "series", "name": m.value(d), "index": m.index(d), "data": m.column(d)},
    lambda m, d: {"$type": "frame", "index": m.index(d), "columns": m.index(d), "data": [m.column(d) for _ in range(m.size() % 8)]},
    lambda m, d: {m.word(): m.value(d) for _ in range(m.size() % 30)},
    picture,
]
