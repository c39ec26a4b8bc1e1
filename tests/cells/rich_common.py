# SPDX-License-Identifier: Apache-2.0
"""What the tests of rich results share: the guest's text, loaded here, and checks in TAP."""

import base64
import json
import os
import struct
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
GUESTS = os.path.join(HERE, "..", "..", "src", "wall", "guests")
PARTS = ("cells_charts.py", "cells_rich.py", "cells_hooks.py")
LIMITS = {"bundle": 1 << 20, "text": 2000}
PNG, CHART, TABLE = "image/png", "application/vnd.glovebox.chart+json", "application/vnd.dataresource+json"
counts = {"run": 0, "failed": 0}


def read(name):
    with open(os.path.join(GUESTS, name), encoding="utf-8") as f:
        return f.read()


TEXT = "".join(map(read, PARTS))
rich, emitted = {"__name__": "cells"}, []
exec(compile(TEXT, "cells", "exec", dont_inherit=True), rich)


# ---- TAP ----

def ok(good, name, seen=None):
    counts["run"] += 1
    counts["failed"] += not good
    print("%sok %d - %s" % ("" if good else "not ", counts["run"], name))
    if not good and seen is not None:
        print("#   " + repr(seen)[:1000])


def same(got, expected, name):
    ok(got == expected, name, {"got": got, "expected": expected})


def skip(name):
    counts["run"] += 1
    print("ok %d - %s # SKIP no %s on this machine" % (counts["run"], name, name))


def has(module):
    try:
        __import__(module)
        return True
    except ImportError:
        return False


# ---- helpers ----

def value(obj, **limits):
    made = rich["bundle"](obj, "value", {**LIMITS, **limits})
    json.dumps(made, allow_nan=False)
    return made


def data(obj, **limits):
    return value(obj, **limits)["data"]


def why(made, mime):
    return next((d["why"] for d in made["dropped"] if d["mime"] == mime), "")


def cell(function):
    """Runs a function as the cell server would; the value's bundle, and what was displayed."""
    del emitted[:]
    rich["before_cell"]()
    result = function()
    made = None if result is None else value(result)
    rich["after_cell"](emitted.append)
    return made, list(emitted)


def size_of_png(text):
    png = base64.b64decode(text, validate=True)
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and png.endswith(b"IEND\xaeB`\x82"), png[:16]
    return struct.unpack(">II", png[16:24])


def pixels_of_png(text):
    """That every row is there: the length of what its IDAT chunks unpack to."""
    png, at, packed = base64.b64decode(text), 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IDAT":
            packed += png[at + 8:at + 8 + length]
        at += 12 + length
    return len(zlib.decompress(packed))
