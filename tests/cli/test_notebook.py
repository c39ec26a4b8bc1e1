# SPDX-License-Identifier: Apache-2.0
"""`glovebox run NAME.ipynb` and `glovebox check NAME.ipynb`."""

import json
import os
import signal

from box import once
from test_stream import end

try:
    import nbformat
except ImportError:
    nbformat = None


def code(source, **metadata):
    return {"cell_type": "code", "execution_count": 7, "metadata": metadata, "source": source,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "old"}]}


def notebook(t, name, *cells, **metadata):
    cells = [code(c) if isinstance(c, str) else c for c in cells]
    document = {"nbformat": 4, "nbformat_minor": 2, "metadata": metadata, "cells": cells}
    t.write(name, json.dumps(document))
    return document


def written(t, name):
    with open(t.path("here", "out", name)) as f:
        document = json.load(f)
    if nbformat:
        nbformat.validate(document, version=document["nbformat"])
    return document


def test_outputs(t):
    before = notebook(
        t, "a.ipynb", {"cell_type": "markdown", "metadata": {}, "source": "# title"},
        "import sys\nprint('a')\nprint('b', file=sys.stderr)\nx = 2\nx * 3",
        {"cell_type": "raw", "metadata": {}, "source": ["raw"]}, "  \n",
        code(["display({'k': x})\n", "open('made.txt', 'w').write('m');"], mine=[1.5, None]),
        "%matplotlib inline\nprint('c')\n1 / 0", "print('never')", odd={"deep": [1, "é"]})
    r = t.run("a.ipynb", "--out", "out")
    t.exits(r, 1, "the first cell that fails ends the run", b"a\n6\n{'k': 2}\nc\n")
    t.match(rb'b\nTraceback.*"<cell 3>", line 3.*ZeroDivisionError.*a.ipynb: stopped at cell 3 of 4', r.err, "its number")
    after = written(t, "a.ipynb")
    cells = after["cells"]
    t.equal([c.get("execution_count") for c in cells], [None, 1, None, None, 2, 3, None], "execution counts")
    t.equal(cells[1]["outputs"], [
        {"output_type": "stream", "name": "stdout", "text": "a\n"},
        {"output_type": "stream", "name": "stderr", "text": "b\n"},
        {"output_type": "execute_result", "execution_count": 1, "data": {"text/plain": "6"}, "metadata": {}}],
        "streams and a value")
    t.equal([(o["output_type"], o["data"]["text/plain"]) for o in cells[4]["outputs"]],
            [("display_data", "{'k': 2}")], "a display")
    error = cells[5]["outputs"][-1]
    t.equal(([o["output_type"] for o in cells[5]["outputs"]], error["ename"], error["evalue"], error["traceback"][0]),
            (["stream", "error"], "ZeroDivisionError", "division by zero", "Traceback (most recent call last):"),
            "an error, once")
    t.equal(cells[6]["outputs"], [], "no old outputs of a cell that did not run")
    for document in (before, after):
        for cell in document["cells"]:
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
    t.equal(after, before, "all else is as it was")
    t.equal(open(t.path("here", "out", "made.txt")).read(), "m", "a saved file")


