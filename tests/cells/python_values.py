# SPDX-License-Identifier: Apache-2.0
"""Python's sessions: values in and out, tools, final_answer(), display()."""

import ast
import base64
import os

from driver import LIMITS, source, tool


def start(path, **options):
    from python_cells import Python

    return Python(path, **options)


def program_text():
    import python_cells

    return python_cells.program_text()


# Python text; what it is as typed JSON (None: only there and back again).
PLAIN = (
    ("None", None), ("True", True), ("-3", -3), ("1.5", 1.5), ("'é\\0'", "é\0"), ("[1, [2]]", [1, [2]]),
    ("{'a': 1}", {"a": 1}), ("{'b': {'c': [{}]}, '': None}", {"b": {"c": [{}]}, "": None}), ("{'é': (1,)}", {"é": {"$type": "tuple", "items": [1]}}),
    ("{'n\\0': 1}", {"$type": "dict", "items": [["n\0", 1]]}), ("{'\\ud800': 1}['\\ud800']", 1), ("type('S', (str,), {})('k') and {type('S', (str,), {})('k'): 1}", {"$type": "dict", "items": [["k", 1]]}),
    ("{'b': 1, 'a': 2}", {"b": 1, "a": 2}), ("{1: 2}", {"$type": "dict", "items": [[1, 2]]}), ("{'$type': 'x'}", {"$type": "dict", "items": [["$type", "x"]]}),
    ("(1, 'b')", {"$type": "tuple", "items": [1, "b"]}), ("{3}", {"$type": "set", "items": [3]}),
    ("frozenset([3])", {"$type": "frozenset", "items": [3]}), ("b'\\xff'", {"$type": "bytes", "base64": "/w=="}),
    ("1 << 70", {"$type": "int", "hex": "0x400000000000000000"}), ("float('inf')", {"$type": "float", "text": "inf"}),
    ("1+2j", {"$type": "complex", "real": 1.0, "imag": 2.0}), ("{1j: (2,)}", None), ("range(1, 9, 2)", None),
    ("'\\ud800'", {"$type": "str", "base64": "7aCA"}),
    ("datetime.date(2024, 2, 29)", {"$type": "date", "text": "2024-02-29"}),
    ("datetime.datetime(2024, 2, 29, 12, 0, 1, 5)", None), ("datetime.time(1, 2)", None),
    ("datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)", {"$type": "datetime", "text": "2024-01-01T00:00:00+00:00"}),
    ("datetime.timedelta(1, 2, 3)", {"$type": "timedelta", "days": 1, "seconds": 2, "microseconds": 3}),
    ("decimal.Decimal('1.50')", {"$type": "decimal", "text": "1.50"}), ("fractions.Fraction(1, 3)", None),
    ("pathlib.Path('/a/b')", {"$type": "path", "text": "/a/b"}), ("collections.deque([1])", None),
    ("collections.OrderedDict(a=1)", None), ("collections.Counter('aab')", None), ("bytearray(b'x')", None),
    ("Point(1, 2)", {"$type": "namedtuple", "class": "Point", "items": [["x", 1], ["y", 2]]}),
    ("Colour.RED", {"$type": "enum", "class": "Colour", "name": "RED", "value": 1}),
    ("Record(1, [2])", {"$type": "dataclass", "class": "Record", "module": "__main__", "items": [["a", 1], ["b", [2]]]}))
SETUP = """import collections, dataclasses, datetime, decimal, enum, fractions, pathlib
Point = collections.namedtuple('Point', 'x y')
class Colour(enum.Enum):
    RED = 1
@dataclasses.dataclass
class Record:
    a: int
    b: list
@dataclasses.dataclass(eq=False)
class Other:
    a: int
class Words(str): pass
class Many(list): pass
"""


