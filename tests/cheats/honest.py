# SPDX-License-Identifier: Apache-2.0
"""Right solutions of unusual kinds, with test code that passes when both run in one plain Python, and a wrong twin of each,
with which it does not: corpus(tables) makes them, plain(...) tries them. A right one passes or has no verdict, with few
exceptions; a wrong one never passes. $CHEATS=all takes every value through every program; $CHEATS_PYTHON names the Python
of a virtual environment with numpy and pandas."""

import os
import re
import subprocess
import sys
import tempfile

from box import Box
from names import task

# name: (imports, right, wrong, more checks of v)
VALUES = {
    "int": ("", "41 + 1", "41", "v + 1 == 43 and isinstance(v, int)"),
    "huge": ("", "7 ** 300", "7 ** 301", "v % 7 == 0"),
    "float": ("", "0.1 + 0.2", "0.1 + 0.3", "abs(v - 0.3) < 1e-9"),
    "complex": ("", "3 + 4j", "3 - 4j", "abs(v) == 5"),
    "text": ("", "'h\\xe9llo'.upper()", "'hello'", "v[0] == 'H' and len(v) == 5"),
    "bytes": ("", "b'ab' * 2", "b'ab'", "v.hex() == '61626162'"),
    "list": ("", "sorted([3, 1, 2])", "[3, 1, 2]", "v[-1] == 3 and v[::-1] == [3, 2, 1]"),
    "nested": ("", "[[i * j for i in range(3)] for j in range(2)]", "[[0] * 3] * 2", "v[1][2] == 2 and sum(map(sum, v)) == 3"),
    "tuple": ("", "tuple('ab')", "tuple('ba')", "a_of(v) == 'a'"),
    "dict": ("", "{'b': [1], 'a': {2: 3}}", "{'b': [1]}", "list(v) == ['b', 'a'] and v['a'][2] == 3"),
    "set": ("", "set('hello')", "set('help')", "'l' in v and len(v) == 4"),
    "frozen": ("", "frozenset([(1, 2), (3, 4)])", "frozenset()", "(1, 2) in v"),
    "range": ("", "range(2, 9, 3)", "range(2, 9)", "list(v) == [2, 5, 8]"),
    "slice": ("", "slice(1, None, 2)", "slice(None)", "'abcd'[v] == 'bd'"),
    "date": ("import datetime", "datetime.date(2024, 2, 29)", "datetime.date(2024, 3, 1)", "v.isoformat() == '2024-02-29'"),
    "span": ("import datetime", "datetime.timedelta(hours=25)", "datetime.timedelta(1)", "v.days == 1 and v.total_seconds() == 90000"),
    "decimal": ("from decimal import Decimal", "Decimal('0.1') * 3", "Decimal('0.1')", "str(v) == '0.3'"),
    "fraction": ("from fractions import Fraction", "Fraction(1, 3) + Fraction(1, 6)", "Fraction(1, 3)", "v.denominator == 2"),
    "deque": ("from collections import deque", "deque([1, 2, 3], maxlen=3)", "deque()", "v[0] == 1 and list(v) == [1, 2, 3]"),
    "counter": ("from collections import Counter", "Counter('hello')", "Counter('help')", "v['l'] == 2 and v['q'] == 0 and v.most_common(1) == [('l', 2)]"),
    "ordered": ("from collections import OrderedDict", "OrderedDict([('b', 1), ('a', 2)])", "OrderedDict([('a', 2), ('b', 1)])", "next(iter(v)) == 'b'"),
    "default": ("from collections import defaultdict", "defaultdict(list, a=[1])", "defaultdict(int)", "v['q'] == [] and sorted(v) == ['a', 'q']"),
    "keys": ("", "{'a': 1, 'b': 2}.keys()", "{'a': 1}.keys()", "v & {'b', 'c'} == {'b'}"),
    "path": ("from pathlib import PurePosixPath", "PurePosixPath('/a') / 'b.txt'", "PurePosixPath('/a')", "v.suffix == '.txt'"),
    "nothing": ("", "None", "0", "v is None"),
    "truth": ("", "bool('x')", "bool('')", "v is True"),
}
TABLES = {
    "array": ("import numpy as np", "np.arange(6).reshape(2, 3) * 2", "np.arange(6)", "v.shape == (2, 3) and v.sum() == 30 and (v[:, 1] == [2, 8]).all()"),
    "floats": ("import numpy as np", "np.linspace(0, 1, 5, dtype='f4')", "np.zeros(5)", "v.dtype == np.float32 and np.allclose(v, [0, .25, .5, .75, 1])"),
    "mask": ("import numpy as np", "np.array([1, 5, 3]) > 2", "np.array([1, 5, 3]) > 3", "v.dtype == bool and v.any() and not v.all()"),
    "scalar": ("import numpy as np", "np.int64(7) * 6", "np.int64(7)", "isinstance(v, np.integer) and v == 42"),
    "times": ("import numpy as np", "np.array(['2024-01-31', '2024-03-01'], 'M8[D]')", "np.array(['2024-01-31'], 'M8[D]')", "np.diff(v)[0] == np.timedelta64(30, 'D')"),
    "dtype": ("import numpy as np", "np.dtype('f4')", "np.dtype('f8')", "v == np.float32 and v.itemsize == 4"),
    "frame": ("import pandas as pd", "pd.DataFrame({'a': [1, 2, 3], 'b': ['x', None, 'z']}, index=[9, 8, 7])", "pd.DataFrame({'a': [1, 2, 3]})",
              "v.shape == (3, 2) and v['a'].sum() == 6 and v.loc[8, 'a'] == 2 and list(v.columns) == ['a', 'b']"),
    "grouped": ("import pandas as pd", "pd.DataFrame({'k': list('aab'), 'n': [1, 2, 3]}).groupby('k').n.sum()", "pd.Series([1, 2])", "v['a'] == 3 and v.name == 'n' and v.index.name == 'k'"),
    "series": ("import pandas as pd", "pd.Series([1.5, None, 3], index=list('abc'), name='s')", "pd.Series([1.5])", "v.isna().sum() == 1 and v['c'] == 3 and v.mean() == 2.25"),
    "dates": ("import pandas as pd", "pd.date_range('2024-01-30', periods=3, freq='D', tz='Europe/Paris')", "pd.date_range('2024-01-30', periods=3)", "v[2].day == 1 and len(v) == 3"),
    "moment": ("import pandas as pd", "pd.Timestamp('2024-02-28 12:30') + pd.Timedelta('1D')", "pd.Timestamp('2024-02-28')", "v.day == 29 and v.hour == 12"),
    "category": ("import pandas as pd", "pd.Series(pd.Categorical(['lo', 'hi', 'lo'], ['lo', 'hi'], ordered=True))", "pd.Series(['lo'])", "list(v.cat.codes) == [0, 1, 0]"),
    "levels": ("import pandas as pd", "pd.MultiIndex.from_product([[1, 2], list('ab')], names=['n', 'c'])", "pd.Index([1])", "v.nlevels == 2 and list(v.names) == ['n', 'c']"),
    "pivot": ("import pandas as pd", "pd.DataFrame({'r': [1, 1, 2], 'c': list('xyx'), 'v': [1., 2., 3.]}).pivot_table(index='r', columns='c', values='v')", "pd.DataFrame()", "v.loc[2, 'x'] == 3 and v['y'].isna().sum() == 1"),
}