def test_failures(t):
    notebook(t, "a.ipynb", code("1 / 0", tags=["raises-exception"]), "print('a')", "2 / 0", "print('b')")
    t.exits(t.run("a.ipynb"), 1, "raises-exception lets one cell fail", b"a\n")
    t.exits(t.run("--allow-errors", "a.ipynb"), 0, "--allow-errors lets all of them", b"a\nb\n")
    r = t.run("--json", "a.ipynb")
    d = r.json
    t.equal((r.code, d["success"], d["exit_status"], d["code_cells"], [(c["number"], c["index"], c["may_fail"],
            c["result"]["stdout"], (c["result"]["exception"] or {}).get("type")) for c in d["cells"]]),
            (1, False, 1, 4, [(1, 0, True, "", "ZeroDivisionError"), (2, 1, False, "a\n", None),
                              (3, 2, False, "", "ZeroDivisionError")]), "--json", r)
    notebook(t, "a.ipynb", "x = 1", "def f(:", "print(x)")
    r = t.run("a.ipynb")
    t.ok(r.code == 126 and b"<cell 2>:1:7" in r.err, "a cell that is refused", r)
    notebook(t, "a.ipynb", "while True: pass", "print('on')")
    r = t.run("--timeout", "1s", "--allow-errors", "a.ipynb")
    t.exits(r, 0, "--timeout is a cell's", b"on\n")
    t.exits(t.run("--timeout", "1s", "a.ipynb"), 124, "its status", b"")
    notebook(t, "a.ipynb", "import os\nos._exit(3)", "print('on')")
    r = t.run("--allow-errors", "a.ipynb")
    t.ok(r.code and not r.out and b"cell 1 ended its session" in r.err, "a session that is over", r)
    notebook(t, "a.ipynb", "import sys\nsys.exit(4)", "print('on')")
    t.exits(t.run("a.ipynb"), 4, "sys.exit()", b"")
    for source, hint in (("%%html\n<b>", b"cell magic of IPython"), ("!pip install x", b"Packages cannot be installed"),
                         ("%sql 1", b"magic command of IPython")):
        notebook(t, "a.ipynb", source)
        t.match(hint, t.run("a.ipynb").err, "IPython's " + source[:6])
    notebook(t, "a.ipynb", "print('up', flush=True)\nwhile True: pass")
    p = t.start("run", "--timeout", "0", "a.ipynb", "--out", "out")
    t.equal(p.stdout.readline(), b"up\n", "output comes while the cell runs")
    os.kill(p.pid, signal.SIGINT)
    status = end(p)[0]
    t.equal((status, written(t, "a.ipynb")["cells"][0]["outputs"][0]["text"]), (130, "up\n"), "Ctrl-C ends it")


@once
def test_accepted(t):
    """What other programs write in a notebook."""
    notebook(t, "B.IPYNB", "print('b')")
    t.exits(t.run("B.IPYNB"), 0, "an extension in capitals", b"b\n")
    notebook(t, "a.ipynb", "%config InlineBackend.figure_format = 'svg'\nprint('c')")
    t.exits(t.run("a.ipynb"), 0, "a choice of IPython for pictures", b"c\n")
    text = {"cell_type": "markdown", "metadata": {}, "source": '"' + ",[{" * 700000}
    document = notebook(t, "a.ipynb", text, "print('d')")
    t.exits(t.run("a.ipynb"), 0, "a text with many commas is one value", b"d\n")
    t.write("a.ipynb", "\ufeff" + json.dumps(document))
    t.exits(t.run("a.ipynb"), 0, "a mark of the byte order", b"d\n")
    forms = "{'text/plain': 'x', 'image/png': {'a': 1}, 'application/json': {'b': 2}, 'application/x+json': [3]}"
    notebook(t, "a.ipynb", "display(%s, raw=True)" % forms)
    t.exits(t.run("a.ipynb", "--out", "out"), 0, "a display of raw forms")
    data = written(t, "a.ipynb")["cells"][0]["outputs"][0]["data"]
    t.equal({name: form for name, form in data.items() if not isinstance(form, str)},
            {"application/json": {"b": 2}, "application/x+json": [3]}, "only JSON may be no text", data)