def test_values(tap, path):
    with start(path) as g:
        g.run(SETUP)
        for text, want in PLAIN:
            value = g.run("v = %s; v" % text.replace(";", "")).value
            if want is not None:
                tap.equal(value, want, "value " + text)
            got = g.get("v")
            tap.ok(got["ok"] and (text == "None" or got["values"]["v"] == value), "get " + text, got, value)
            done = g.set({"w": got["values"]["v"]})
            tap.ok(done["ok"] and g.run("type(v) is type(w) and (v == w)").value is True, "set " + text, done)
        tap.equal(g.run("Other(3)").value["items"], [["a", 3]], "a dataclass without ==")
        tap.equal(g.run("Words('w')").value, "w", "a str's subclass")
        tap.equal(g.run("Many([Many()])").value, [[]], "a list's subclass")
        tap.equal(g.run("float('nan')").value, {"$type": "float", "text": "nan"}, "nan")
        tap.equal(g.run("print").value, {"$type": "other", "class": "builtin_function_or_method",
                                         "repr": "<built-in function print>"}, "what has no form")
        g.run("m = Many()\nm.append(m)\ndeep = []\nfor _i in range(500): deep = [deep]\nl = []\nl.append(l)")
        for text in ("m", "deep", "l", "'x' * %d" % (LIMITS["value"] + 1), "list(range(300000))", "1 << 500000"):
            cell = g.run(text)
            tap.ok(cell.ok and cell.value["$type"] == "other" and "stayed in the sandbox: " in cell.value["repr"]
                   and f"at most {LIMITS['value'] >> 10} KiB" in cell.value["repr"]
                   and [d for d in cell.results[0]["dropped"] if d["mime"] == "value"],
                   "no room for " + text[:20], str(cell)[:300])
        tap.ok(" of length 300000 " in g.run("list(range(300000))").value["repr"], "its length is there")
        g.run("d = {}\nfor _i in range(119): d = {1: d}")
        tap.ok(g.run("d").value is not None, "as deep as may be")
        cell = g.run("class R:\n    def __repr__(self): raise ValueError('no')\nR()")
        tap.ok(cell.ok and "cannot be shown" in cell.value["repr"] or cell.value["$type"] == "other", "no repr()", cell)
        cell = g.run("class N:\n    n = 0\n    def __repr__(self):\n        N.n += 1\n        return 'N'\nN()")
        tap.equal((cell.value["repr"], g.run("N.n").value), ("N", 1), "repr() is asked once")
        got = g.get("v", "nothere", "print", "Point", "m", "x y")
        tap.ok(not got["ok"] and got["missing"] == ["nothere", "print", "x y"]
               and got["failed"]["Point"] == "Cannot safely serialize object of type type" and "itself" in got["failed"]["m"]
               and list(got["values"]) == ["v"], "get of what is not there", got)
        done = g.set({"z": {"$type": "nonsense"}})
        tap.ok(not done["ok"] and done["exception"]["type"] == "ValueError", "set of what makes no sense", done)
        tap.equal(g.set({"r": {"$type": "dataclass", "class": "Gone", "items": [["a", 1]]}})["ok"] and g.run("r['a']").value,
                  1, "a class that is not there")
        tap.ok(g.set({"a": 1, "b": {"k": [1]}})["ok"] and g.run("a, b['k']").value["items"] == [1, [1]], "set of plain JSON")


def test_libraries(tap, path):
    with start(path) as g:
        if g.run("import numpy as np").ok:
            for text, want in (("np.arange(6).reshape(2, 3)", None), ("np.array(['a', 'b'])", None),
                               ("np.array([1.5, np.nan])", None), ("np.float32(1.5)", None), ("np.int64(3)", None),
                               ("np.bool_(True)", None), ("np.array(['2024-01-01', 'NaT'], dtype='datetime64[ns]')", None),
                               ("np.datetime64('2024-01-01T00:00')", None), ("np.array(5)", None), ("np.zeros((0, 3))", None)):
                g.run("v = %s" % text)
                got = g.get("v")
                tap.ok(got["ok"], "get " + text, got)
                tap.ok(g.set({"w": got["values"]["v"]})["ok"], "set " + text)
                same = g.run("type(v) is type(w) and getattr(v, 'dtype', 0) == getattr(w, 'dtype', 0) and "
                             "np.array_equal(np.asarray(v).astype(str), np.asarray(w).astype(str))")
                tap.equal(same.value, True, "there and back " + text, same)
        else:
            tap.skip("values of numpy", "no numpy")
        if g.run("import pandas as pd").ok:
            tap.equal(g.run("pd.Timestamp('2024-01-01 10:00')").value, {"$type": "datetime", "text": "2024-01-01T10:00:00"},
                      "pandas' Timestamp")
            cell = g.run("pd.DataFrame({'a': [1, 2]})")
            tap.ok(cell.value["$type"] == "other" and "text/html" in cell.results[0]["data"], "a frame", cell)
            tap.equal(g.run("pd.NaT").value["$type"], "other", "NaT")
            check_frames(tap, g)
        else:
            tap.skip("values of pandas", "no pandas")
        if g.run("from PIL import Image\nv = Image.new('RGB', (3, 2), (1, 2, 3))").ok:
            got = g.get("v")
            tap.ok(got["ok"] and base64.b64decode(got["values"]["v"]["base64"]).startswith(b"\x89PNG"), "an image")
            cell = g.run("v.convert('CMYK')")
            tap.ok(cell.value["mode"] == "RGB" and cell.results[0]["dropped"] == [], "one of a mode that a PNG does not have", cell)
            g.set({"w": got["values"]["v"]})
            tap.equal(g.run("w.size, w.mode, w.getpixel((1, 1))").value["items"][1], "RGB", "... and back")
        else:
            tap.skip("images", "no PIL")