# name: (the candidate's code, with @ for the value; how the test gets it)
PROGRAMS = {
    "function": ("def f():\n    return @\n", "f()"),
    "generator": ("def f():\n    yield @\n", "next(f())"),
    "iterator": ("class It:\n    def __init__(self): self.n = 0\n    def __iter__(self): return self\n    def __next__(self):\n        self.n += 1\n"
                 "        if self.n > 1: raise StopIteration\n        return @\n", "list(It())[0]"),
    "method": ("class Box:\n    def __init__(self, n): self.n = n\n    def get(self): return @\n", "Box(1).get()"),
    "property": ("class Box:\n    @property\n    def value(self): return @\n", "Box().value"),
    "attribute": ("class Box:\n    def __init__(self): self.value = @\n", "Box().value"),
    "closure": ("def make():\n    n = @\n    def inner(): return n\n    return inner\n", "make()()"),
    "class method": ("class Box:\n    @classmethod\n    def get(cls): return @\n    @staticmethod\n    def other(): return 1\n", "Box.get()"),
    "coroutine": ("async def f():\n    return @\n", "asyncio.run(f())"),
    "context": ("import contextlib\n@contextlib.contextmanager\ndef opened():\n    yield @\n", "enter(opened())"),
    "exception": ("class Found(Exception):\n    def __init__(self, value): super().__init__('found'); self.value = value\ndef f(): raise Found(@)\n", "caught(f, Found).value"),
    "callback": ("def f(g):\n    return g(@)\n", "f(lambda v: v)"),
    "decorated": ("import functools\ndef twice(g):\n    @functools.wraps(g)\n    def inner(*a, **k): return g(*a, **k)\n    return inner\n@twice\ndef f():\n    return @\n", "f()"),
    "cached": ("import functools\n@functools.lru_cache(None)\ndef f(n):\n    return @\n", "f(3)"),
    "partial": ("import functools\ndef g(a, b): return a[0] if b else None\nf = functools.partial(g, [@])\n", "f(True)"),
    "data class": ("from dataclasses import dataclass\nfrom typing import Any\n@dataclass\nclass Row:\n    value: Any\n    n: int = 1\ndef f(): return Row(@)\n", "f().value"),
    "named tuple": ("from collections import namedtuple\nRow = namedtuple('Row', 'value n')\ndef f(): return Row(@, 1)\n", "f().value"),
    "constant": ("VALUE = @\ndef f(): return VALUE\n", "VALUE"),
    "item": ("class Shelf:\n    def __getitem__(self, key): return @ if key == 'k' else None\n", "Shelf()['k']"),
    "in a list": ("def f(): return [@, 0]\n", "f()[0]"),
    "in a dict": ("def f(**names): return {name: @ for name in names}\n", "f(x=1)['x']"),
    "argument": ("def f(items): items.append(@)\n", "filled(f)"),
    "slots": ("class Box:\n    __slots__ = ('value',)\n    def __init__(self): self.value = @\n    def __repr__(self): return 'Box'\n", "Box().value"),
    "call": ("class Caller:\n    def __call__(self, *a): return @\nf = Caller()\n", "f(1, 2)"),
    "walrus": ("def f(n):\n    if (m := n) > 0:\n        return @\n", "f(n=3)"),
}
HEAD = """import asyncio
def a_of(v): return v[0]
def enter(c):
    with c as v: return v
def caught(f, kind):
    try: f()
    except kind as e: return e
def filled(f):
    items = []
    f(items)
    return items[0]
"""


