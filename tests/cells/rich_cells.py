#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Rich results as the guest makes them (src/wall/guests/cells_rich.py, cells_hooks.py, cells_charts.py, rich_*.py),
called directly, in TAP. Needs no built program; any Python from 3.9 may run it. $PYTHONS: interpreters that
tests/cells/run.py runs it with, separated by colons."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import rich_pictures as pictures  # noqa: E402
from rich_common import (  # noqa: E402
    CHART, LIMITS, PNG, TABLE, TEXT, counts, data, emitted, has, ok, read, rich, same, skip, value, why)


# ---- any object ----

def test_plain():
    made = value(42)
    same(made, {"kind": "value", "data": {"text/plain": "42"}, "metadata": {}, "dropped": []}, "a number is text")
    same(data({"a": [1, 2.5, None, True]})["application/json"], {"a": [1, 2.5, None, True]}, "plain data is JSON")
    for name, obj in (("a tuple inside", [(1, 2)]), ("a number as key", {1: 2}), ("infinity", [float("inf")]),
                      ("a large integer", [1 << 64]), ("half a character", ["\ud800"]), ("NUL", ["\0"]),
                      ("many parts", list(range(5000))), ("an object", [object()])):
        ok("application/json" not in data(obj), "no JSON of a list with " + name)
    loop = []
    loop.append(loop)
    same(data(loop), {"text/plain": "[[...]]"}, "a list that contains itself")
    same(data("\ud800\0é"), {"text/plain": "'\\ud800\\x00é'"}, "odd characters in a text")


def test_long():
    text = data("x" * 100000, text=300)["text/plain"]
    ok(len(text) < 400 and text.startswith("'xxx") and text.endswith("xxx'") and "of 100000" in text,
       "a long text keeps head and tail", text)
    text = data(list(range(10 ** 6)), text=300)["text/plain"]
    ok(len(text) < 400 and text.startswith("[0, 1, 2") and text.endswith("999999]") and "of 1000000" in text,
       "a long list keeps head and tail", text)
    text = data({n: n for n in range(10 ** 6)}, text=300)["text/plain"]
    ok(len(text) < 400 and text.startswith("{0: 0, 1: 1") and "of 1000000" in text, "a long dictionary", text)

    class Long:
        def __repr__(self):
            return "a" * 1000 + "b" * 1000
    text = data(Long(), text=300)["text/plain"]
    same(text, "a" * 200 + "\n... (1700 characters left out) ...\n" + "b" * 100, "how much is left out is said")


class Rich:
    def __init__(self, **made):
        self.made = made

    def __repr__(self):
        return "<Rich>"

    def _repr_html_(self):
        return self.made.get("html")

    def _repr_markdown_(self):
        return self.made.get("markdown")

    def _repr_latex_(self):
        return self.made.get("latex")

    def _repr_json_(self):
        return self.made.get("json")

    def _repr_png_(self):
        return self.made.get("png")

    def _repr_jpeg_(self):
        return self.made.get("jpeg")

    def _repr_svg_(self):
        return self.made.get("svg")

    def _repr_pdf_(self):
        return self.made.get("pdf")


def test_methods():
    made = value(Rich(html="<b>é</b>", markdown="*m*", latex="$x$", json={"a": (1, 2)}, png=b"\x89PNG", jpeg=b"\xff\xd8",
                      svg="<svg/>", pdf=b"%PDF"))
    same(made["data"], {
        "text/html": "<b>é</b>", "text/markdown": "*m*", "text/latex": "$x$", "application/json": {"a": [1, 2]},
        "image/png": "iVBORw==", "image/jpeg": "/9g=", "image/svg+xml": "<svg/>", "application/pdf": "JVBERg==",
        "text/plain": "<Rich>"}, "each method gives its MIME type")
    same(made["dropped"], [], "and nothing is dropped")
    same(data(Rich()), {"text/plain": "<Rich>"}, "None is nothing")
    made = value(Rich(png=(b"\x89PNG", {"width": 5})))
    same(made["metadata"], {"image/png": {"width": 5}}, "data and metadata as a pair")
    same(data(Rich(png="iVBO\nRw==\n"))["image/png"], "iVBORw==", "a picture that is base64 already")
    made = value(Rich(png="no base64 this is!", html=5, markdown=["x"], json={"a": object()}))
    same(made["data"], {"text/plain": "<Rich>"}, "what is of a wrong kind is dropped")
    same(sorted(d["mime"] for d in made["dropped"]), ["application/json", "image/png", "text/html", "text/markdown"],
         "and each is told")
    same(why(made, "text/html"), "TypeError: int where text or bytes belong", "with the reason")
    same(data(Rich(html="a\0b\ud800c"))["text/html"], "a\ufffdb" + "\ufffd" * 3 + "c", "texts are made clean")