FRAMES = (
    "pd.DataFrame({'i': [1, 2], 'f': [1.5, float('nan')], 's': ['a', None], 'b': [True, False], 7: [(1,), {2}]})",
    "pd.DataFrame({'d': pd.to_datetime(['2024-01-01', None]), 'z': pd.to_datetime(['2024-07-01', None]).tz_localize('UTC')})",
    "pd.DataFrame({'c': pd.Categorical(['x', None], ['y', 'x'], ordered=True), 'n': pd.array([1, None], dtype='Int64')})",
    "pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([('a', 1), ('a', 2)], names=['p', None]))",
    "pd.DataFrame({'a': [1, 2]}, index=pd.Index(['p', 'q'], name='k'))", "pd.DataFrame([[1, 2]], columns=['a', 'a'])",
    "pd.DataFrame()", "pd.DataFrame(index=[3, 4])", "pd.Series([1.5], name=('a', 1))", "pd.Series(['x'], dtype='string')")


def check_frames(tap, g):
    for text in FRAMES:
        g.run("v = %s" % text)
        got = g.get("v")
        tap.ok(got["ok"] and got["values"]["v"]["$type"] in ("frame", "series"), "get " + text, got)
        tap.ok(g.set({"w": got["values"]["v"]})["ok"], "set " + text)
        same = g.run("getattr(pd.testing, 'assert_%s_equal' % type(v).__name__.replace('Data', '').lower())(v, w)")
        tap.ok(same.ok, "there and back " + text, same)
    g.run("v = pd.DataFrame({'p': pd.period_range('2024', periods=2)})")
    tap.ok("period" in g.get("v")["failed"]["v"], "a column without a form")
    g.run("v = pd.DataFrame({'a': [0.0] * 300000})")
    tap.ok("larger" in g.get("v")["failed"]["v"], "a frame that is too large")


# ---- tools ----

TOOLS = {"add": lambda args, kwargs: sum(args) + sum(kwargs.values()), "echo": lambda args, kwargs: args[0]}


def failing(kind):
    def tool(args, kwargs):
        raise kind("why not")
    return tool