@once
def test_languages(t):
    for name, metadata, cells, out in (
            ("bash", {"kernelspec": {"name": "bash", "language": "bash"}}, ("x=5", "echo $x"), b"5\n"),
            ("javascript", {"language_info": {"name": "javascript"}}, ("let x = 5", "x + 1"), b"6\n"),
            ("r", {"kernelspec": {"name": "ir", "language": "R"}}, ("x <- 5", "x + 1"), b"[1] 6\n"),
            ("python", {"kernelspec": {"name": "python3"}}, ("x = 5", "x + 1"), b"6\n")):
        notebook(t, name + ".ipynb", *cells, **metadata)
        r = t.run(name + ".ipynb")
        if b"not installed" in r.err or b"on this machine" in r.err:
            t.skip(name, "not here")
        else:
            t.exits(r, 0, "a kernel of " + name, out)
    notebook(t, "a.ipynb", "1", kernelspec={"name": "octave", "language": "octave"})
    t.refused(t.run("a.ipynb"), 2, "kernel's language is 'octave', which is not known here", "a language that is not here")
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 1, "metadata": {}, "source": "t"},
        {"cell_type": "code", "language": "python", "metadata": {}, "collapsed": False, "input": ["print(1)\n", "2"],
         "outputs": [], "prompt_number": 9},
        {"cell_type": "code", "language": "python", "metadata": {}, "collapsed": False, "input": "1 / 0", "outputs": []}]}]}
    t.write("old.ipynb", json.dumps(old))
    t.exits(t.run("old.ipynb", "--out", "out"), 1, "nbformat 3", b"1\n2\n")
    cells = written(t, "old.ipynb")["worksheets"][0]["cells"]
    t.equal(([(o["output_type"], o.get("text")) for o in cells[1]["outputs"]], cells[1]["prompt_number"],
             cells[2]["outputs"][0]["output_type"]), ([("stream", "1\n"), ("pyout", "2")], 1, "pyerr"), "with its own outputs")


@once
def test_options(t):
    notebook(t, "a.ipynb", "print(open('d.txt').read())", "open('e.txt', 'w').write('e');")
    t.write("d.txt", "data")
    t.exits(t.run("a.ipynb", "--file", "d.txt"), 0, "--file", b"data\n")
    os.mkdir(t.path("work"))
    t.write(t.path("work", "d.txt"), "there")
    t.exits(t.run("a.ipynb", "--work-dir", t.path("work")), 0, "--work-dir", b"there\n")
    t.ok(os.path.exists(t.path("work", "e.txt")), "keeps files")
    for words, want in ((["--lang", "python"], "--lang does not apply to a notebook"), (["--stdin", "d.txt"], "--stdin does not"),
                        (["--data", "a=d.txt"], "--data does not"), (["--", "x"], "takes no arguments"),
                        (["--out", "."], "is the folder of the notebook itself")):
        t.refused(t.run("a.ipynb", *words), 2, want, " ".join(words))
    t.refused(t.run("--allow-errors", "-c", "1"), 2, "--allow-errors is for notebooks", "--allow-errors of a program")
    r = t.run("a.ipynb", "--profile", "strict", "--forbid-imports", "json")
    t.ok(b"refused" not in r.err, "a profile that allows it", r)
    notebook(t, "a.ipynb", "import json")
    r = t.run("a.ipynb", "--profile", "strict", "--forbid-imports", "json")
    t.ok(r.code == 126 and b"<cell 1>" in r.err, "--profile", r)
    notebook(t, "a.ipynb", "print('x' * 3000000)")
    r = t.run("a.ipynb", "--output-limit", "1k", "--out", "out")
    texts = [o["text"] for o in written(t, "a.ipynb")["cells"][0]["outputs"]]
    t.ok(len(r.out) == 3000001 and len(texts[0]) == 1024 and "left out" in texts[1], "--output-limit", r)
    notebook(t, "a.ipynb", "for _ in range(130): print('x' * (1 << 20))")
    notebook(t, "b.ipynb", "import sys\nfor i in range(100):\n  print('x' * 99)\n  print('y' * 99, file=sys.stderr)", "print('z' * 99)")
    t.exits(t.run("b.ipynb", "--output-limit", "1k", "--out", "out"), 0, "a cell that writes to both streams")
    kept = [sum(len("".join(o["text"])) for o in c["outputs"]) for c in written(t, "b.ipynb")["cells"]]
    t.ok(1024 <= kept[0] < 1200 and kept[1] == 100, "the limit is for both together, and for each cell", kept)
    r = t.run("a.ipynb", "--json", "--output-limit", "200m")
    t.equal(r.code, 0, "without --out nothing is kept for it")
    r = t.run("a.ipynb", "--json", "--output-limit", "200m", "--out", "out")
    t.ok(r.code == 125 and b"stopped after cell 1: its outputs are too large" in r.err and not r.json["success"],
         "a last cell without room", (r.code, r.err, r.out[:200]))