def test_mimebundle():
    class Bundle:
        def _repr_mimebundle_(self, include=None, exclude=None):
            return {"text/plain": "own", "text/html": "<i>", "application/x+json": [1], "image/png": b"\x89PNG",
                    "a\nb": "x", 5: "y", "text/bad": 7}, {"text/html": {"isolated": True}}

        def _repr_html_(self):
            return "another"
    made = value(Bundle())
    same(made["data"], {"text/plain": "own", "text/html": "<i>", "application/x+json": [1], "image/png": "iVBORw=="},
         "_repr_mimebundle_ comes first")
    same(made["metadata"], {"text/html": {"isolated": True}}, "with its metadata")
    same(len(made["dropped"]), 3, "and what is none of it is told")
    own = {"application/x-own": "plain text!\n", "application/x-bytes": b"\0\xff", "image/svg+xml": "<svg/>"}
    made = value(rich["RichRaw"](own))
    same((made["data"]["application/x-own"], made["data"]["application/x-bytes"], made["data"]["image/svg+xml"], made["dropped"]),
         ("plain text!\n", "AP8=", "<svg/>", []), "text of a type of its own stays text, bytes are base64")


def test_of_ipython():
    """What objects have for IPython alone."""
    class Itself:
        def __init__(self, fails=False):
            self.fails = fails

        def _ipython_display_(self):
            rich["rich_display"]("part")
            assert not self.fails, "failed"
    del emitted[:]
    same((rich["bundle"](Itself(), "value", LIMITS), [e["data"] for e in emitted]), (None, [{"text/plain": "'part'"}]),
         "what displays itself has no bundle besides")
    del emitted[:]
    rich["rich_display"](Itself())
    same(len(emitted), 1, "also when it is displayed")
    made = value(Itself(fails=True))
    ok("Itself object" in made["data"]["text/plain"] and "failed: AssertionError: failed" in why(made, "*/*"),
       "one that fails is shown as others", made)

    class Pretty:
        def __init__(self, *items):
            self.items = items

        def _repr_pretty_(self, p, cycle):
            if cycle:
                return p.text("Pretty(...)")
            with p.group(2, "Pretty(", ")"):
                for i, item in enumerate(self.items):
                    if i:
                        p.text(",")
                        p.breakable()
                    p.pretty(item)
                if len(self.items) > 2:
                    p.break_()
    pretty = Pretty(1, "a")
    pretty.items += (pretty,)
    same(data(pretty), {"text/plain": "Pretty(1, 'a', Pretty(...)\n  )"}, "_repr_pretty_ writes the text")

    class Bad(Pretty):
        def _repr_pretty_(self, p, cycle):
            return p.nothing()

        def __repr__(self):
            return "<Bad>"
    made = value(Bad())
    ok(made["data"] == {"text/plain": "<Bad>"} and "nothing" in why(made, "text/plain"), "one that fails has its repr", made)