def test_tools(tap, path):
    rows = [tool("add", "a", "b", description="Adds."), tool("echo", parameters=None)]
    with start(path, tools=rows) as g:
        cell = g.run("add(1, b=2)", tools=TOOLS)
        tap.equal((cell.value, cell.calls), (3, [{"name": "add", "args": [1], "kwargs": {"b": 2}}]), "a call")
        tap.equal(g.run("add.__name__, add.__doc__, add.__module__").value["items"], ["add", "Adds.", "__main__"], "names")
        for text, kind, words in (("add(1, 2, 3)", "TypeError", "from 0 to 2 positional"), ("add(c=1)", "TypeError", "keyword argument 'c'"),
                                  ("add(1, a=2)", "TypeError", "multiple values"),
                                  ("add(print)", "TypeError", "Cannot safely serialize object of type builtin_"),
                                  ("add([{1: add}])", "TypeError", "Cannot safely serialize object of type function"),
                                  ("echo('x' * %d)" % (LIMITS["call"] + 1), "ValueError", "cannot be sent")):
            cell = g.run(text)
            tap.ok(cell.exception["type"] == kind and words in cell.exception["message"] and not cell.calls
                   and cell.err.count("File") == 1, text[:30], cell)
        for kind, want in ((TimeoutError, "TimeoutError"), (TypeError, "TypeError"), (ValueError, "ValueError"),
                           (KeyError, "KeyError"), (RuntimeError, "RuntimeError"), (FileNotFoundError, "FileNotFoundError"),
                           (type("QuotaError", (Exception,), {}), "RuntimeError"), (type("UnicodeDecodeError", (Exception,), {}), "RuntimeError")):
            cell = g.run("x = 1\necho(1)", tools={"echo": failing(kind)})
            tap.ok(cell.exception["type"] == want and "why not" in cell.exception["message"]
                   and cell.exception["line"] == 2 and "glovebox" not in cell.err, "a tool raises %s" % kind.__name__, cell)
        for text in ("(1, {2: b'x'})", "'é' * 70000", "None", "[[1.5]] * 1000"):
            tap.equal(g.run("echo(%s) == %s" % (text, text), tools=TOOLS).value, True, "there and back: %s" % text)
        cell = g.run("import threading\nout = []\nts = [threading.Thread(target=lambda i=i: out.append(add(i, 1))) "
                     "for i in range(8)]\n[t.start() for t in ts]\nmine = [add(100, i) for i in range(8)]\n"
                     "[t.join(20) for t in ts]\nsorted(out), mine", tools=TOOLS)
        tap.equal(cell.value["items"] if cell.ok else cell, [list(range(1, 9)), list(range(100, 108))], "calls from threads")
        number = g.begin("ts = [threading.Thread(target=lambda i=i: out.append(echo(i))) for i in range(5)]\nout.clear()\n"
                         "[t.start() for t in ts]\nlast = echo('main')\n[t.join(20) for t in ts]\nout, last")
        calls = [g.receive() for _ in range(6)]
        for kind, of, message in calls[::-1]:  # the last first
            g.answer(of, message, TOOLS)
        cell = g.finish(number)
        tap.ok(cell.ok and sorted(cell.value["items"][0]) == list(range(5)) and cell.value["items"][1] == "main",
               "answers in another order", cell)
        number = g.begin("threading.Thread(target=lambda: out.append(echo('late'))).start()\n" + g.AWAIT)
        kind, of, message = g.receive()
        g.mark()
        cell = g.finish(number)
        g.answer(of, message, TOOLS)
        tap.equal(g.run("while out[-1] != 'late': time.sleep(0.01)\nout[-1]").value, "late", "a call that outlives its cell")
        number = g.begin("threading.Thread(target=lambda: out.append(echo('held'))).start()\n" + g.AWAIT)
        kind, of, message = g.receive()
        g.mark()
        g.finish(number)
        tap.equal(g.run("'meanwhile'").value, "meanwhile", "... while a thread waits, a cell")
        g.answer(of, message, TOOLS)
        number = g.begin("echo('never')")
        g.receive()
        g.settle()
        g.interrupt()
        tap.ok(g.finish(number).interrupted, "an interrupt of a call")
        g.send("answer", 999, {"ok": 1})
        tap.equal(g.run("echo(5)", tools=TOOLS).value, 5, "... and the next is answered")
        tap.ok("error" not in str(g.run("r = echo(1)", tools={"echo": lambda a, k: {"$type": "nonsense"}}).ok)
               and g.run("1").ok, "an answer that makes no sense")
        cell = g.run("import os\nr, w = os.pipe()\npid = os.fork()\nif not pid:\n    try: echo(1)\n    except Exception as e: "
                     "os.write(w, str(e).encode())\n    os._exit(0)\nos.waitpid(pid, 0)\nos.read(r, 99).decode()")
        tap.ok("child process" in cell.value, "not from a child", cell)
        tap.equal(g.run("add = lambda: 'mine'\nadd()").value, "mine", "a name is the program's")


TYPED = tool(
    "search", {"name": "query", "type": "str", "description": "What to look for."},
    {"name": "limit", "type": "int", "default": 10}, {"name": "kinds", "type": "list[str] | None", "optional": True},
    {"name": "when", "kind": "keyword_only", "type": "datetime.date", "default": {"$type": "date", "text": "2024-02-29"}},
    description="Looks something up.", returns="list")
SIGNATURE = ("(query: str, limit: int = 10, kinds: list[str] | None = ..., *, "
             "when: datetime.date = datetime.date(2024, 2, 29)) -> list")
