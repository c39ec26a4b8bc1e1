# SPDX-License-Identifier: Apache-2.0
"""What smolagents says: its imports, its tools, its words (P6 to P17)."""

from rows import SMOLAGENTS, accepted, allowing, authorized, refused

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

SMOLAGENTS_ROWS = (
    *(("P6", SMOLAGENTS, "import " + m, accepted()) for m in BASE),
    # P7: a path allows itself and what it starts with, not what is below it
    ("P7", allowing(SMOLAGENTS, "os.path"), "import os", accepted()),
    ("P7", allowing(SMOLAGENTS, "os.path"), "import os.path", accepted()),
    ("P7", SMOLAGENTS, "import collections.abc", no_import("collections.abc")),
    (
        "P7",
        allowing(SMOLAGENTS, "numpy"),
        "import numpy.random",
        no_import("numpy.random", "numpy"),
    ),
    ("P7", allowing(SMOLAGENTS, "numpy.*"), "import numpy\nimport numpy.random", accepted()),
    ("P7", allowing(SMOLAGENTS, "*"), "import json, numpy.random", accepted()),
    # P8
    ("P8", SMOLAGENTS, "import os", no_import("os")),
    ("P8", SMOLAGENTS, "import os as o", no_import("os")),
    ("P8", SMOLAGENTS, "from os import path", no_import_from("os")),
    ("P8", SMOLAGENTS, "from json import *", no_import_from("json")),
    # P13
    (
        "P13",
        SMOLAGENTS,
        "import random\nrandom._os",
        refused(None, "Forbidden access to module: os"),
    ),
    (
        "P13",
        SMOLAGENTS,
        "import queue\nqueue.threading",
        refused(None, "Forbidden access to module: threading"),
    ),
    # P14
    *(
        ("P14", SMOLAGENTS, call + "('x')", refused(None, "Forbidden access to function: " + call))
        for call in ("compile", "eval", "exec", "globals", "locals", "__import__")
    ),
    # P10: builtins that are no tools
    *(("P10", SMOLAGENTS, "x = " + name, accepted()) for name in TOOLS),
    *(
        ("P10", SMOLAGENTS, "x = %s" % name, smol("The variable `%s` is not defined." % name))
        for name in NO_TOOLS
    ),
    *(
        (
            "P11",
            SMOLAGENTS,
            "x = %s(1)" % name,
            smol(
                "Forbidden function evaluation: '%s' is not among the explicitly allowed tools or"
                " defined/imported in the preceding code" % name
            ),
        )
        for name in NO_TOOLS
        if name != "super"
    ),
    (
        "P11",
        SMOLAGENTS,
        "class A(B):\n    def f(self):\n        return super().f()",
        accepted(),
    ),
    ("P11", SMOLAGENTS, "def hash(x):\n    return x\nhash(1)", accepted()),
    (
        "P14",
        allowing(SMOLAGENTS, "builtins"),
        "import builtins\nbuiltins.open('x')",
        smol(
            "Invoking a builtin function that has not been explicitly added as a tool is not"
            " allowed (open)."
        ),
    ),
    (
        "P14",
        SMOLAGENTS,
        "import random\nrandom._os.system('x')",
        smol("Forbidden access to module: os"),
    ),
    (
        "P14",
        allowing(SMOLAGENTS, "os"),
        "import os\nos.popen('x')",
        smol("Forbidden access to function: popen"),
    ),
    # P15
    ("P15", SMOLAGENTS, "def __f__(): pass\n__f__()", smol("Forbidden call to dunder function: __f__")),
    # an attribute is asked before its object, a method after it
    ("P15", SMOLAGENTS, "{}.__f__.__g__", smol("Forbidden access to dunder attribute: __g__")),
    ("P15", SMOLAGENTS, "{}.__f__.__g__.__h__()", smol("Forbidden access to dunder attribute: __g__")),
    ("P15", SMOLAGENTS, "''.__f__().__g__()", smol("Forbidden call to dunder function: __f__")),
    ("P15", SMOLAGENTS, "x.__f__ = 1", accepted()),
    ("P15", SMOLAGENTS, "x.__init__()\nx.__str__()\nx.__repr__()", accepted()),
    *(
        (
            "P15",
            SMOLAGENTS,
            "x = ().%s" % name,
            refused(None, "Forbidden access to dunder attribute: " + name),
        )
        for name in ("__class__", "__dict__", "__subclasses__", "__anything__")
    ),
    (
        "P15",
        SMOLAGENTS,
        "getattr((), '__cla' + 'ss__')",
        refused(None, "Forbidden access to dunder attribute: __class__"),
    ),
    # P16, P17: ours runs what theirs cannot
    *(
        ("P17", SMOLAGENTS, text, accepted())
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