def same(name):
    if name in ("frame", "pivot"):
        return "pd.testing.assert_frame_equal(v, want)"
    if name in ("series", "grouped", "category"):
        return "pd.testing.assert_series_equal(v, want)"
    if name in ("dates", "levels"):
        return "pd.testing.assert_index_equal(v, want)"
    if name in ("array", "floats", "mask", "times"):
        return "np.testing.assert_array_equal(v, want)"
    return "assert v == want and type(v) is type(want)"


def products(tables):
    """Each kind of value in each kind of program: (name, right, wrong, tests)."""
    values = {**VALUES, **(TABLES if tables else {})}
    for i, (what, (imports, right, wrong, check)) in enumerate(values.items()):
        for j, (how, (code, get)) in enumerate(PROGRAMS.items()):
            # Each kind of value meets a part of the programs: a table takes a second to import.
            if (i + j) % (8 if what in TABLES else 3) and os.environ.get("CHEATS") != "all":
                continue
            head = imports + "\n"
            with_value = lambda value: head + re.sub(r"@(?![a-z])", lambda _: value, code)
            yield ("%s, %s" % (what, how), with_value(right), with_value(wrong),
                   head + HEAD + "v = %s\nwant = %s\n%s\nassert %s\n" % (get, right, same(what), check))


# Programs of their own: code, ~ old => new for the wrong twin, ~ the test.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "honest.txt"), encoding="utf-8") as source:
    ALONE = source.read()


