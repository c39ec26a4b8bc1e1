# SPDX-License-Identifier: Apache-2.0
"""What smolagents says: its imports, its tools, its words."""

from rows import RESTRICTED, SMOLAGENTS, accepted, allowing, authorized, refused

BASE = (
    "collections datetime itertools math queue random re stat statistics time unicodedata"
).split()


def no_import(module, *more):
    text = "Import of %s is not allowed. Authorized imports are: %s"
    return refused("imports", text % (module, authorized(*BASE, *more)))


def no_import_from(module, *more):
    text = "Import from %s is not allowed. Authorized imports are: %s"
    return refused("imports", text % (module, authorized(*BASE, *more)))


def smol(reason):
    return refused(None, reason)


TOOLS = (
    "print isinstance range float int bool str set list dict tuple round pow len sum max min abs"
    " enumerate zip reversed sorted all any map filter ord chr next iter divmod callable getattr"
    " hasattr setattr issubclass type complex ValueError KeyError"
).split()
NO_TOOLS = (
    "open input vars dir id hash repr bytes bytearray frozenset slice object staticmethod"
    " classmethod property super hex bin oct format memoryview"
).split()

NO_CALL = (
    "Forbidden function evaluation: '%s' is not among the explicitly allowed tools or"
    " defined/imported in the preceding code"
)
ERASED = "Cannot assign to name '%s': doing this would erase the existing tool!"

