# SPDX-License-Identifier: Apache-2.0
"""What a program has that was written for smolagents: the functions without an import, and smolagents' words. Each row
through every door that has the profile: a run and a session of the command line, over HTTP, of the C library, and of
the Python package."""

import json
import os
import subprocess
import sys

from daemon import GLOVEBOX, PATIENCE, Daemon

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MATHS = "ceil floor log exp sin cos tan asin acos atan atan2 degrees radians sqrt"
PROFILE = "smolagents"
AT = "Code execution failed at line '%s' due to: %s"
OURS = AT % ("%s", "InterpreterError: %s")

# A program, what it prints, and the message of its exception (None: it ends well).
ROWS = (
    ("print(floor(2.5), ceil(2.5), sqrt(16))", "2 3 4.0\n", None),
    ("print(%s)" % ", ".join("callable(%s)" % name for name in MATHS.split()), " ".join(["True"] * 14) + "\n", None),
    ("class A:\n    @property\n    def x(self): return 4\n    @staticmethod\n    def s(): return 5\n"
     "    @classmethod\n    def c(cls): return 6\nprint(A().x, A.s(), A.c())", "4 5 6\n", None),
    ("def f(df: pd.DataFrame, n: List[int] = None) -> Optional[object]:\n    return df\nprint(f(1))", "1\n", None),
    ("x: Sequence[bytes] = [1]\nprint(x)", "[1]\n", None),
    ("sqrt = 3", "", OURS % ("sqrt = 3", "Cannot assign to name 'sqrt': doing this would erase the existing tool!")),
    ("for len in [1]: pass", "", OURS % ("for len in [1]: pass", "Cannot assign to name 'len': doing this would erase the existing tool!")),
    ("@memoryview\ndef f(): pass", "", OURS % ("def f(): pass", "The variable `memoryview` is not defined.")),
    ("from math import nope", "", OURS % ("from math import nope", "Module math has no attribute nope")),
    ("from collections import deque, nought", "",
     OURS % ("from collections import deque, nought", "Module collections has no attribute nought")),
    ("d = {'alpha': 1, 'beta': 2}\nd['alhpa']", "", OURS % (
        "d['alhpa']", "Could not index {'alpha': 1, 'beta': 2} with 'alhpa': KeyError: 'alhpa'. Maybe you meant one of these "
        "indexes instead: ['alpha']")),
    ("def f(rows):\n    return rows[0][7]\nf([[1, 2]])", "", OURS % (
        "f([[1, 2]])", "Could not index [1, 2] with '7': IndexError: list index out of range")),
    ("n = 5\nn[0]", "", OURS % ("n[0]", "Could not index 5 with '0': TypeError: 'int' object is not subscriptable")),
    ("l = [1]\nl += 5", "", OURS % ("l += 5", "Cannot add non-list value 5 to a list.")),
    ("'a'.foo(1)", "", OURS % ("'a'.foo(1)", "Object a has no attribute foo")),
    ("'a'.foo", "", AT % ("'a'.foo", "AttributeError: 'str' object has no attribute 'foo'")),
    ("assert 1 == 2", "", AT % ("assert 1 == 2", "AssertionError: Assertion failed: 1 == 2")),
    ("assert 1 == 2, 'why'", "", AT % ("assert 1 == 2, 'why'", "AssertionError: why")),
    ("raise AssertionError", "", AT % ("raise AssertionError", "AssertionError: ")),
    ("raise", "", OURS % ("raise", "Re-raise is not supported without an active exception")),
    # Python's own words stay where a value cannot be had without running the program again.
    ("def key(): return 'b'\n{'a': 1}[key()]", "", AT % ("{'a': 1}[key()]", "KeyError: 'b'")),
    ("[1][0] = undefined", "", OURS % ("[1][0] = undefined", "The variable `undefined` is not defined.")),
)


def of_document(doc):
    return doc["stdout"], doc["exception"] and doc["exception"]["message"]


def command(d, *words):
    done = subprocess.run([GLOVEBOX, *words], env=d.env, capture_output=True, timeout=PATIENCE)
    return done.stdout.decode()


def by_command(d, code):
    return of_document(json.loads(command(d, "run", "--log", "off", "--json", "--profile", PROFILE, "-c", code)))


def by_http(d, code):
    return of_document(d.post("/v1/run", {"code": code, "profile": PROFILE}).json)