@once
def test_hostile(t):
    cell = '{"cell_type": "code", "source": %s}'
    for text, want in (
            ("", "is not JSON: line 1"), ("{", "is not JSON: line 1"), ("[" * 100000, "maximum parsing depth"),
            ("[]", "not a notebook: it has no number 'nbformat'"), ('{"nbformat": "4"}', "no number 'nbformat'"),
            ('{"nbformat": 2}', "has nbformat 2; 3 and 4 can be read"), ('{"nbformat": 4}', "no list of cells"),
            ('{"nbformat": 3, "worksheets": 3}', "no list of worksheets"),
            ('{"nbformat": 4, "cells": [3]}', "item 1 of its cells: has no 'cell_type'"),
            ('{"nbformat": 4, "cells": [%s]}' % cell % "3", "item 1 of its cells: has no source"),
            ('{"nbformat": 4, "cells": [%s]}' % cell % '["a", 3]', "a line that is not a string"),
            ('{"nbformat": 4, "cells": [%s]}' % cell % '"\\u0000"', "has a NUL character"),
            ('{"nbformat": 4, "cells": [%s]}' % ",".join([cell % '"1"'] * 5001), "has 5001 cells of all types, more than 5000: split it"),
            ("[" + "[]," * 2000001 + "[]]", "more than 2000000 values"), (" " * (65 << 20), "larger than 64 MiB")):
        t.write("a.ipynb", text)
        t.refused(t.run("a.ipynb"), 2, "a.ipynb: .*" + want, want)
    r = t.box("check", "a.ipynb")
    t.ok(r.code == 125 and r.err.count(b"\n") == 1, "check reads no such file either", r)
    t.write("a.ipynb", '{"nbformat": 4, "metadata": 3, "cells": []}')
    t.exits(t.run("a.ipynb"), 0, "no cells", b"")
    notebook(t, "a.ipynb", "import os\nos.mkdir('a.ipynb')\nopen('a.ipynb/f', 'w').close()")
    t.refused(t.run("a.ipynb", "--out", "out"), 2, "out/a.ipynb: cannot be written there", "a folder of its own name")


@once
def test_check(t):
    notebook(t, "a.ipynb", "import os as o", "x = 1\no.system('x')", "def f(:\n    pass", "%matplotlib inline\nprint(y)")
    r = t.box("check", "a.ipynb")
    t.ok(r.code == 1 and b"a.ipynb:cell 2:2:1: warning: " in r.out and b"a.ipynb:cell 3:1:7: error: SyntaxError" in r.out and
         b"1 program: 1 refused (1 error, 1 warning)" in r.out and b"cell 4" not in r.out, "findings with cells and lines", r)
    verdict = t.box("check", "--json", "a.ipynb").json["files"][0]["verdict"]
    t.equal(([(f["cell"], f["line"]) for f in verdict["findings"]], verdict["allowed"], verdict["stage"], verdict["risk"]),
            ([(2, 2), (3, 1)], False, "syntax", 100), "as JSON", verdict)
    t.match(rb'"text": *"cell 2, line 2: ', t.box("check", "--sarif", "a.ipynb").out, "as SARIF")
    notebook(t, "b.ipynb", "x = 1")
    t.exits(t.box("check", "b.ipynb"), 0, "a good one", b"1 program: 1 allowed\n")
    notebook(t, "c.ipynb", "1", kernelspec={"language": "octave"})
    r = t.box("check", "c.ipynb")
    t.ok(r.code == 125 and b"c.ipynb: its kernel's language is 'octave'" in r.err, "a language that is not here", r)
    t.refused(t.box("check", "--dump-ast", "b.ipynb"), 125, "is a notebook, and --dump-ast", "--dump-ast")