SMOLAGENTS_ROWS = (
    *(("imports", SMOLAGENTS, "import " + m, accepted()) for m in BASE),
    # a path allows itself and what it starts with, not what is below it
    ("paths", allowing(SMOLAGENTS, "os.path"), "import os", accepted()),
    ("paths", allowing(SMOLAGENTS, "os.path"), "import os.path", accepted()),
    ("paths", SMOLAGENTS, "import collections.abc", no_import("collections.abc")),
    (
        "paths",
        allowing(SMOLAGENTS, "numpy"),
        "import numpy.random",
        no_import("numpy.random", "numpy"),
    ),
    ("paths", allowing(SMOLAGENTS, "numpy.*"), "import numpy\nimport numpy.random", accepted()),
    ("paths", allowing(SMOLAGENTS, "*"), "import json, numpy.random", accepted()),
    ("imports", SMOLAGENTS, "import os", no_import("os")),
    ("imports", SMOLAGENTS, "import os as o", no_import("os")),
    ("imports", SMOLAGENTS, "from os import path", no_import_from("os")),
    ("imports", SMOLAGENTS, "from json import *", no_import_from("json")),
    (
        "modules",
        SMOLAGENTS,
        "import random\nrandom._os",
        refused(None, "Forbidden access to module: os"),
    ),
    (
        "modules",
        SMOLAGENTS,
        "import queue\nqueue.threading",
        refused(None, "Forbidden access to module: threading"),
    ),
    *(
        ("functions", SMOLAGENTS, call + "('x')", refused(None, "Forbidden access to function: " + call))
        for call in ("compile", "eval", "exec", "globals", "locals", "__import__")
    ),
    # builtins that are no tools
    *(("builtins", SMOLAGENTS, "x = " + name, accepted()) for name in TOOLS),
    *(
        ("builtins", SMOLAGENTS, "x = %s" % name, smol("The variable `%s` is not defined." % name))
        for name in NO_TOOLS
    ),
    *(
        (
            "calls",
            SMOLAGENTS,
            "x = %s(1)" % name,
            smol(NO_CALL % name),
        )
        for name in NO_TOOLS
        if name != "super"
    ),
    (
        "calls",
        SMOLAGENTS,
        "class A(B):\n    def f(self):\n        return super().f()",
        accepted(),
    ),
    ("calls", SMOLAGENTS, "def hash(x):\n    return x\nhash(1)", accepted()),
    # decorators of these names, and annotations, are not evaluated there
    *(
        ("decorators", SMOLAGENTS, "class A:\n    @%s\n    def f(x): return 1" % name, accepted())
        for name in ("property", "staticmethod", "classmethod")
    ),
    ("decorators", SMOLAGENTS, "@property\n@classmethod\ndef f(x): pass", accepted()),
    ("decorators", SMOLAGENTS, "@memoryview\ndef f(): pass", smol("The variable `memoryview` is not defined.")),
    ("decorators", SMOLAGENTS, "@property(1)\ndef f(): pass", smol(NO_CALL % "property")),
    *(
        ("annotations", SMOLAGENTS, text % name, accepted())
        for name in ("object", "bytes", "frozenset", "slice", "memoryview")
        for text in (
            "def f(x: %s, *y: int): pass",
            "def f(x) -> dict[str, %s | None]: pass",
            "x: %s = 1",
            "class A:\n    x: list[%s] = []",
        )
    ),
    ("annotations", SMOLAGENTS, "def f(x: int = bytes): pass", smol("The variable `bytes` is not defined.")),
    ("annotations", SMOLAGENTS, "x: int = bytes", smol("The variable `bytes` is not defined.")),
    ("annotations", SMOLAGENTS, "def f(x: open('a')): pass", smol(NO_CALL % "open")),
    (
        "annotations",
        SMOLAGENTS,
        "def f(x: eval): pass",
        smol("Forbidden access to function: eval"),
    ),
    ("annotations", RESTRICTED, "def f(x: bytes): pass", refused("imports", None)),
    # no statement of the module assigns to a function that smolagents has
    *(
        ("erased", SMOLAGENTS, text % name, smol(ERASED % name))
        for name in ("print", "len", "sqrt", "atan2", "complex")
        for text in (
            "%s = 3",
            "a, (b, *%s) = 1, (2, 3)",
            "x = 1\nfor %s in []: pass",
            "if 1:\n    %s += 1",
            "%s: int = 1",
            "([%s := 1])",
        )
    ),
    *(
        ("erased", SMOLAGENTS, text, accepted())
        for text in (
            "def len(x): return 1",
            "def f(sum):\n    max = sum\n    return max",
            "class A:\n    print = 1",
            "[len for len in []]",
            "f = lambda sum: sum",
            "x = print\nprint(x)",
            "hash = 1",
        )
    ),
    (
        "functions",
        allowing(SMOLAGENTS, "builtins"),
        "import builtins\nbuiltins.open('x')",
        smol(
            "Invoking a builtin function that has not been explicitly added as a tool is not"
            " allowed (open)."
        ),
    ),
    (
        "functions",
        SMOLAGENTS,
        "import random\nrandom._os.system('x')",
        smol("Forbidden access to module: os"),
    ),
    (
        "functions",
        allowing(SMOLAGENTS, "os"),
        "import os\nos.popen('x')",
        smol("Forbidden access to function: popen"),
    ),
    ("dunder", SMOLAGENTS, "def __f__(): pass\n__f__()", smol("Forbidden call to dunder function: __f__")),
    # an attribute is asked before its object, a method after it
    ("dunder", SMOLAGENTS, "{}.__f__.__g__", smol("Forbidden access to dunder attribute: __g__")),
    ("dunder", SMOLAGENTS, "{}.__f__.__g__.__h__()", smol("Forbidden access to dunder attribute: __g__")),
    ("dunder", SMOLAGENTS, "''.__f__().__g__()", smol("Forbidden call to dunder function: __f__")),
    ("dunder", SMOLAGENTS, "x.__f__ = 1", accepted()),
    ("dunder", SMOLAGENTS, "x.__init__()\nx.__str__()\nx.__repr__()", accepted()),
    *(
        (
            "dunder",
            SMOLAGENTS,
            "x = ().%s" % name,
            refused(None, "Forbidden access to dunder attribute: " + name),
        )
        for name in ("__class__", "__dict__", "__subclasses__", "__anything__")
    ),
    (
        "dunder",
        SMOLAGENTS,
        "getattr((), '__cla' + 'ss__')",
        refused(None, "Forbidden access to dunder attribute: __class__"),
    ),
    # ours runs what theirs cannot
    *(
        ("newer forms", SMOLAGENTS, text, accepted())
        for text in (
            "if (x := 1): pass",
            "def f():\n    yield 1\n    yield from f()",
            "def f():\n    global x\n    x = 1",
            "def f():\n    y = 1\n    def g():\n        nonlocal y\n        y = 2",
            "match 1:\n    case 1: pass",
            "async def f():\n    await g()\n    async for x in y: pass\n    async with z: pass",
            "try: pass\nexcept* ValueError: pass",
            "type X = int",
            "x = a @ b",
            "del x.y",
            "a, *b = [1, 2]",
            "x = {**d}",
            "class A:\n    if True:\n        x = 1",
            "x = [i for i in range(3)]\nwhile x: x.pop()\nelse: pass",
        )
    ),
)
