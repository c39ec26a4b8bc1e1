# SPDX-License-Identifier: Apache-2.0
"""With --lock-policy, a text of a client that can become code is read by the guard before it runs, or refused: whatever
field it stands in. Honest data, and modules that the profile allows, run as before."""

import base64
import io
import json
import os
import py_compile
import tempfile
import zipfile

from daemon import Daemon

BAD = "import os\nos.system('echo RAN')\n"
BAD_EXPRESSION = "__import__('os').popen('echo RAN').read()"
GOOD = "def twice(n):\n    return 2 * n\n"


def archive(**members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as z:
        for name, text in members.items():
            z.writestr(name.replace("__dot__", "."), text)
    return data.getvalue()


def bytecode():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.py")
        with open(path, "w") as f:
            f.write(BAD)
        with open(py_compile.compile(path, path + "c"), "rb") as f:
            return f.read()


def packed(name, data):
    return {"name": name, "content": base64.b64encode(data).decode(), "encoding": "base64"}


ZIP = archive(m__dot__py=BAD)
# The fields of a run, beside "code".
RUNS = {
    "a file beside the program": {"code": "import helper", "files": {"helper.py": BAD}},
    "a file that hides a module": {"code": "import random", "files": {"random.py": BAD}},
    "a file that nothing names": {"code": "import json, decimal", "files": {"numbers.py": BAD}},
    "a package": {"code": "import p", "files": {"p/__init__.py": BAD}},
    "a module of a package": {"code": "import p.q.m", "files": {"p/q/m.py": BAD}},
    "a module in a folder of its own": {"code": "import sys; sys.path.insert(0, 'x.d'); import m", "files": {"x.d/m.py": BAD}},
    "a user's packages": {"code": "print(1)", "files": {".local/lib/python3.11/site-packages/usercustomize.py": BAD}},
    "a .pth file": {"code": "print(1)", "files": {"site-packages/x.pth": "import os; os.system('echo RAN')\n"}},
    "bytecode": {"code": "import m", "files": [packed("m.pyc", bytecode())]},
    "bytecode in its folder": {"code": "import m", "files": [packed("__pycache__/m.cpython-311.pyc", bytecode()), {"name": "m.py", "content": ""}]},
    "an extension module": {"code": "import m", "files": [packed("m.so", b"\x7fELF" + bytes(60))]},
    "a library of another name": {"code": "print(1)", "files": [packed("m.txt", b"\x7fELF" + bytes(60))]},
    "an archive": {"code": "import sys; sys.path.insert(0, 'm.zip'); import m", "files": [packed("m.zip", ZIP)]},
    "an archive of another name": {"code": "import sys; sys.path.insert(0, 'data.csv'); import m", "files": [packed("data.csv", ZIP)]},
    "an archive behind other bytes": {"code": "import sys; sys.path.insert(0, 'a'); import m", "files": [packed("a", b"x" * 70000 + ZIP + b"")]},
    "commands of the debugger": {"code": "breakpoint()", "files": {".pdbrc": BAD}},
    "commands for the debugger": {"code": "breakpoint()", "stdin": BAD + "c\n"},
    "files of a context": {"code": "import helper", "context": {"_code_executor_input_files": [{"name": "helper.py", "content": base64.b64encode(BAD.encode()).decode(), "encoding": "base64"}]}},
    "a path with dots": {"code": "import helper", "files": {"./helper.py": BAD}},
    "a text in another encoding": {"code": "import helper", "files": [packed("helper.py", "# coding: utf-16\n".encode() + BAD.encode("utf-16"))]},
}
VARIABLES = [("PYTHONPATH", "."), ("PYTHONBREAKPOINT", "os.system"), ("PYTHONWARNINGS", "error::helper.W"), ("PYTHONSTARTUP", "data.txt"), ("PYTHONHOME", "."),
             ("PYTHONUSERBASE", "."), ("PYTHONINSPECT", "1"), ("LD_PRELOAD", "./data.txt"), ("LD_LIBRARY_PATH", "."), ("LD_AUDIT", "./a"),
             ("BASH_ENV", "data.txt"), ("ENV", "data.txt"), ("NODE_OPTIONS", "--require ./a"), ("NODE_PATH", "."), ("R_PROFILE", "data.txt"),
             ("R_PROFILE_USER", "data.txt"), ("PATH", "."), ("HOME", "/box"), ("PERL5OPT", "-Mm"), ("RUBYOPT", "-rm"), ("GCONV_PATH", "."),
             ("OPENSSL_CONF", "data.txt"), ("MPLBACKEND", "module://helper"), ("MATPLOTLIBRC", "data.txt"), ("IPYTHONDIR", "."), ("BASH_FUNC_ls%%", "() { echo RAN; }")]
TESTS = {
    "the call of a case": {"code": "x = 1", "cases": [{"call": BAD_EXPRESSION, "expected": 0}]},
    "one call of many": {"code": "def f(n): return n", "cases": [{"call": "f(1)", "expected": 1}, {"call": BAD_EXPRESSION, "expected": 0}]},
    "a call between two quotes": {"code": "def f(n): return n", "cases": [
        {"call": "f('''", "expected": 1}, {"call": BAD_EXPRESSION, "expected": 0}, {"call": "''')", "expected": 0}]},
    "a call by a name of the program's": {"code": "imp = __builtins__", "cases": [{"call": "imp.__import__('os').popen('echo RAN').read()", "expected": 0}]},
    "cases as a text": {"code": "x = 1", "cases": '{"call": "%s", "expected": 0}' % BAD_EXPRESSION.replace('"', "'")},
    "a function of a library": {"code": "import json", "func": "json.codecs.builtins.eval", "cases": [{"args": [BAD_EXPRESSION], "expected": 0}]},
    "a function that the cases name": {"code": "import json", "cases": {"func": "json.codecs.builtins.eval", "cases": [{"args": [BAD_EXPRESSION], "expected": 0}]}},
    "the setup": {"code": "x = 1", "setup": BAD, "cases": [{"call": "x", "expected": 1}]},
    "the checker": {"code": "print(1)", "checker": BAD, "cases": [{"stdin": "", "expected_stdout": "1"}]},
    "a file beside a program that is tested": {"code": "import helper", "files": {"helper.py": BAD}, "cases": [{"stdin": "", "expected_stdout": "x"}]},
    "a file beside a test without cases": {"code": "import helper", "files": {"helper.py": BAD}},
}


def refuses(r):
    if r.status == 403:
        return True
    verdict = r.json.get("verdict") or {}
    return verdict.get("allowed") is False


def harmless(tap, what, *answers):
    """None of them ran the text, and one says that it was refused."""
    texts = [r.body.decode(errors="replace") for r in answers]
    ran = [t for t in texts if '"RAN' in t or "RAN\\n" in t.replace("echo RAN", "")]
    tap.ok(not ran and any(refuses(r) for r in answers), what, texts)


def session(d, **fields):
    r = d.post("/v1/sessions", fields)
    return r, "/v1/sessions/" + r.json["id"] if r.status == 201 else None


def cells(d, s, *codes):
    return [d.post(s + "/exec", {"code": code}) for code in codes]


def test_runs(tap, d):
    for what, fields in RUNS.items():
        harmless(tap, what, d.post("/v1/run", fields))
    r = d.post("/v1/batch", {"runs": [RUNS["a file beside the program"]]})
    tap.ok(refuses(type(r)(200, {}, json.dumps(r.json["results"][0]).encode())), "in a batch", r)
    for name, value in VARIABLES:
        env = {name: value}
        r = d.post("/v1/run", {"code": "breakpoint", "env": env, "files": {"data.txt": BAD}})
        tap.ok(r.status == 403 and name in r.message, "variable " + name, r)
    r, _ = session(d, env={"PYTHONPATH": "."})
    tap.equal(r.status, 403, "variables of a session", r)
    for what, fields in TESTS.items():
        harmless(tap, what, d.post("/v1/test", fields))


def test_sessions(tap, d):
    for what, fields in (("files of a session", {"files": {"helper.py": BAD}}), ("modules to preload", {"preload": ["subprocess"]}),
                         ("files that are preloaded", {"preload": ["helper"], "files": {"helper.py": BAD}}),
                         ("tools as source", {"tools_source": BAD})):
        r, s = session(d, **fields)
        tap.equal(r.status, 403, what, r)
    _, s = session(d)
    for name in ("helper.py", "p/__init__.py", "random.py", "x.pth", "m.so", "m.pyc"):
        r = d.call("PUT", s + "/files/" + name, BAD)
        tap.equal(r.status, 403, "an upload: " + name, r)
    tap.equal(d.get(s + "/files").json["files"], [], "nothing of it is there")
    d.call("PUT", s + "/files/note.txt", "text")
    writes = "open(%r, 'w').write(%r)"
    for what, codes in {
            "a file that a cell wrote": (writes % ("helper.py", BAD), "import helper"),
            "a file that a cell wrote over a good one": (writes % ("g.py", GOOD), "import g", writes % ("g.py", BAD), "import g, importlib\nimportlib.reload(g)"),
            "a file that a cell named": (writes % ("a.txt", BAD) + "\nimport pathlib\npathlib.Path('a.txt').rename('colorsys.py')", "import colorsys"),
            "a written file, from a function": ("def f():\n    import later\n" + writes % ("later.py", BAD), "f()")}.items():
        _, s = session(d)
        answers = cells(d, s, *codes)
        harmless(tap, what, *answers)
        tap.ok(answers[0].json.get("success"), "... which the first cell did", answers[0])
    _, s = session(d)
    cells(d, s, writes % ("numpy.py", BAD) + "\nimport pathlib\npathlib.Path('datetime.py').write_text(%r)" % BAD)
    r = d.post(s + "/set", {"values": {"a": 1}})
    tap.equal(r.status, 403, "variables wait for it, too", r)
    r = d.post(s + "/get", {"names": ["a"]})
    tap.equal(r.status, 403, "... to be read as well", r)
    tap.equal(d.post(s + "/restart").status, 403, "and so does a restart")
    for name in ("numpy.py", "datetime.py"):
        d.call("DELETE", s + "/files/" + name)
    tap.equal(cells(d, s, "print(6 * 7)")[0].json["stdout"], "42\n", "without the file, the session goes on")
    _, s = session(d)
    cells(d, s, writes % ("helper.py", BAD))
    r = d.post(s + "/fork", {})
    if r.status == 201:
        harmless(tap, "a fork's file", *cells(d, "/v1/sessions/" + r.json["id"], "import helper"))


class Mcp:
    """A client of the daemon's /mcp."""

    def __init__(self, d):
        self.d, self.headers = d, {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        begun = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        self.headers["Mcp-Session-Id"] = begun.headers["Mcp-Session-Id"]

    def ask(self, method, params):
        return self.d.call("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), self.headers)

    def tool(self, name, **arguments):
        """The text of the answer, and whether the tool was refused."""
        body = self.ask("tools/call", {"name": name, "arguments": arguments}).body.decode()
        lines = [line[5:] for line in body.splitlines() if line.startswith("data:")] or [body]
        return json.loads(lines[-1]).get("result") or {"isError": True, "text": lines[-1]}


def test_mcp(tap, d):
    mcp = Mcp(d)
    opened = mcp.tool("create_session")
    s = opened["structuredContent"]["session_id"]
    for name, arguments in (("execute_code", {"code": "import helper", "files": {"helper.py": BAD}}),
                            ("execute_code", {"code": "import helper", "files": {"helper.py": BAD}, "session_id": s}),
                            ("run_command", {"command": "echo RAN"}), ("run_command", {"command": "echo RAN", "session_id": s}),
                            ("write_file", {"session_id": s, "path": "helper.py", "content": BAD}),
                            ("test_code", {"code": "x = 1", "setup": BAD, "cases": [{"call": "x", "expected": 1}]}),
                            ("test_code", {"code": "x = 1", "cases": [{"call": BAD_EXPRESSION, "expected": 1}]}),
                            ("test_code", {"code": "import helper", "files": {"helper.py": BAD}}),
                            ("create_session", {"files": {"helper.py": BAD}})):
        r = mcp.tool(name, **arguments)
        text = json.dumps(r)
        refused = r.get("isError") or r["structuredContent"].get("error_type") == "refused" or not r["structuredContent"].get("all_passed", True)
        tap.ok(refused and "RAN" not in text.replace("echo RAN", ""), "MCP: %s with %s" % (name, sorted(arguments)), text)
    r = mcp.tool("execute_code", code="import helper\nprint(helper.twice(3))", files={"helper.py": GOOD}, session_id=s)
    tap.equal(r["structuredContent"]["stdout"], "6\n", "MCP: a module that the profile allows", r)


LINKED = "import ctypes\nprint('RAN')\n"


def test_links(tap, d):
    """A profile that permits links: where one leads, nobody looks."""
    make = "import pathlib\n"
    for what, codes in {
            "a link that a cell made": (make + "pathlib.Path('/tmp/x').write_text(%r)\npathlib.Path('chunk.py').symlink_to('/tmp/x')" % LINKED, "import chunk"),
            "a folder that a cell linked": (make + "p = pathlib.Path('/tmp/d')\np.mkdir()\n(p / '__init__.py').write_text(%r)\n"
                                            "pathlib.Path('pk').symlink_to('/tmp/d')" % LINKED, "import pk")}.items():
        _, s = session(d)
        answers = cells(d, s, *codes)
        harmless(tap, what, *answers)
        tap.ok(answers[0].json.get("success"), "... which the first cell did", answers[0])
    _, s = session(d)
    got = cells(d, s, make + "pathlib.Path('a.csv').write_text('x')\npathlib.Path('b.csv').symlink_to('a.csv')", "print(open('b.csv').read())")
    tap.equal(got[1].json["stdout"], "x\n", "a link to data", got)


def test_arguments(tap, d):
    """What a function of a library does can lie in its arguments."""
    code = "import numpy as np\nfrom numpy import load\ndef f(*a, **k): return len(a) + len(k)"
    for func in ("np.load", "load"):
        for more in ({"args": ["a", None, True]}, {"args": ["a\\/\"b"], "kwargs": {"allow_pickle": True}}):
            r = d.post("/v1/test", {"code": code, "func": func, "cases": [{"args": ["a"], "expected": 1}, dict(more, expected=1)]})
            tap.ok("allow_pickle" in str(r.json["verdict"]["reason"]), "%s with %s" % (func, sorted(more)), r)
    honest = [{"args": [None, True, False, -1.5e300, "true \\ \" null/", [{"a": []}]], "kwargs": {"x y": 1}, "expected": 7},
              {"args": ["\u00e9\n"] * 3, "expected": 3}, {"args": [list(range(100000))], "expected": 1}]
    r = d.post("/v1/test", {"code": "def f(*a, **k): return len(a) + len(k)", "func": "f", "cases": honest})
    tap.ok(r.json.get("all_passed"), "arguments of a function of the program's", r)


def test_given(tap, d):
    """A name that the client gives a value may be anything, whatever the program binds to it elsewhere."""
    look = "getattr(os, n)('echo RA''N')\n"
    r = d.post("/v1/run", {"code": "import os\ndef f():\n    global n\n    n = 'getcwd'\n" + look, "data": {"n": "system"}})
    tap.ok(refuses(r), "a variable of `data`", r)
    r = d.post("/v1/run", {"code": "import os\nn = 'cpu_count'\nprint(getattr(os, n)() > 0)\n", "data": {"m": "system"}})
    tap.equal(r.json["stdout"], "True\n", "another name is known", r)
    for first in ("", "from __future__ import annotations\n"):
        _, s = session(d)
        d.post(s + "/set", {"values": {"n": "system"}})
        r = d.post(s + "/exec", {"code": first + "import os\nif not n:\n    n = 'getcwd'\n" + look})
        tap.ok(refuses(r), "a variable that was set, %r" % first, r)


def test_honest(tap, d):
    data = [{"name": "a.csv", "content": "n\n1\n"}, {"name": "b.json", "content": "[1]"}, {"name": "c.txt", "content": BAD},
            packed("d.zip", archive(a__dot__csv="n\n1\n")), packed("e.bin", bytes(range(256)))]
    r = d.run("import helper, pk.m\nprint(helper.twice(21), pk.m.X, open('a.csv').read().split())", env={"N": "1"}, args=["a"], stdin="x",
              files=data + [{"name": "helper.py", "content": GOOD}, {"name": "pk/__init__.py", "content": ""}, {"name": "pk/m.py", "content": "X = 1\n"}])
    tap.equal(r.json["stdout"], "42 1 ['n', '1']\n", "data and modules that the profile allows", r)
    r = d.post("/v1/test", {"code": "def f(n): return n", "cases": [{"call": "f(2) + 1", "expected": 3}, {"call": "f(\n1)", "expected": 1}, {"args": [1], "expected": 1}]})
    tap.ok(r.json["all_passed"], "calls of cases", r)
    r = d.post("/v1/test", {"code": "class A:\n    def m(self, n): return n", "func": "A.m", "cases": [{"args": [1], "expected": 1}]})
    tap.ok(r.json["all_passed"], "a method", r)
    _, s = session(d, preload=["json"], files={"helper.py": GOOD})
    d.call("PUT", s + "/files/t.csv", "n\n1\n")
    d.call("PUT", s + "/files/more.py", GOOD)
    got = [r.json["stdout"] for r in cells(d, s, "import helper, more\nprint(helper.twice(1), more.twice(2))",
                                           "open('out.csv', 'w').write('x'); open('own.py', 'w').write('Y = 5\\n')", "import own\nprint(own.Y, open('out.csv').read())")]
    tap.equal(got, ["2 4\n", "", "5 x\n"], "a session with files of its own")


def test(tap):
    with Daemon("--lock-policy", "--profile", "strict") as d:
        test_runs(tap, d)
        test_sessions(tap, d)
        test_given(tap, d)
        test_honest(tap, d)
        test_arguments(tap, d)
        test_mcp(tap, d)
    with Daemon("--lock-policy", "--forbid-imports", "ctypes") as d:
        test_links(tap, d)