def test_hostile():
    class Raises:
        def __repr__(self):
            raise ValueError("no \0 way")

        def _repr_html_(self):
            raise KeyError("html")
    made = value(Raises())
    ok("__repr__ raised ValueError: no \ufffd way" in made["data"]["text/plain"], "a __repr__ that raises", made)
    same(why(made, "text/html"), "KeyError: 'html'", "a method that raises is told")

    class NoText:
        def __repr__(self):
            return 5
    ok("TypeError" in data(NoText())["text/plain"], "a __repr__ that returns no text")

    class Text(str):
        def __len__(self):
            raise ValueError

        def __getitem__(self, at):
            raise ValueError

    class Subclass:
        def __repr__(self):
            return Text("sub")
    same(data(Subclass())["text/plain"], "sub", "a __repr__ that returns a strange text")

    class Deep:
        def __repr__(self):
            return repr(self)
    ok("RecursionError" in data(Deep())["text/plain"], "a __repr__ without end")

    class Exits:
        def __repr__(self):
            raise KeyboardInterrupt
    try:
        value(Exits())
        ok(False, "an interrupt passes")
    except KeyboardInterrupt:
        ok(True, "an interrupt passes")

    class BadError(Exception):
        def __str__(self):
            raise ValueError

    class RaisesBad:
        def __repr__(self):
            raise BadError
    ok("BadError" in data(RaisesBad())["text/plain"], "an exception without a text")

    class Everything:
        def __getattr__(self, name):
            return lambda *a, **k: "<b>" + name

        def __repr__(self):
            return "every"
    same(data(Everything()), {"text/plain": "every"}, "an object that answers to every name")
    for mock in (unittest.mock.Mock(name="m"), unittest.mock.MagicMock(name="m")):
        same(list(data(mock)), ["text/plain"], "a mock has its text only")

    class Meta(type):
        def __getattr__(cls, name):
            return lambda self: "<b>" + name

    class Metaclassed(metaclass=Meta):
        pass
    same(list(data(Metaclassed())), ["text/plain"], "a class that answers to every name")
    same(list(data(Rich)), ["text/plain"], "a class is no object of its own")

    class Liar:
        __class__ = property(lambda self: str)
        _repr_html_ = property(lambda self: (lambda: "liar"))
        _repr_png_ = staticmethod(lambda: None)
        _repr_svg_ = 5
        _repr_latex_ = None
    made = value(Liar())
    same(made["data"]["text/html"], "liar", "a property that gives a function")
    same(why(made, "image/svg+xml"), "TypeError: 'int' object is not callable", "a method that is none")
    same(list(data(Rich(html=Liar()))), ["text/plain"], "what only says that it is text")
    rounds = {"a": {}}
    rounds["a"]["b"] = rounds
    ok("JSON" in why(value(Rich(json=rounds)), "application/json"), "JSON without end")


def test_limits():
    made = value(Rich(html="h" * 5000, svg="s" * 3000, latex="x" * 100), bundle=4000)
    same(sorted(made["data"]), ["image/svg+xml", "text/latex", "text/plain"], "the largest goes first")
    same(made["dropped"], [{"mime": "text/html", "bytes": 5000, "why": "the bundle is limited to 4000 bytes"}],
         "with its size and the limit")
    made = value(Rich(html="h" * 5000, svg="s" * 3000), bundle=1000)
    same(list(made["data"]), ["text/plain"], "the text stays")
    made = value("é" * 5000, bundle=1000)
    ok(len(made["data"]["text/plain"].encode()) <= 1000, "and is cut where even it is too large")
    ok(len(json.dumps(value(Rich(png=(b"x", {"a": "m" * 100000}))))) < 3000, "metadata has a limit too")

    class Many:
        def _repr_mimebundle_(self, include=None, exclude=None):
            return {"text/x%d" % i: "x" for i in range(10 ** 5)}
    made = value(Many())
    ok(len(made["data"]) <= 33 and 0 < len(made["dropped"]) <= 32, "and the number of representations")


def test_warnings():
    import warnings

    class Warns:
        def __repr__(self):
            warnings.warn("looked at")
            return "<Warns>"

    def often():
        warnings.warn_explicit("seen once", UserWarning, "some.py", 1, registry=registry)
    registry = {}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        before = list(warnings.filters)
        often()
        same(value(Warns())["data"], {"text/plain": "<Warns>"}, "an object that warns when it is looked at")
        often()
        same(([str(w.message) for w in heard], warnings.filters == before), (["seen once"], True),
             "warns nobody, and the program's filters and what it has seen stay")
        warnings.simplefilter("error")
        same(value(Warns())["dropped"], [], "also where warnings are errors")

    class Interrupted:
        def __repr__(self):
            raise KeyboardInterrupt
    before = list(warnings.filters)
    try:
        value(Interrupted())
    except KeyboardInterrupt:
        same(warnings.filters == before, True, "nor does an interrupt change the filters")
    left = rich["RichQuiet"]()
    left.__enter__()
    rich["before_cell"]()
    same((warnings.filters == before, rich["rich_quiet_filters"]), (True, []), "and what is left is gone with the next cell")