# Three of these ran a text without a bracket that calls; the last one took minutes.
HOSTILE = ("[0 for a in [__spec__.__class__] for a.flag in [exec]]", "[0 for a in [__spec__.__class__] for a.__getitem__ in [exec]]",
           "list[[0 for list.x in [0]]]", "int.real", "[" * 900, "|" * 900, "int |", "list[int", "list[int]]", "x" * 100000,
           "[0 for a in __doc__ for b in __doc__ for c in __doc__ for d in __doc__ for e in __doc__ for f in __doc__]")
PLAIN_TYPES = {"int": "int", "None": "None", "dict[str, list[int]]": "dict[str, list[int]]", "tuple[int, ...]": "tuple[int, ...]",
               " int|None ": "int | None"}


def test_answers(tap, path):
    """A value from outside makes only objects of the program's own classes, and scalars of numpy's."""
    items = [["stmt", "print('RAN')"], ["number", 1]]
    with start(path, tools=[tool("ask")]) as g:
        g.run("from timeit import timeit, Timer\nfrom urllib.parse import ParseResult\nimport dataclasses\n"
              "class Plain:\n  def __init__(self, stmt, number): print('RAN')\n"
              "@dataclasses.dataclass\nclass Good:\n  stmt: str\n  number: int")
        for form, name in [(f, n) for f in ("dataclass", "namedtuple") for n in ("timeit", "Timer", "Plain", "ParseResult")]:
            cell = g.run("type(ask()).__name__", tools={"ask": lambda args, kwargs: {"$type": form, "class": name, "items": items}})
            tap.equal((cell.value, cell.out), ("dict" if form == "dataclass" else "tuple", ""), "a %s of the name %s" % (form, name))
        cell = g.run("ask()", tools={"ask": lambda args, kwargs: {"$type": "dataclass", "class": "Good", "items": items}})
        tap.equal(g.run("_.number").value, 1, "one of the program's own", cell)
        if g.run("import numpy").ok:
            for name in ("DataSource", "fromfile", "save", "test", "ndarray", "none"):
                cell = g.run("ask()", tools={"ask": lambda args, kwargs: {"$type": "scalar", "class": name, "value": "x"}})
                tap.ok("numpy has no scalar of the class" in str(cell.exception), "numpy's %s is not called" % name, cell)


def test_types(tap, path):
    """A tool's types are read, not run; those that are not Python's own are no texts, which typing would evaluate."""
    hostile = [tool("h%d" % i, {"name": "a", "type": text}, returns=text) for i, text in enumerate(HOSTILE)]
    plain = [tool("p%d" % i, {"name": "a", "type": text}) for i, text in enumerate(PLAIN_TYPES)]
    with start(path, tools=hostile + plain + [tool("run", {"name": "a", "type": "__import__('os').abort()"})]) as g:
        got = g.run("[[repr(v), type(v).__name__] for i in range(%d) for v in globals()['h%%d' %% i].__annotations__.values()]" % len(HOSTILE)).value
        tap.equal(got, [[text, "TypeName"] for text in HOSTILE for _ in "ab"], "types that are not evaluated")
        got = g.run("import sys\n[p0.__annotations__['a'] is int, p1.__annotations__['a'] is None, sys.version_info >= (3, 10)] + "
                    "[repr(globals()['p%d' % i].__annotations__['a']) for i in (2, 3, 4)]").value
        tap.ok(got[:2] == [True, True] and (not got[2] or got[3:] == list(PLAIN_TYPES.values())[2:]), "types of Python's own", got)
        got = g.run("import typing\nrepr(typing.get_type_hints(run)['a'])")
        tap.ok(got.value == "__import__('os').abort()" or got.exception, "nor later", got)