def by_http_session(d, code):
    opened = d.post("/v1/sessions", {"profile": PROFILE}).json["id"]
    got = d.post("/v1/sessions/%s/exec" % opened, {"code": code}).json
    d.call("DELETE", "/v1/sessions/" + opened)
    return of_document(got)


def by_command_session(d, code):
    there = ("--daemon", "unix:" + d.socket)
    opened = command(d, "session", "new", "--profile", PROFILE, *there).strip()
    got = json.loads(command(d, "session", "exec", opened, "--json", "-c", code, *there))
    command(d, "session", "close", opened, *there)
    return of_document(got)


# Arguments: the library, the profile; reads a list of programs, prints [a run's document, a cell's document] for each.
CALLER = r"""
import ctypes, json, sys
lib = ctypes.CDLL(sys.argv[1])
for name in ("open", "run", "session_open", "session_exec"):
    getattr(lib, "glovebox_" + name).restype = ctypes.c_void_p
lib.glovebox_result_json.restype = ctypes.c_char_p
def document(result):
    return json.loads(lib.glovebox_result_json(ctypes.c_void_p(result)))
for code in json.load(sys.stdin):
    box = ctypes.c_void_p(lib.glovebox_open())
    for name, value in ((b"profile", sys.argv[2].encode()), (b"log", b"off")):
        assert lib.glovebox_set(box, name, value) == 0
    text = code.encode()
    run = document(lib.glovebox_run(box, b"python", text, len(text), None))
    s = ctypes.c_void_p(lib.glovebox_session_open(box, b"python"))
    print(json.dumps([run, document(lib.glovebox_session_exec(s, text, len(text)))]), flush=True)
    lib.glovebox_session_close(s)
    lib.glovebox_close(box)
"""

# Arguments: the daemon, the profile; the same.
PACKAGE = r"""
import json, sys
from glovebox_sandbox import Sandbox
for code in json.load(sys.stdin):
    with Sandbox(url=sys.argv[1], profile=sys.argv[2]) as box:
        print(json.dumps([box.run(code).raw, box.exec(code).raw]), flush=True)
"""


def lines_of(python, text, *args, **env):
    done = subprocess.run([python, "-c", text, *args], input=json.dumps([row[0] for row in ROWS]).encode(),
                          env=dict(os.environ, **env), capture_output=True, timeout=2 * PATIENCE)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def walk(tap, door, lines, said):
    tap.equal(len(lines), len(ROWS), "%s: all programs were run" % door, said)
    for (code, out, message), (run, cell) in zip(ROWS, lines):
        tap.equal(of_document(run), (out, message), "%s, a run: %r" % (door, code))
        tap.equal(of_document(cell), (out, message), "%s, a session: %r" % (door, code))


# What the judge's calls may use: the profile's functions and Python's own, around the function that is tested.
JUDGED = {"code": "def f(x: Nothing):\n    return [sqrt(x), floor(x + 0.5)]\n", "func": "f", "cases": [
    {"args": [16], "expected": [4.0, 16]}, {"call": "len(f(3))", "expected": 2}, {"call": "floor(sum(f(16))) + ceil(f(17)[0])", "expected": 25},
    {"call": "sorted(f(16), reverse=True)", "expected": [16, 4.0]}, {"call": "str(f(16))", "expected": "[4.0, 16]"}]}


def judged(tap, d, how):
    doc = d.post("/v1/test", {**JUDGED, **how}).json
    tap.ok(doc.get("all_passed"), "POST /v1/test %s" % ("" if how else "with a locked policy"),
           [r["detail"] for r in doc.get("test_results", [])] or doc)


def test(tap):
    with Daemon("--lock-policy", "--profile", PROFILE) as d:
        judged(tap, d, {})
    with Daemon() as d:
        judged(tap, d, {"profile": PROFILE})
        for code, out, message in ROWS:
            for door in (by_command, by_http, by_http_session, by_command_session):
                tap.equal(door(d, code), (out, message), "%s: %r" % (door.__name__, code))
        walk(tap, "the library", *lines_of(sys.executable, CALLER, os.path.join(os.path.dirname(GLOVEBOX), "libglovebox.so"), PROFILE))
        sdk = os.path.join(ROOT, "sdk", "python")
        sys.path.append(os.path.join(sdk, "tests"))
        import venvs
        python = venvs.environment(tap, "profiles", os.path.join(sdk, "tests", "requirements-plain.txt"))
        if python:
            walk(tap, "the package", *lines_of(python, PACKAGE, "unix:" + d.socket, PROFILE, PYTHONPATH=os.path.join(sdk, "src")))