def test_display_function():
    del emitted[:]
    rich["rich_display"](1, Rich(html="<p>"), metadata={"text/html": {"k": 1}})
    same([e["kind"] for e in emitted], ["display", "display"], "display() of two objects")
    same(emitted[1]["metadata"], {"text/html": {"k": 1}}, "metadata is added")
    rich["rich_display"]({"text/html": "raw", "text/plain": "r"}, raw=True)
    same(emitted[2]["data"], {"text/html": "raw", "text/plain": "r"}, "display(raw=True)")
    rich["rich_display"](Rich(html="<p>", svg="<svg/>"), exclude=["text/html"])
    same(sorted(emitted[3]["data"]), ["image/svg+xml", "text/plain"], "display(exclude=)")


# ---- numpy, pandas, sympy ----

def test_numpy():
    import numpy as np
    before = np.get_printoptions()
    same(data(np.arange(3)), {"text/plain": "array([0, 1, 2])"}, "an array is text")
    ok("..." in data(np.zeros(10 ** 7))["text/plain"], "a large one is shortened by numpy")
    same(np.get_printoptions(), before, "whose options stay")


def test_pandas():
    import pandas as pd
    frame = pd.DataFrame({"a": [1, 2], "b": ["<x>", "é"]})
    made = value(frame)
    ok("<table" in made["data"]["text/html"] and "&lt;x&gt;" in made["data"]["text/html"], "a frame has HTML")
    same(made["data"]["text/plain"], repr(frame), "and its text")
    table = made["data"][TABLE]
    same((table["data"], table["rows"], table["columns"]),
         ([{"index": 0, "a": 1, "b": "<x>"}, {"index": 1, "a": 2, "b": "é"}], 2, 2), "and its data")
    same([f["name"] for f in table["schema"]["fields"]], ["index", "a", "b"], "with a schema")
    made = value(pd.DataFrame({"n": range(100000)}))
    table = made["data"][TABLE]
    same((len(table["data"]), table["rows"], table["cut"]), (100, 100000, "100 of 100000 rows, 1 of 1 columns"),
         "of a long one the first rows")
    ok(made["data"]["text/html"].count("<tr") < 70, "and HTML of some")
    pd.set_option("display.max_rows", None)
    made = value(pd.DataFrame({"n": range(100000)}))
    ok(made["data"]["text/html"].count("<tr") <= 502 and pd.get_option("display.max_rows") is None,
       "also when the user set no limit; whose option stays")
    pd.reset_option("display.max_rows")
    wide = pd.DataFrame([[1.0] * 12], columns=["column%d" % n for n in range(12)])
    text = data(wide)["text/plain"]
    ok("column6" in text and "..." not in text and len(text.split("\n")[0]) <= 80, "a wide frame is wrapped as in a notebook", text)
    ok("..." in data(pd.concat([wide, wide], axis=1))["text/plain"] and pd.get_option("display.max_columns") == 0,
       "up to its 20 columns; the user's option stays")
    with pd.option_context("display.max_columns", 4):
        ok("column6" not in data(wide)["text/plain"], "unless the user set another limit")
    made = data(pd.Series([1.5, None], name="s"))
    ok("<table" in made["text/html"] and made[TABLE]["data"][1]["s"] is None, "a series", made)
    same(list(data(frame["a"].sum())), ["text/plain"], "a number of numpy's")
    made = value(pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])))
    ok("<table" in made["data"]["text/html"] and made["dropped"] == [], "columns of two levels", made["dropped"])
    made = value(frame.dtypes)
    same((made["data"][TABLE]["data"][0], made["dropped"]), ({"index": "a", "values": "int64"}, []), "what JSON has no form for is text")
    same(value(pd.DataFrame({"index": [1], "level_0": [2]}))["dropped"], [], "a table that cannot be made is not missed")
    if has("jinja2"):
        ok("text/html" in data(frame.style), "a styled frame")


def test_sympy():
    import sympy
    made = data(sympy.Symbol("x") ** 2)
    same(made, {"text/latex": "$\\displaystyle x^{2}$", "text/plain": "x**2"}, "a formula is LaTeX and text")