def alone(tables):
    for text in ALONE.split("\n# ")[1:]:
        name, _, body = text.partition("\n")
        code, _, rest = body.partition("\n~ ")
        change, _, test = rest.partition("\n~\n")
        old, _, new = change.partition(" =>")
        if code.count(old) != 1:
            raise ValueError("%s: %r is there %d times" % (name, old, code.count(old)))
        if tables or not ("pandas" in body or "numpy" in body):
            yield name, code + "\n", code.replace(old, new[1:]) + "\n", test + "\n"


def corpus(tables):
    return [*products(tables), *alone(tables)]


# ---- the oracle ----

ORACLE = r"""
import json, os, signal, sys, unittest
for name in ("numpy", "pandas"):
    try: __import__(name)
    except ImportError: pass
def run(code, test):
    import types
    module = sys.modules["__main__"] = sys.modules["solution"] = types.ModuleType("__main__")
    space = module.__dict__
    exec(compile(code, "c.py", "exec"), space)
    exec(compile(test, "t.py", "exec"), space)
    for kind in [v for v in list(space.values()) if isinstance(v, type) and issubclass(v, unittest.TestCase)]:
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(kind).run(result)
        assert result.wasSuccessful() and result.testsRun
for code, test in json.load(open(sys.argv[1])):
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        status = 1
        try:
            signal.alarm(20)
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            if len(sys.argv) < 3: os.dup2(1, 2)
            run(code, test)
            status = 0
        except BaseException:
            if len(sys.argv) > 2: sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
    print(int(os.waitpid(pid, 0)[1] == 0))
"""


def plain(python, pairs, *show):
    """Whether each (code, test) ends well in one process."""
    import json
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pairs.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(pairs, f)
        done = subprocess.run([python, "-c", ORACLE, path, *show], stdout=subprocess.PIPE, timeout=1800, check=True, cwd=folder)
    return [line == b"1" for line in done.stdout.splitlines()]


def test(tap):
    python = os.environ.get("CHEATS_PYTHON") or "/usr/bin/python3"
    has = subprocess.run([python, "-c", "import numpy, pandas"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    made = corpus(has)
    oracle = plain(python, [(code, t) for _, right, wrong, t in made for code in (right, wrong)])
    bad = [made[i // 2][0] for i, passes in enumerate(oracle) if passes == bool(i % 2)]
    tap.ok(not bad and len(oracle) == 2 * len(made), "in a plain Python %d solutions pass and their twins fail" % len(made), bad)
    more = [] if python == "/usr/bin/python3" else ["--python", os.path.dirname(os.path.dirname(python))]
    with Box() as box:
        tasks = [dict(task("%s %d" % (kind, i), code, [made[i][3]], timeout=20)) for i in range(len(made))
                 for kind, code in (("right", made[i][1]), ("wrong", made[i][2]))]
        results, done = box.suite(tasks, *more, timeout=1800)
    found = {r["id"]: r for r in results}
    tap.equal(len(found), len(tasks), "each has a result", done)
    report(tap, made, found)


def report(tap, made, found):
    names = {True: [], False: [], None: []}
    for i, each in enumerate(made):
        right, wrong = found["right %d" % i], found["wrong %d" % i]
        verdict = None if right["error"] else right["all_passed"]
        names[verdict].append((each[0], right["error"] or right["detail"]))
        if wrong["all_passed"]:
            tap.ok(False, "a wrong twin passes: %s" % each[0], each[2], each[3], wrong)
    share = {k: len(v) / len(made) for k, v in names.items()}
    tap.note("of %d right solutions %d passed (%.1f %%), %d had no verdict (%.1f %%), %d failed (%.1f %%)" % (
        len(made), len(names[True]), 100 * share[True], len(names[None]), 100 * share[None], len(names[False]), 100 * share[False]))
    tap.ok(share[False] <= 0.01, "at most one in a hundred right solutions fails", *names[False])
    tap.ok(share[True] >= 0.85, "most of them pass", *names[None])
    tap.ok(not any(found["wrong %d" % i]["all_passed"] for i in range(len(made))), "no wrong twin passes")