def test_typed_tools(tap, path):
    """help(tool) shows what the host knows, and a wrong call never leaves."""
    with start(path, tools=[TYPED, tool("none"), tool("odd", {"name": "a", "type": "__import__('os')"},
                                                       {"name": "rest", "kind": "var_positional"},
                                                       {"name": "more", "kind": "var_keyword"})]) as g:
        shown = g.run("import inspect\nstr(inspect.signature(search))").value
        tap.ok(shown == SIGNATURE or "list[str]" not in shown, "the signature", shown)  # 3.9 has no int | None
        text = g.run("help(search)").out
        tap.ok("search(query: str" in text and "Looks something up." in text and "query: What to look for." in text,
               "help(tool)", text)
        tap.equal(g.run("str(inspect.signature(none)), str(inspect.signature(odd))").value["items"],
                  ["()", "(a: __import__('os'), *rest, **more)"], "nothing of a type's text is run")
        for code, words in (("search()", "missing 1 required positional argument: 'query'"),
                            ("search('a', 1, [], 2)", "takes from 1 to 3 positional arguments but 4"),
                            ("search('a', size=2)", "unexpected keyword argument 'size'"), ("none(1)", "takes 0 positional")):
            cell = g.run(code)
            tap.ok(cell.exception["type"] == "TypeError" and words in cell.exception["message"] and not cell.calls, code, cell)
        cell = g.run("search('a', kinds=['b'])", tools={"search": lambda args, kwargs: kwargs})
        tap.equal((cell.value, cell.calls), ({"kinds": ["b"]}, [{"name": "search", "args": ["a"], "kwargs": {"kinds": ["b"]}}]),
                  "a call is sent as it was written")
        cell = g.run("odd(1, 2, x=3)", tools={"odd": lambda args, kwargs: args})
        tap.equal(cell.value, [1, 2], "any further arguments")


def test_sources_name(tap, path):
    with start(path, source="def mine(): return 1") as g:
        said = g.change_tools(add=[tool("mine")])
        tap.ok(not said["ok"] and "tools' source" in said["exception"]["message"], "a name of the source stays", said)
        g.change_tools(remove=["mine"])
        tap.equal(g.run("mine()").value, 1, "... also when it is removed")


SOURCE = '''from typing import *
from datetime import datetime
from math import sqrt
UNIT = "km"
def convert(n: int) -> str:
    """Says it."""
    return "%d %s" % (n, UNIT)
class Search:
    name = "search"
    description = "Looks."
    def forward(self, query):
        return "found " + query
class Caller:
    name = "caller"
    def __call__(self, *a): return self.forward(*a)
    def forward(self, n): return n + 1
'''


def first(authorized):
    """What the host sends first in a session with the profile smolagents (src/runs/run/profile_first.c)."""
    return source("smolagents_first.py").decode() + "begin_smolagents(%r, False)\n" % authorized


def test_sources(tap, path):
    with start(path, source=SOURCE, env={"ANSWER": "42"}, preload=["json"], first=first(["json", "os"])) as g:
        tap.ok("exception" not in g.ready, "tools as source", g.ready)
        tap.equal(g.run("convert(3), search('x'), search(query='y'), caller(1)").value["items"],
                  ["3 km", "found x", "found y", 2], "functions and classes")
        tap.equal(g.run("import os, sys\nos.environ['ANSWER'], 'json' in sys.modules").value["items"], ["42", True],
                  "environment and modules")
        tap.equal(g.run("os.system('echo $ANSWER')").out, "42\n", "... of children, too")
        for name in ("datetime", "sqrt"):
            g.run("%s = 5" % name)
            tap.equal(g.run(name).value, 5, "%s, which the source imports, is not the session's" % name)
        for text in ("convert = 3", "del search", "def caller(x): return 'mine'", "class Search: pass\nsearch = Search"):
            g.run(text)
            tap.equal(g.run("convert(3), search('x'), caller(1)").value["items"], ["3 km", "found x", 2], "there after %r" % text)
    with start(path, preload=["json", "nosuch"]) as g:
        tap.equal(g.ready["exception"], {"type": "ModuleNotFoundError", "message": "preload of nosuch: No module named 'nosuch'"},
                  "a preload that fails")
    with start(path, first=first(["json", "nosuch"])) as g:
        tap.ok("Non-installed authorized modules: nosuch. Please install" in g.ready["exception"]["message"],
               "a module that is allowed and missing", g.ready)
    with start(path, source="x = 1\n1/0") as g:
        tap.ok(g.ready["exception"]["type"] == "ZeroDivisionError", "a source that fails", g.ready)
        tap.equal(g.run("x").value, 1, "... is no end")


# ---- final_answer ----