# ---- imports, programs ----

def python(text, *args):
    return subprocess.run([sys.executable, "-c", text, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120)


def has_without_importing(module):
    return importlib.util.find_spec(module) is not None


def test_imports():
    done = python("import sys; t = sys.argv[1]; n = {}; before = set(sys.modules)\n"
                  "exec(t, n); n['install'](print); n['before_cell'](); n['after_cell'](print)\n"
                  "print(sorted(set(sys.modules) - before))\n"
                  "import json, colorsys, xml.dom.minidom\n"
                  "try:\n import nosuchmodule\nexcept ModuleNotFoundError as e: print(e)", TEXT)
    same(done.stdout.decode().splitlines(), ["[]", "No module named 'nosuchmodule'"], "installing imports nothing")
    if has_without_importing("matplotlib"):
        done = python("import sys, matplotlib.pyplot as plt; n = {}; exec(sys.argv[1], n); shown = []\n"
                      "n['install'](shown.append); plt.hist([1, 2]); plt.show()\n"
                      "print(plt.get_backend().lower(), [d['data'][%r]['type'] for d in shown])\n"
                      "print([m for m in sys.modules if 'tkinter' in m or 'Qt' in m])" % CHART, TEXT)
        same(done.stdout.decode(), "agg ['histogram']\n[]\n", "a library that was there before is changed too")
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "matplotlib"))
        with open(os.path.join(folder, "matplotlib", "__init__.py"), "w") as f:
            f.write("version = 'own'")
        with open(os.path.join(folder, "matplotlib", "pyplot.py"), "w") as f:
            f.write("def show(): return 'own'")
        done = python("import sys; n = {}; exec(sys.argv[1], n); n['install'](print); sys.path.insert(0, sys.argv[2])\n"
                      "import matplotlib.pyplot as p; print(p.show(), type(p.__loader__).__name__)", TEXT, folder)
        same(done.stdout.decode(), "own SourceFileLoader\n", "another module of that name stays as it is")


def run_program(program):
    """A program in the runner, with a channel; its bundles, output and errors."""
    begin = read("rich_begin.py").encode()
    texts = (b"- 0 0 %d" % len(begin)).ljust(64) + begin + (TEXT + read("rich_run.py")).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "main.py")
        with open(path, "w") as f:
            f.write(program)
        with open(os.path.join(folder, "texts"), "wb") as f:
            f.write(texts)
        reading, writing = os.pipe()
        holder = os.fork()
        if holder == 0:
            os.dup2(writing, 101, False)
            os.dup2(os.open(os.path.join(folder, "texts"), os.O_RDONLY), 3)
            os.dup2(101, 4)
            out = os.open(os.path.join(folder, "out"), os.O_CREAT | os.O_WRONLY)
            os.dup2(out, 1)
            os.dup2(out, 2)
            arguments = [sys.executable, "-S", "-c", read("packages.py") + read("python_runner.py"), "--rich", path]
            os.execv(arguments[0], arguments)
        os.close(writing)
        with open(reading, "rb") as f:
            said = f.read()
        os.waitpid(holder, 0)
        with open(os.path.join(folder, "out"), encoding="utf-8") as f:
            printed = f.read()
    made = []
    while said:
        header, _, said = said.partition(b"\n")
        kind, number, length = header.split()
        assert (kind, number) == (b"display", b"0"), header
        made.append(json.loads(said[:int(length)]))
        said = said[int(length):]
    return made, printed