FINALS = (
    ("final_answer(1)\nprint('no')", 1, ""),
    ("final_answer(answer={'a': 1})", {"a": 1}, ""),
    ("def f():\n    for i in range(5):\n        if i == 3: final_answer(i)\nf()", 3, ""),
    ("try:\n    final_answer(2)\nexcept Exception:\n    print('no')", 2, ""),
    ("try:\n    final_answer(2)\nexcept:\n    print('no')\nelse:\n    print('no')\nfinally:\n    print('fin')\nprint('no')", 2,
     "fin\n"),
    ("try:\n    final_answer(2)\nexcept BaseException as e:\n    print('no')\nprint('no')", 2, ""),
    ("def f():\n    try:\n        final_answer(4)\n    except (ValueError, BaseException):\n        return 'no'\n"
     "print(f())", 4, ""),
    ("def f():\n    try:\n        final_answer(5)\n    finally:\n        return 6\nprint(f())\nprint('no')", 5, ""),
    ("while True:\n    try:\n        final_answer(6)\n    except:\n        continue", 6, ""),
    ("import contextlib\nwith contextlib.suppress(BaseException):\n    final_answer(7)\nprint('no')", 7, ""),
    ("def f(): final_answer(8)\nexec('try:\\n  f()\\nexcept:\\n  x = 1\\nprint(9)')\nprint('no')", 8, ""),
    ("try:\n    try:\n        final_answer(9)\n    finally:\n        print('a')\n        try:\n            1/0\n"
     "        except ZeroDivisionError:\n            print('b')\n        print('c')\nexcept Exception:\n    print('no')", 9,
     "a\nb\nc\n"),
    ("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    final_answer(10)\nawait f()\nprint('no')", 10, ""),
    ("async def g():\n    try:\n        await f()\n    except BaseException:\n        print('no')\nawait asyncio.gather(g())", 10,
     ""),
    ("from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(1) as pool:\n"
     "    pool.submit(final_answer, 11).result()\nprint('no')", 11, ""),
    ("[final_answer(i) for i in [12]]", 12, ""),
    ("final_answer(None)", None, ""),
    ("class C:\n    def __enter__(self): return self\n    def __exit__(self, *a):\n        print('out')\n        return True\n"
     "with C():\n    final_answer(13)\nprint('no')", 13, "out\n"),
    ("try:\n    1/0\nexcept ZeroDivisionError:\n    final_answer(14)", 14, ""),
    ("try:\n    raise ValueError\nexcept:\n    print('yes')\nfinal_answer(15)", 15, "yes\n"))


def test_kept(tap, path):
    """No cell takes the session's own functions away from the next one."""
    with start(path, final_answer=True, tools=[tool("add", "a", "b")]) as g:
        for text in ("final_answer = add = 3", "del final_answer, add", "def final_answer(x): pass", "class add: pass",
                     "globals().pop('add'); globals().clear()", "for add in [1]: pass\nimport os as final_answer"):
            g.run(text)
            tap.equal(g.run("add(1, 2)", tools=TOOLS).value, 3, "a tool, after %r" % text)
            cell = g.run("final_answer(4)")
            tap.equal((cell.final_answer, cell.is_final_answer), (4, True), "... and the final answer")
        for name in ("add", "final_answer"):
            said = g.set({name: 1})
            tap.ok(not said["ok"] and "name of a tool" in said["exception"]["message"], "set refuses %s" % name, said)


def test_final(tap, path):
    with start(path, final_answer=True) as g:
        for text, want, out in FINALS:
            cell = g.run(text)
            tap.ok(cell.ok and cell.is_final_answer and cell.final_answer == want and cell.out == out
                   and cell.exception is None and not cell.err, "final: %r" % text, cell)
        cell = g.run("1")
        tap.equal((cell.value, cell.is_final_answer), (1, False), "a cell without")
        tap.equal(g.run("import sys\nsys.gettrace() is None").value, True, "nothing is traced any more")
        tap.equal(g.run("final_answer()").exception["type"], "TypeError", "no argument")
        cell = g.run("try:\n    raise KeyboardInterrupt\nexcept BaseException as e:\n    print(type(e).__name__)")
        tap.equal(cell.out, "KeyboardInterrupt\n", "other exceptions are caught as ever")
        cell = g.run("try:\n    1/0\nexcept:\n    raise")
        tap.ok(cell.err.count("Traceback") == 1 and cell.exception["line"] == 2, "... and raised", cell)
        tap.ok(g.run("final_answer(print)").final_answer["$type"] == "other", "one without a form")
    with start(path, final_answer=True, tools=[tool("final_answer", "answer", description="d")]) as g:
        cell = g.run("final_answer('x')", tools={"final_answer": lambda args, kwargs: args[0] * 2})
        tap.equal((cell.final_answer, cell.is_final_answer), ("xx", True), "a tool of that name")
        cell = g.run("final_answer('x')", tools={"final_answer": failing(ValueError)})
        tap.equal((cell.is_final_answer, cell.exception["type"]), (False, "ValueError"), "... that raises")
    with start(path, final_answer=True, source="def final_answer(a, b=1):\n    return a + b") as g:
        tap.equal(g.run("final_answer(2, b=3)").final_answer, 5, "one of the program's")
    with start(path) as g:
        tap.equal(g.run("final_answer(1)").exception["type"], "NameError", "none where there is none")


# ---- display ----

def test_display(tap, path):
    with start(path, limits=dict(LIMITS, bundles=3, text=100)) as g:
        cell = g.run("display(1, 'two')\n3")
        tap.equal([d["data"]["text/plain"] for d in cell.displays], ["1", "'two'"], "display()")
        tap.equal(cell.results[0]["kind"], "value", "and a value")
        cell = g.run("class H:\n    def _repr_html_(self): return '<b>'\ndisplay(H())")
        tap.equal(cell.displays[0]["data"]["text/html"], "<b>", "HTML")
        cell = g.run("for i in range(10): display(i)")
        tap.equal((len(cell.displays), len(cell.results), "7 more" in cell.results[0]["dropped"][0]["why"]), (3, 1, True),
                  "too many")
        cell = g.run("'x' * 10000")
        tap.ok(len(cell.results[0]["data"]["text/plain"]) < 400, "a long text", cell.results)
        cell = g.run("class J:\n    def _repr_json_(self): return {'a\\0': float('nan'), 'b': 1 << 90, 'c': '\\ud800'}\nJ()")
        tap.ok(cell.ok and g.run("1").ok, "JSON that is none", cell)
        cell = g.run("import threading\nt = threading.Thread(target=display, args=('t',))\nt.start(); t.join()")
        tap.equal(len(cell.displays), 1, "from a thread")
        cell = g.run("import os\npid = os.fork()\nif not pid:\n    display('child')\n    os._exit(0)\nos.waitpid(pid, 0)[1]")
        tap.equal((cell.value, cell.displays), (0, []), "not from a child")


def test_text(tap, path):
    """What src/runs/run/warm.c leaves out for a session that can be forked."""
    text = program_text().decode()
    lines = [line for line in text.splitlines(True) if line.strip() and not line.lstrip(" ").startswith("#")]
    tap.ok(len("".join(lines)) < 124 << 10, "the server fits into an argument", len("".join(lines)))
    tap.ok(ast.dump(ast.parse("".join(lines))) == ast.dump(ast.parse(text)), "no string has a line that begins like a comment")


def test_wire(tap, path):
    with start(path, greet=False) as g:
        g.send_bytes(b"hello 0 2\n{}exec 1 5\nx = 1exec 2 1\nxunknown 3 2\n{}exec 4 4\nx +1")
        tap.equal([g.receive()[:2] for _ in range(4)], [("ready", 0), ("done", 1), ("done", 2), ("done", 4)], "frames in one")
        for byte in b"exec 5 3\nx+2":
            g.send_bytes(bytes([byte]))
        tap.equal(g.receive()[2]["value"], 3, "a frame in pieces")
        big = b"x = '%s'; len(x)" % (b"y" * (20 << 20))
        g.number = 5
        tap.equal(g.run(big).value, 20 << 20, "a large cell")
        tap.equal(len(g.run("'z' * 1000000").value), 1000000, "a large value")
    with start(path, greet=False) as g:
        g.send("exec", 1, "1")
        tap.equal(g.receive()[2]["value"], 1, "without hello")
        os.close(g.to)
        g.to = -1
        tap.equal(g.wait(5), 0, "the end")


TESTS = (test_values, test_libraries, test_tools, test_typed_tools, test_types, test_answers, test_sources_name, test_sources, test_kept, test_final, test_display, test_text, test_wire)