def test_programs():
    same(run_program("print('hello')"), ([], "hello\n"), "a program that shows nothing")
    made, printed = run_program("display({'a': 1}); print('x')")
    same((printed, made[0]["data"]["application/json"]), ("x\n", {"a": 1}), "display() is there")
    if not has_without_importing("matplotlib"):
        return skip("matplotlib")
    made, printed = run_program("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nplt.plot([3])\n1 / 0")
    same([(CHART in m["data"], PNG in m["data"]) for m in made], [(True, True)] * 2,
         "figures are shown, also at the end of a program that failed")
    ok(printed.endswith("ZeroDivisionError: division by zero\n") and "glovebox" not in printed,
       "whose traceback is its own", printed)
    made, printed = run_program("import os, matplotlib.pyplot as plt\nplt.plot([1])\nif not os.fork(): plt.show()\n"
                                "else: os.wait()")
    same(len(made), 1, "a child's copy shows nothing")
    made, printed = run_program("import os, matplotlib.pyplot as plt\nf = open('/dev/null', 'w')\n"
                                "for fd in range(3, 1000):\n  if fd != f.fileno(): os.dup2(f.fileno(), fd)\n"
                                "plt.plot([1]); plt.show(); print('fine')")
    same((made, printed), ([], "fine\n"), "nor does a program that has put its own descriptors everywhere")
    made, printed = run_program("import matplotlib, os; matplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n"
                                "plt.bar(['a'], [1]); os.system('true'); plt.show()")
    same([m["data"][CHART]["type"] for m in made], ["bar"], "with a backend of the program's choice")
    made, printed = run_program("import os\n"
                                "print(open('/dev/null').fileno(), os.get_inheritable(744), display.__name__)\n"
                                "try: display({'a': 1}, exclude=5)\nexcept TypeError: print('a mistake of its own')\n"
                                "display = print\ndisplay('mine')")
    same((made, printed), ([], "3 False display\na mistake of its own\nmine\n"), "and nothing of it is in the way")
    # The alarm counts only where the frame is half written: anywhere else it would miss, or be lost.
    made, printed = run_program("import signal\ncut = []\n"
                                "def late(_, frame):\n  seen = frame.f_locals\n"
                                "  if frame.f_code.co_name == 'put' and 0 < sum(seen.get('counts', ())) < len(seen['data']):\n"
                                "    signal.setitimer(signal.ITIMER_REAL, 0)\n    cut.append(1)\n    raise ValueError('late')\n"
                                "signal.signal(signal.SIGALRM, late)\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\n"
                                "class Slow:\n  def _repr_html_(self): return 'x' * 6000000\n"
                                "for i in range(200):\n  try: display(Slow())\n  except ValueError: break\n  if cut: break\n"
                                "signal.setitimer(signal.ITIMER_REAL, 0)\ndisplay('end')\nprint(cut)")
    same(printed, "[1]\n", "a signal's handler cuts a frame")
    same(made[-1]["data"], {"text/plain": "'end'"}, "a frame that a signal's handler cut is completed")


def test(tap):
    """For run.py: in a process of its own for each interpreter, which is to import nothing before."""
    for path in os.environ.get("PYTHONS", "/usr/bin/python3").split(":"):
        done = subprocess.run([path, "-W", "ignore", __file__], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=600)
        lines = done.stdout.decode(errors="replace").splitlines()
        for i, line in enumerate(lines):
            said, _, name = line.partition(" - ")
            if said.startswith(("ok ", "not ok ")):
                name, _, why_not = name.partition(" # SKIP ")
                if why_not:
                    tap.skip(name, why_not)
                else:
                    details = [after for after in lines[i + 1:i + 2] if after.startswith("#")]
                    tap.ok(said.startswith("ok "), name, *details)
        ran = sum(line.startswith(("ok ", "not ok ")) for line in lines)
        tap.ok("1..%d" % ran in lines[-3:], "rich results: all were run with " + path, *lines[-20:])


def main():
    os.environ.pop("MPLBACKEND", None)
    os.environ.pop("DISPLAY", None)
    rich["install"](emitted.append, LIMITS)
    for function in (test_plain, test_long, test_methods, test_mimebundle, test_of_ipython, test_hostile, test_limits,
                     test_warnings, test_display_function, test_imports, test_programs):
        function()
    for functions, module in (((test_numpy,), "numpy"), ((test_pandas,), "pandas"), ((test_sympy,), "sympy"),
                          ((pictures.test_pil,), "PIL"), ((pictures.test_figures, pictures.test_charts), "matplotlib"),
                          ((pictures.test_plotly,), "plotly"), ((pictures.test_altair,), "altair"),
                          ((pictures.test_ipython,), "IPython")):
        if not has(module):
            skip(module)
            continue
        for function in functions:
            function()
    if has("matplotlib") and has("pandas"):
        pictures.test_charts_of_pandas()
    print("1..%d" % counts["run"])
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
