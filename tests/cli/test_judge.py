# SPDX-License-Identifier: Apache-2.0
"""`glovebox test`: cases, their texts, and candidates that are not honest."""

import json
import os
import signal
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import box
import dishonest
from procs import started_with, wait_for

ADD = "def add(a, b=2):\n    return a + b\n"


def judge(t, code, cases, *args, name="candidate.py", **how):
    """The whole result of test --json."""
    t.write(name, code)
    t.write("cases.json", cases if isinstance(cases, (str, bytes)) else json.dumps(cases))
    done = t.box("test", name, "--cases", "cases.json", "--json", *args, **how)
    try:
        return done.json
    except ValueError:
        return {"failed": str(done), "test_results": []}


def test_times_of_a_busy_host(t):
    """Several reports that are read at one time are not cases that took none."""
    t.write("slow.py", "import subprocess\ndef f(s):\n    subprocess.run(['sleep', s])\n")
    first = "1.0%08d" % os.getpid()
    t.write("cases.json", json.dumps([{"args": [s], "expected": None} for s in (first, "0.5", "0.2")]))
    p = t.start("test", "slow.py", "--cases", "cases.json", "--json", "--log", "off", "--no-check")
    wait_for(lambda: started_with("sleep\0" + first))
    p.send_signal(signal.SIGSTOP)
    time.sleep(2)
    p.send_signal(signal.SIGCONT)
    out, err = p.communicate(timeout=60)
    took = [r["duration_ms"] for r in json.loads(out)["test_results"]]
    t.ok(all(ms >= least for ms, least in zip(took, (950, 490, 190))), "each has the time that it took", (took, err))


# ---- dishonest candidates ----

HONEST = [{"args": [1], "expected": 2}, {"args": [2], "expected": 3}]
UNKNOWN = [
    {"args": [7], "expected": 42},
    {"args": [8], "expected": "secret"},
    {"args": [9], "expected": [1, 2, 3]},
    {"args": [10], "expected": {"a": 1}},
]
# Time is for those that hang.
PATIENT = [dict(case, timeout=30) for case in HONEST]
ANSWER = "\n\ndef answer(n):\n    return n + 1 if n < 7 else cheat()\n"


def verdicts(t, name, code):
    folder = name.replace("/", "-")
    os.makedirs(t.path("here", folder), exist_ok=True)
    t.write(folder + "/c.py", code)
    t.write(folder + "/cases.json", json.dumps(PATIENT[:1] + UNKNOWN + PATIENT[1:]))
    done = t.box(
        *("test", folder + "/c.py", "--cases", folder + "/cases.json", "--func", "answer"),
        *("--json", "--no-check", "--timeout", "1s", "--memory", "400m", "--log", "off"),
        timeout=120
    )
    try:
        return done, [r["passed"] for r in done.json["test_results"]]
    except (ValueError, KeyError):
        return done, None


def blames(t, name, done):
    """Whatever it does, it is its own failure, and the verdict one on it."""
    doc = done.json if done.out else {"test_results": [], "trustworthy": None, "errors": None}
    kinds = {r["error_type"] for r in doc["test_results"] if not r["passed"]}
    t.ok(kinds and kinds <= {"guest", "limit"} and doc["errors"] == 0, name + ": its own failure", doc)
    t.equal((doc["trustworthy"], doc["doubt"]), (t.has("pidns", "seccomp"), None if t.has("pidns", "seccomp") else doc["doubt"]),
            name + ": a verdict", done)


@box.once
def test_dishonest_calls(t):
    def one(item):
        body = textwrap.indent(item[1].strip("\n"), "    ")
        return item[0], verdicts(t, item[0], "def cheat():\n" + body + ANSWER)

    with ThreadPoolExecutor(2) as pool:
        for name, (done, passed) in pool.map(one, dishonest.CALLS.items()):
            t.equal(passed, [True] + [False] * 4 + [True], name, done)
            t.equal(done.code, 1, name + ": exit status", done)
            blames(t, name, done)


@box.once
def test_dishonest_loads(t):
    def one(item):
        code = item[1] if "answer" in item[1] else item[1] + ANSWER
        return item[0], verdicts(t, "load " + item[0], code)

    with ThreadPoolExecutor(2) as pool:
        for name, (done, passed) in pool.map(one, dishonest.LOADS.items()):
            t.equal(passed, [False] * 6, name, done)
            t.equal(done.code, 1, name + ": exit status", done)
            blames(t, name, done)


# ---- texts ----

BRANCHES = """
import collections, enum

def double(x):
    return x * 2

def fail(text="why"):
    raise ValueError(text)

class Odd(Exception):
    pass

def odd():
    raise Odd()

def long():
    return "x" * 500

def word(text):
    print("said", text)
    return text
"""


def one(t, case, *args):
    """The only entry of a run of BRANCHES."""
    return (judge(t, BRANCHES, [case], *args)["test_results"] or [{}])[0]


def detail(t, case, text, passed=False, *args):
    entry = one(t, case, *args)
    t.equal((entry.get("detail"), entry.get("passed")), (text, passed), text[:60], entry)
    return entry


@box.once
def test_texts(t):
    """Each sentence of a verdict, branch by branch."""
    double, fail = ("--func", "double"), ("--func", "fail")
    entry = detail(t, {"name": "n", "args": [2], "expected": 4}, "OK", True, *double)
    t.equal(
        {k: entry[k] for k in ("name", "output", "expected", "stdout", "stderr", "hint", "exception")},
        {"name": "n", "output": "4", "expected": "4", "stdout": "", "stderr": "", "hint": None, "exception": None},
        "all of an entry",
    )
    t.ok(0 <= entry["duration_ms"] < 1000, "its duration", entry)
    detail(t, {"args": [2], "expected": 5}, "Expected 5, got 4", False, *double)
    detail(t, {"args": ["a"], "expected": "ab"}, "Expected 'ab', got 'aa'", False, *double)
    detail(t, {"args": [2], "expected_type": "int"}, "OK", True, *double)
    detail(t, {"args": [True], "expected_type": "int"}, "OK", True, *double)
    detail(t, {"args": [2], "expected_type": "str | int"}, "OK", True, *double)
    detail(t, {"args": [2], "expected_type": "builtins.int"}, "OK", True, *double)
    detail(t, {"args": [2], "expected_type": "str"}, "Type mismatch: got int, expected str", False, *double)
    detail(t, {"args": [2], "expected_type": "str", "expected": 4}, "Type mismatch: got int, expected str", False, *double)
    detail(t, {"args": [2], "expected_exception": "ValueError"},
           "Expected exception ValueError but none raised", False, *double)
    detail(t, {"args": [], "expected_exception": "ValueError"}, "Expected exception ValueError raised", True, *fail)
    detail(t, {"args": [], "expected_exception": "Exception"}, "ValueError: why", False, *fail)
    entry = detail(t, {"args": ["y" * 300], "expected": None}, "ValueError: " + "y" * 200, False, *fail)
    t.equal((entry["output"], entry["expected"]), (None, "None"), "what an exception leaves", entry)
    t.equal(
        {k: entry["exception"][k] for k in ("type", "line")}, {"type": "ValueError", "line": 8}, "its place", entry
    )
    t.match("File .candidate.py., line 8, in fail\n    raise ValueError", entry["exception"]["traceback"], "its traceback")
    detail(t, {"args": []}, "Odd: ", False, "--func", "odd")
    detail(t, {"args": [], "expected_exception": "Odd"}, "Expected exception Odd raised", True, "--func", "odd")
    detail(t, {"args": [], "expected": None}, "Expected None, got '" + "x" * 199, False, "--func", "long")
    detail(t, {"args": [1], "expected": None}, "Expected None, got 2", False, *double)
    detail(t, {"args": [None], "expected": None}, "OK", True, "--func", "word")
    detail(t, {"args": [1, 2]}, "TypeError: double() takes 1 positional argument but 2 were given", False, *double)
    detail(t, {"args": [2], "expected_repr": "4"}, "OK", True, *double)
    detail(t, {"args": [2], "expected_repr": "5"}, "Expected 5, got 4", False, *double)
    detail(t, {"args": []}, "Function 'nope' not found in code", False, "--func", "nope")
    entry = detail(t, {"args": ["é"], "expected": "é"}, "OK", True, "--func", "word")
    t.equal(entry["stdout"], "said é\n", "what it printed")
    entry = detail(t, {"call": "double(2) + 1", "expected": 5}, "OK", True)
    detail(t, {"call": "double(2", "expected": 5}, "SyntaxError: '(' was never closed (<call>, line 1)")
    hint = detail(t, {"args": [{"$type": "tuple", "items": [1]}], "expected": [1, 1]},
                  "Expected [1, 1], got (1, 1)", False, *double)["hint"]
    t.match("never equal", hint, "a hint")


@box.once
def test_result(t):
    doc = judge(t, BRANCHES, [
        {"name": "same", "args": [1], "expected": 2},
        {"name": "same", "args": [1], "expected": 3, "weight": 3},
    ], "--func", "double")
    t.equal([(r["name"], r["passed"]) for r in doc["test_results"]], [("same", True), ("same", False)],
            "two cases of one name")
    t.equal({k: doc[k] for k in ("total", "passed", "failed", "score", "all_passed", "success", "exit_code", "message")},
            dict(total=2, passed=1, failed=1, score=0.25, all_passed=False, success=False, exit_code=1, message=None),
            "totals")
    t.ok(doc["verdict"]["allowed"] and doc["isolation"] and doc["cpu_ms"] >= 0 and doc["id"], "the run's figures", doc)
    doc = judge(t, "print('loaded')\n" + ADD, [{"args": [1], "expected": 3}])
    t.equal((doc["all_passed"], doc["exit_code"], doc["stdout"]), (True, 0, "loaded\n"), "all passed", doc)
    for empty in "[]", '{"cases": []}':
        done = t.box("test", t.write("candidate.py", ADD), "--cases", "-", stdin=empty.encode())
        t.ok(done.code == 0 and done.out == b"Code executed, no tests\n", "as without --cases, and over HTTP: " + empty, done)
    t.refused(t.box("test", "candidate.py", "--cases", '[{"args": [1]}]'), 2, "names a file.* --cases - reads", "cases on the command line")
    doc = t.box("test", "candidate.py", "--json").json
    t.equal((doc["all_passed"], doc["message"], doc["total"]), (False, "Code executed, no tests", 0), "no cases", doc)
    t.equal((doc["success"], doc["exit_code"], doc["score"], doc["error_type"]), (True, 0, None, None), "and no score", doc)
    t.exits(t.box("test", "candidate.py"), 0, "no cases", b"Code executed, no tests\n")


@box.once
def test_no_such_function(t):
    t.write("c.py", "def add(a, b): return a + b\ndef _own(): pass\ndef sub(a, b): return a - b\nx = len\n")
    t.write("call.json", '[{"call": "add(1, 2)", "expected": 3}]')
    t.write("args.json", '[{"args": [1, 2], "expected": 3}]')
    said = "the program has no function 'ad'; it defines add, sub; did you mean add\\?$"
    for options in ("--cases", "call.json"), ():
        t.refused(t.box("test", "c.py", "--func", "ad", *options), 2, "--func: " + said, "a function that no case needs")
    done = t.box("test", "c.py", "--func", "ad", "--cases", "args.json")
    t.match(rb"Function 'ad' not found", done.out, "a case that needs it fails")
    t.match("^glovebox test: " + said, done.err.decode().rstrip(), "with the functions")
    for name in "add", "add.x", "x":
        done = t.box("test", "c.py", "--func", name, "--cases", "call.json")
        t.exits(done, 0, "%s may be there" % name)
    t.write("star.py", "from os.path import *\ndef add(a, b): return a + b\n")
    t.exits(t.box("test", "star.py", "--func", "join", "--cases", "call.json"), 0, "a function from elsewhere")
    t.write("none.py", "add = 1\n")
    t.refused(t.box("test", "none.py", "--func", "f"), 2, "no function 'f'; it defines no function", "a program without one")


def test_people(t):
    t.write("c.py", ADD)
    t.write("good.jsonl", '{"args": [1], "expected": 3}\n{"name": "two", "args": [2, 2], "expected": 4}\n')
    t.exits(t.box("test", "c.py", "--cases", "good.jsonl"), 0, "all passed", b"ok   case 1\nok   two\n2 of 2 passed\n")
    t.exits(t.box("test", "c.py", "--cases", "good.jsonl", "--quiet"), 0, "quietly", b"")
    t.write("bad.jsonl", '{"name": "a\\u001b[31m", "args": [1], "expected": 4}\n')
    t.exits(t.box("test", "c.py", "--cases", "bad.jsonl"), 1, "a failure",
            b"FAIL a\\x1b[31m: add(1): Expected 4, got 3\n0 of 1 passed, score 0\n")
    t.exits(t.box("test", "-c", ADD, "--cases", "-", stdin=b'[{"args": [1, 1], "expected": 2}]'), 0, "from here")
    t.exits(t.box("test", "-", "--cases", "good.jsonl", stdin=ADD.encode()), 0, "code from standard input")
    t.write("d.py", "def f(n):\n    if n > 1:\n        n += 1\n        n += 2\n    return 1 / n\n")
    t.write("d.jsonl", '{"args": [1], "expected": 1}\n{"args": [0], "expected": 1}\n')
    done = t.box("test", "d.py", "--cases", "d.jsonl", "--coverage")
    doc = t.box("test", "d.py", "--cases", "d.jsonl", "--coverage", "--json").json
    bad, ran = doc["test_results"][1], doc["coverage"]
    t.equal(done.out.decode().splitlines(),
            ["ok   case 1", "FAIL case 2: f(0): %s (line 5)" % bad["detail"], "1 of 2 passed, score 0.5",
             "%d of %d lines ran; never: 3-4" % (ran["run"], ran["lines"])],
            "the report has the words and figures of the document")


@box.once
def test_usage(t):
    t.write("c.py", ADD)
    t.write("two.py", ADD + "def sub(a): return a\n")
    t.write("cases.json", '[{"args": [1]}]')
    t.write("slip.json", '[{"args": [1],\n  "expectd": 1}]')
    t.write("a.js", "console.log(1)")
    t.refused(t.box("test"), 2, "nothing to test", "neither code nor cases")
    t.refused(t.box("test", "--cases", "cases.json"), 2, "nothing to test", "no code")
    t.refused(t.box("test", "c.py", "d.py", "--cases", "cases.json"), 2, "one program too many", "two programs")
    t.refused(t.box("test", "c.py", "--cases", "none.json"), 2, "none.json: No such file", "no such cases")
    t.refused(t.box("test", "none.py", "--cases", "cases.json"), 2, "none.py: No such file", "no such code")
    t.refused(t.box("test", "-", "--cases", "-"), 2, "given only once", "both from standard input")
    t.refused(t.box("test", "c.py", "--cases", "slip.json"), 2,
              "slip.json: line 2, column 3: a case has no .expectd.; did you mean .expected.", "a slip")
    t.refused(t.box("test", "a.js", "--cases", "cases.json"), 2, "Python functions only", "calls in JavaScript")
    doc = judge(t, ADD + "def sub(a): return a\n", [{"args": [1]}])
    t.equal(doc["test_results"][0]["detail"],
            "several functions are defined in code (add, sub): say which one is to be tested", "two functions")
    doc = judge(t, "x = 1\n", [{"args": [1]}])
    t.equal(doc["test_results"][0]["detail"], "no function is defined in code", "no function")
    doc = judge(t, ADD, {"func": "nope", "cases": [{"args": [1]}]})
    t.equal(doc["test_results"][0]["detail"], "Function 'nope' not found in code", "the file's own name")


# ---- what runs ----

@box.once
def test_refused(t):
    t.write("cases.json", '[{"args": [1]}]')
    t.write("c.py", "import os\nos.system('touch here')\ndef f(a): pass\n")
    done = t.box("test", "c.py", "--cases", "cases.json", "--profile", "strict")
    t.exits(done, 126, "refused by the guard", )
    t.match(b"refused at", done.err, "and told why")
    doc = t.box("test", "c.py", "--cases", "cases.json", "--profile", "strict", "--json").json
    t.equal((doc["verdict"]["allowed"], doc["test_results"][0]["passed"], doc["all_passed"], doc["attempts"]),
            (False, False, False, 0), "nothing was started", doc)
    t.write("broken.py", "def f(:\n")
    t.exits(t.box("test", "broken.py", "--cases", "cases.json"), 126, "what does not compile")
    doc = t.box("test", "broken.py", "--cases", "cases.json", "--json").json
    t.equal(doc["exception"] and doc["exception"]["type"], "SyntaxError", "and its exception", doc)
    done = t.box("test", "c.py", "--cases", "cases.json", "--profile", "agentos", "--json")
    t.match("SECURITY VIOLATION: ", done.json["stderr"], "the profile's words")
    done = t.box("test", "broken.py", "--cases", "cases.json", "--no-check")
    t.exits(done, 1, "nor without a check")
    t.match(b"SyntaxError: invalid syntax \\(line 1\\)", done.out, "its error")


def test_loading(t):
    code = """
import random
random.seed(5)
count = 0
def f(a):
    global count
    count += 1
    return count
def dice():
    return random.random()
if __name__ == "__main__":
    raise SystemExit("not a test")
"""
    doc = judge(t, code, [{"args": [1], "expected": 1}] * 3, "--func", "f")
    t.ok(doc["all_passed"], "a case does not see what another left", doc)
    import random
    random.seed(5)
    doc = judge(t, code, [{"args": [], "expected": random.random()}], "--func", "dice")
    t.ok(doc["all_passed"], "a seed stays", doc)
    t.write("setup.py", "import os\nLIMIT = 3\n")
    doc = judge(t, "def f(a): return a < LIMIT\n", [{"args": [1], "expected": True}], "--setup", "setup.py",
                "--profile", "strict")
    t.ok(doc["all_passed"], "a setup comes first, and is not checked", doc)
    doc = judge(t, "class S:\n  def __init__(self): self.k = 2\n  def f(self, a): return a * self.k\n",
                [{"args": [4], "expected": 8}], "--func", "S.f")
    t.ok(doc["all_passed"], "a method", doc)
    doc = judge(t, "import dataclasses\n@dataclasses.dataclass\nclass P:\n  x: int\ndef f(p): return P(p.x + 1)\n",
                [{"args": [{"$type": "dataclass", "class": "P", "items": [["x", 1]]}],
                  "expected": {"$type": "dataclass", "class": "P", "items": [["x", 2]]}}])
    t.ok(doc["all_passed"], "a class of its own", doc)
    code = ("import enum, typing, collections, dataclasses, timeit\nfrom timeit import timeit\nfrom urllib.parse import ParseResult\n"
            "class E(enum.Enum):\n  A = 1\nclass N(typing.NamedTuple):\n  x: int\nM = collections.namedtuple('M', 'x')\n"
            "D = dataclasses.make_dataclass('D', ['x'])\nclass Plain:\n  def __init__(self, stmt, number=1): print('RAN')\n"
            "def own(stmt, number=1): print('RAN')\ndef f(v): return repr(v)[:1]\n")
    forms = [{"$type": "enum", "class": "E", "name": "A", "value": 1}] + [
        {"$type": form, "class": name, "items": [["x", 1]]} for form, name in (("namedtuple", "N"), ("namedtuple", "M"), ("dataclass", "D"))]
    doc = judge(t, code, [{"args": [form], "expected": first} for form, first in zip(forms, "<NMD")], "--func", "f")
    t.ok(doc["all_passed"], "classes of each kind", doc)
    items = [["stmt", "print('RAN')"], ["number", 1]]
    bad = [{"$type": form, "class": name, "items": items} for form in ("dataclass", "namedtuple") for name in ("timeit", "Plain", "own", "ParseResult", "none")]
    doc = judge(t, code, [{"args": [form], "expected": 1} for form in bad], "--func", "f")
    t.ok(all("the program has no " in r["detail"] and "RAN" not in r["stdout"] for r in doc["test_results"]),
         "no other name is called for a value", doc)
    doc = judge(t, "def f(): return open('a', 'a').tell()\ndef g(): open('a', 'w').write('x')\n",
                [{"call": "g()", "expected": None}, {"call": "f()", "expected": 0}], "--isolate")
    t.ok(doc["all_passed"], "isolated cases have no files in common", doc)
    doc = judge(t, "from functools import lru_cache\n@lru_cache\ndef fib(n): return n if n < 2 else fib(n-1) + fib(n-2)\n",
                [{"args": [90], "expected": 2880067194370816120}, {"args": [150], "expected": 9969216677189303386214405760200}])
    t.ok(doc["all_passed"], "large integers", doc)


@box.once
def test_values(t):
    """Typed forms in, and the same forms out."""
    forms = [
        {"$type": "tuple", "items": [1, [2]]}, {"$type": "set", "items": [1, "a"]}, {"$type": "frozenset", "items": []},
        {"$type": "bytes", "base64": "AP8="}, {"$type": "bytearray", "text": "ab"}, {"$type": "deque", "items": [1]},
        {"$type": "complex", "real": 1, "imag": -2.5}, {"$type": "dict", "items": [[1, 2], [{"$type": "tuple", "items": []}, 3]]},
        {"$type": "dict", "class": "OrderedDict", "items": [["a", 1]]}, {"$type": "dict", "items": [["$type", "tuple"]]},
        {"$type": "range", "stop": 5}, {"$type": "decimal", "text": "1.50"}, {"$type": "fraction", "numerator": 6, "denominator": 4},
        {"$type": "path", "text": "/a/b"}, {"$type": "date", "text": "2024-02-29"}, {"$type": "time", "text": "12:00:00.5"},
        {"$type": "datetime", "text": "2024-02-29T12:00:00Z"}, {"$type": "timedelta", "days": 1, "seconds": -1},
        {"$type": "int", "hex": "0x" + "f" * 100}, 10 ** 4000, "\ud800", "😀", 1e308, -0.0, float("inf"), [[[]]], {"a": {"b": None}},
    ]
    doc = judge(t, "def f(x): return x\n", [{"args": [v], "expected": v} for v in forms])
    for v, r in zip(forms, doc["test_results"]):
        t.ok(r["passed"], "there and back: %.60r" % (v,), r)
    doc = judge(t, "def f(x): return x\n", [{"args": [float("nan")], "expected": float("nan")},
                                            {"args": [float("nan")], "expected": float("nan"), "tolerance": {"nan": True}},
                                            {"args": [0.1 + 0.2], "expected": 0.3, "tolerance": 1e-9},
                                            {"args": [0.1 + 0.2], "expected": 0.3}])
    t.equal([r["passed"] for r in doc["test_results"]], [False, True, True, False], "nan, and tolerance", doc)


@box.once
def test_chapter(t):
    """By value; by its text under the profile of that name."""
    cases = [{"call": "add(1, 2)", "expected": 3}, {"call": "add('a', 'b')", "expected": "ab"}, {"call": "add(1, 2)", "expected": "3"}]
    code = "def add(a, b):\n    print('noise')\n    return a + b\n"
    for profile, passed in (("standard", [True, True, False]), ("chapter", [True, True, True])):
        doc = judge(t, code, cases, "--profile", profile)
        t.equal([r["passed"] for r in doc["test_results"]], passed, profile, doc)


@box.once
def test_programs(t):
    code = "import sys\na, b = map(float, sys.stdin.read().split())\nprint(a / b)\nsys.exit(a == 7)\n"
    cases = [
        {"stdin": "1 2\n", "expected_stdout": "0.5"}, {"stdin": "1 3", "expected_stdout": "0.333333", "compare": "floats"},
        {"stdin": "1 3", "expected_stdout": "0.333333"}, {"stdin": "1 2", "expected_stdout": " 0.5 ", "compare": "tokens"},
        {"stdin": "7 1", "expected_stdout": "7.0"}, {"stdin": "1 0", "expected_stdout": ""}, {"args": ["x"], "expected_stdout": ""},
    ]
    doc = judge(t, code, cases)
    t.equal([r["passed"] for r in doc["test_results"]], [True, True, False, True, False, False, False], "verdicts", doc)
    t.equal([doc["test_results"][i]["detail"] for i in (2, 4, 5)],
            ["line 1: Expected '0.333333', got '0.3333333333333333'", "The program ended with status 1",
             "ZeroDivisionError: float division by zero"], "details", doc)
    tokens = [("5", "0x5", False), ("0x5", "5", False), ("0x5", "0x5", True), ("0X1p3", "8", False), ("1e998", "1e999", False),
              ("inf", "1e999", False), ("-inf", "-1e400", False), ("1e999", "1e999", True), ("Infinity", "inf", True),
              ("nan", "nan", True), ("1e-999", "0", True), ("1e308", "1.0e308", True), ("1_0", "10", False)]
    doc = judge(t, "print(input())\n", [{"stdin": got + "\n", "expected_stdout": want, "compare": "floats"} for want, got, _ in tokens])
    t.equal([r["passed"] for r in doc["test_results"]], [good for _, _, good in tokens], "floats are decimal, and none that no double holds", doc)
    t.write("check.py", "import sys\ni, o, e = (open(p).read() for p in sys.argv[1:])\n"
            "sys.exit(0 if float(o) == float(e) else 'not %s but %s in %s' % (o.strip(), e, i))\n")
    doc = judge(t, code, [{"stdin": "1 2", "expected_stdout": "5e-1"}, {"stdin": "1 2", "expected_stdout": "5"}],
                "--checker", "check.py")
    t.equal([r["detail"] for r in doc["test_results"]], ["OK", "not 0.5 but 5 in 1 2"], "a checker", doc)
    doc = judge(t, "while true; do :; done\n", [{"stdin": "", "expected_stdout": "", "timeout": 0.5}], name="c.sh")
    t.equal(doc["test_results"][0]["detail"], "Timeout after 0.5s", "a program that hangs", doc)
    doc = judge(t, "read a b; echo $((a + b))\n", [{"stdin": "1 2\n", "expected_stdout": "3\n"}], name="c.sh")
    t.ok(doc["all_passed"], "another language", doc)


def test_limits(t):
    code = """
import os
def hang(n):
    while n: pass
    return n
def eat(n): return len(bytearray(n))
def children(n):
    for _ in range(n):
        if os.fork() == 0:
            while True: pass
    return n
"""
    cases = [{"call": "hang(0)", "expected": 0}, {"call": "hang(1)", "expected": 0, "timeout": 0.3}, {"call": "hang(0)", "expected": 0}]
    doc = judge(t, code, cases)
    t.equal([r["detail"] for r in doc["test_results"]], ["OK", "Timeout after 0.3s", "OK"], "a hang", doc)
    cases = [{"call": "eat(10)", "expected": 10}, {"call": "eat(300 << 20)", "expected": 10}, {"call": "eat(10)", "expected": 10}]
    doc = judge(t, code, cases, "--memory", "150m")
    t.equal([r["passed"] for r in doc["test_results"]], [True, False, True], "too much memory", doc)
    t.match("Memory limit|signal 9|MemoryError", doc["test_results"][1]["detail"], "and it is told")
    doc = judge(t, code, [{"call": "children(5)", "expected": 5}, {"call": "len(os.listdir('/proc/1/task')) and sum(p.isdigit() for p in os.listdir('/proc'))",
                                                                 "expected": 4}])
    if t.has("pidns"):
        t.equal([r["detail"] for r in doc["test_results"]], ["OK", "OK"], "what a case leaves is gone before the next", doc)


# ---- whose failure ----

def figures(doc):
    return {k: doc.get(k) for k in ("passed", "failed", "errors", "score", "all_passed", "error_type", "trustworthy")}


@box.once
def test_setup_fails(t):
    """The test's own failure is none of the candidate's."""
    ours = dict(passed=0, failed=0, errors=2, score=None, all_passed=False, error_type="ours", trustworthy=False)
    cases = [{"args": [1], "expected": 3}, {"args": [2], "expected": 4}]
    for name, code, detail in (
        ("raises", "x = 1\nraise RuntimeError('setup broke')\n", "The setup failed: RuntimeError: setup broke (line 2)"),
        ("text", "def f(:\n", "The setup failed: SyntaxError: "), ("exits", "import os\nos._exit(3)\n", "The setup failed: "),
        ("hangs", "while True: pass\n", "The setup failed: Timeout after 0.5s"), ("asks to end", "raise SystemExit(0)\n", "The setup failed: it ended the program (SystemExit: 0) (line 1)"),
        ("dies", "import os\nos.kill(os.getppid(), 9)\nos._exit(0)\n", "The setup did not end before the candidate: "),
    ):
        t.write("setup.py", code)
        for more in ((), ("--isolate",)):
            doc = judge(t, ADD, cases, "--setup", "setup.py", "--timeout", "0.5s", "--no-check", *more)
            t.equal(figures(doc), ours if not more else dict(ours, errors=2), name, doc)
            entry = (doc["test_results"] or [{}])[0]
            t.ok(entry.get("detail", "").startswith(detail) and entry["error_type"] == "ours" and entry["exception"] is None,
                 name + ": the words", entry)
            t.equal((doc["feedback_text"], doc["exception"]), ("", None), name + ": nothing for the model", doc)
        done = t.box("test", "candidate.py", "--cases", "cases.json", "--setup", "setup.py", "--timeout", "0.5s", "--no-check")
        t.exits(done, 125, name + ": exit status")
        t.match(b"ERROR case 1: add\\(1\\): The setup", done.out, name + ": what people see")
        t.match(b"no verdict on the program: The setup", done.err, name + ": and why")
        t.exits(t.box("test", "candidate.py", "--setup", "setup.py", "--timeout", "0.5s", "--no-check"), 125, name + ": without cases")
    t.write("setup.py", "LIMIT = 3\n")
    doc = judge(t, "raise RuntimeError(LIMIT)\n" + ADD, cases, "--setup", "setup.py")
    t.equal(figures(doc), dict(ours, failed=2, errors=0, score=0, error_type="guest", trustworthy=doc["trustworthy"]),
            "the candidate's own failure behind it", doc)


@box.once
def test_not_judged(t):
    cases = [{"args": [1], "expected": 3}]
    t.write("c.py", ADD)
    t.write("cases.json", json.dumps(cases))
    if t.has("memory"):
        doc = judge(t, ADD, cases, "--memory", "2m")
        t.equal((doc["errors"], doc["failed"], doc["score"], doc["error_type"]), (1, 0, None, "ours"), "no memory to start in", doc)
    done = t.box("test", "c.py", "--cases", "cases.json", "--json", "--backend", "inproc")
    doc = done.json
    t.equal((doc["errors"], doc["score"], doc["error_type"], doc["trustworthy"], doc["test_results"][0]["error_type"]),
            (1, None, "ours", False, "ours"), "a backend that is not there", done)
    t.ok(done.code not in (0, 1), "its exit status", done)
    doc = judge(t, "import os\nos.system('id')\n" + ADD, cases, "--profile", "strict")
    t.equal((doc["errors"], doc["score"], doc["error_type"], doc["test_results"][0]["error_type"]), (0, 0, "refused", "refused"),
            "what the guard refuses is judged", doc)
    doc = judge(t, ADD, cases, "--backend", "host", "--allow-unsafe")
    t.equal((doc["all_passed"], doc["score"], doc["trustworthy"]), (True, 1, False), "no wall, no trust", doc)
    t.match("could have reached its judge", doc["doubt"], "and why")
    doc = judge(t, ADD, cases)
    t.equal((doc["error_type"], doc["doubt"], doc["errors"]), (None, None if doc["trustworthy"] else doc["doubt"], 0), "a success", doc)


@box.once
def test_killed_from_outside(t):
    """The jail's own process dies while a call is under way."""
    def children(pid):
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            return [int(word) for word in f.read().split()]

    t.write("c.py", "import time\ndef f(n):\n    time.sleep(n)\n    return n\n")
    t.write("cases.json", json.dumps([{"args": [0], "expected": 0}, {"args": [20], "expected": 20}]))
    for program in (["test", "c.py", "--cases", "cases.json", "--json"], ["run", "--json", "-c", "import time; time.sleep(20)"]):
        p = t.start(*program, "--retries", "0")
        deadline, found = time.monotonic() + box.PATIENCE, []
        while time.monotonic() < deadline and not any(map(children, found)):
            found = children(p.pid)
            time.sleep(0.05)
        time.sleep(1)
        for pid in found:
            os.kill(pid, signal.SIGKILL)
        out, err = p.communicate()
        doc = json.loads(out)
        t.equal((doc["error_type"], doc["error"] and doc["error"]["kind"], p.returncode), ("ours", "system", 125),
                program[0] + ": killed from outside", doc)
        if program[0] == "test":
            t.equal((doc["errors"] >= 1, doc["failed"], doc["score"], doc["trustworthy"]), (True, 0, None, False), "no verdict", doc)
    doc = t.run("--json", "-c", "import os; os.kill(os.getpid(), 9)").json
    t.equal((doc["error_type"], doc["error"], doc["signal"]), ("guest", None, 9), "killed from inside", doc)


@box.once
def test_error_types(t):
    for code, kind, more in (
        ("pass", None, ()), ("1/0", "guest", ()), ("import sys; sys.exit(3)", "guest", ()), ("while 1: pass", "limit", ("--timeout", "300ms")),
        ("import os; os.system('id')", "refused", ("--profile", "strict")), ("pass", "ours", ("--backend", "inproc")),
        ("def f(:", "refused", ()), ("def f(:", "guest", ("--no-check",)),
    ):
        doc = t.run("--json", *more, "-c", code).json
        t.equal(doc["error_type"], kind, "run %s %s" % (code, " ".join(more)), doc)
    code = "import time\ndef f(n):\n    if n == 1: 1/0\n    if n == 2: time.sleep(9)\n    if n == 3: return 'x' * 300000000\n    return n\n"
    doc = judge(t, code, [{"args": [0], "expected": 0}, {"args": [0], "expected": 1}, {"args": [1]}, {"args": [2], "timeout": 0.3}, {"args": [3]}])
    t.equal([r["error_type"] for r in doc["test_results"]], [None, "guest", "guest", "limit", "limit"], "cases", doc)
    t.equal(doc["error_type"], "guest", "the first that failed", doc)
    t.ok(doc["test_results"][3]["duration_ms"] >= 290, "a time that was measured", doc)
    code = "import sys\ndef f(n):\n    f = sys._getframe()\n    while f:\n        f.f_globals['perf_counter_ns'] = lambda: 0\n        f = f.f_back\n" \
           "    import time\n    t = time.monotonic()\n    while time.monotonic() < t + 0.2: pass\n    return n\n"
    doc = judge(t, code, [{"args": [1], "expected": 1}])
    t.ok(doc["all_passed"] and doc["test_results"][0]["duration_ms"] >= 200, "a clock of its own is not asked", doc)


# ---- without cases ----

@box.once
def test_alone(t):
    """Without cases: the code runs, and that is all there is to say."""
    done = t.box("test", "-c", "print('hi')")
    t.exits(done, 0, "it ran", b"Code executed, no tests\n")
    doc = t.box("test", "-c", "print('hi')", "--json").json
    t.equal((doc["success"], doc["all_passed"], doc["exit_code"], doc["message"], doc["stdout"], doc["total"]),
            (True, False, 0, "Code executed, no tests", "hi\n", 0), "and what it printed", doc)
    t.exits(t.box("test", "-c", "print('hi')\n1/0"), 1, "a crash", b"ZeroDivisionError: division by zero (line 2)\n")
    doc = t.box("test", "-c", "x = 1\n1/0", "--json").json
    t.equal((doc["success"], doc["message"], doc["exception"]["line"], doc["error_type"]),
            (False, "ZeroDivisionError: division by zero", 2, "guest"), "in JSON", doc)
    for code, message, more in (
        ("import sys; sys.exit(3)", "The program ended with status 3", ()), ("while True: pass", "Timeout after 0.3s", ("--timeout", "300ms")),
        ("import os; os.kill(os.getpid(), 9)", "ended by signal 9 (Killed)", ()),
        ("import sys; print('w', file=sys.stderr)", "The program wrote to standard error", ("--strict-stderr",)),
    ):
        t.exits(t.box("test", "-c", code, *more), 1, code, message.encode() + b"\n")
    for code, more in (("import sys; sys.exit(0)", ()), ("import warnings; warnings.warn('w')", ()), ("print(1)", ("--strict-stderr",)),
                       ("if __name__ != '__main__': 1/0", ()), ("echo $((1 + 1))", ("--lang", "bash"))):
        t.exits(t.box("test", "-c", code, *more), 0, code, b"Code executed, no tests\n")
    t.write("setup.py", "LIMIT = 3\n")
    t.exits(t.box("test", "-c", "assert LIMIT == 3", "--setup", "setup.py"), 0, "with a setup", b"Code executed, no tests\n")
    t.exits(t.box("test", "-c", "assert LIMIT == 4, 'four'", "--setup", "setup.py"), 1, "a crash behind a setup",
            b"AssertionError: four (line 1)\n")
    t.exits(t.box("test", "-c", "import os; os.system('id')", "--profile", "strict"), 126, "what the guard refuses")


# ---- texts of cases ----

@box.once
def test_calls_are_told(t):
    code = "def add(a, b=2):\n    return a - b\n"
    cases = [{"call": "add(2,3)", "expected": 5}, {"args": [7], "kwargs": {"b": 2}, "expected": 9, "name": "named"}, {"args": ["x" * 1000], "expected": 1}]
    doc = judge(t, code, cases)
    t.equal([r["call"] for r in doc["test_results"][:2]], ["add(2,3)", "add(7, b=2)"], "calls", doc)
    t.equal([(r["test"], r["expected"], r["actual"], r["passed"]) for r in doc["test_results"][:2]],
            [("add(2,3)", "5", "-1", False), ("add(7, b=2)", "9", "5", False)], "the profile chapter", doc)
    t.ok(len(doc["test_results"][2]["call"]) < 300, "no more than is of use", doc)
    t.match("Test 'case 1' failed: add\\(2,3\\): Expected 5, got -1", doc["feedback_text"], "for the model")
    done = t.box("test", "candidate.py", "--cases", "cases.json")
    t.match(b"^FAIL case 1: add\\(2,3\\): Expected 5, got -1\nFAIL named: add\\(7, b=2\\): Expected 9, got 5\n", done.out, "for people")
    doc = judge(t, code, cases, "--profile", "agentos")
    t.match("Test 'case 1' failed: Expected 5, got -1", doc["feedback_text"], "the profile that promises the text")
    doc = judge(t, "class C:\n    def m(self, a): return a\n", [{"args": [(1)], "expected": 2}], "--func", "C.m")
    t.equal(doc["test_results"][0]["call"], "C.m(1)", "a method")
    doc = judge(t, "print(1)", [{"stdin": "", "expected_stdout": "1"}])
    t.equal((doc["test_results"][0]["call"], doc["test_results"][0]["test"]), (None, "case 1"), "a whole program")


@box.once
def test_defaults(t):
    """agentos' cases, as json.dumps(asdict(TestCase(...))) writes them."""
    base = {"name": "", "input_args": [], "input_kwargs": {}, "expected_output": None, "expected_type": "", "expected_exception": "", "weight": 1.0}
    code = "def f(n=5):\n    if n < 0: raise ValueError(n)\n    return n * 24 if n else None\n"
    rows = [
        (dict(base, input_args=[5], expected_type="int"), "OK"), (dict(base, input_args=[0], expected_type="int"), "Type mismatch: got NoneType, expected int"),
        (dict(base, input_args=[5]), "OK"), (dict(base, input_args=[-1], expected_exception="ValueError"), "Expected exception ValueError raised"),
        (dict(base, input_args=[1], expected_exception="ValueError"), "Expected exception ValueError but none raised"),
        (dict(base, input_args=[5], expected_output=120), "OK"), (dict(base, input_kwargs={"n": 5}, expected_output=121), "Expected 121, got 120"),
        ({"args": [0], "expected": None}, "OK"), ({"args": [5], "expected": None}, "Expected None, got 120"),
        ({"args": [5], "expected_output": None}, "Expected None, got 120"),
    ]
    doc = judge(t, code, [row[0] for row in rows])
    t.equal([r["detail"] for r in doc["test_results"]], [row[1] for row in rows], "details", doc)
    t.equal([r["name"] for r in doc["test_results"]], ["case %d" % (i + 1) for i in range(len(rows))], "names", doc)
    doc = judge(t, code, [{"args": [1], "expected": 24, "weight": 3}, {"args": [1], "expected": 1, "weight": 1}, {"args": [1], "expected": 1, "weight": 0}])
    t.equal(doc["score"], 0.75, "a weighted score", doc)
    doc = judge(t, code, [{"args": [1], "expected": 24, "weight": 1e100}, {"args": [1], "expected": 24, "weight": 5e-324}] * 50)
    t.equal(doc["score"], 1, "from the least to the most", doc)
    for weight in ("-1", "NaN", "Infinity", "-Infinity", "1e309", '"1"', "true1", "0"):
        t.write("cases.json", '[{"args": [1], "expected": 24, "weight": %s}]' % weight)
        t.refused(t.box("test", "candidate.py", "--cases", "cases.json"), 2, "weight|number|column", "weight " + weight)


@box.once
def test_moments(t):
    """Equal moments on other clocks, in sets and as keys."""
    at = lambda text: {"$type": "datetime", "text": text}
    code = "from datetime import *\nz = timezone(timedelta(hours=5, minutes=45))\n" \
           "def f(k):\n    d = datetime(2024, 1, 1, 0, 30, tzinfo=z)\n    return d if k == 0 else {d} if k == 1 else {d: 1} if k == 2 else frozenset({(d,)})\n"
    want = at("2023-12-31T18:45:00Z")
    doc = judge(t, code, [{"args": [0], "expected": want}, {"args": [1], "expected": {"$type": "set", "items": [want]}},
                          {"args": [2], "expected": {"$type": "dict", "items": [[want, 1]]}},
                          {"args": [3], "expected": {"$type": "frozenset", "items": [{"$type": "tuple", "items": [want]}]}},
                          {"args": [1], "expected": {"$type": "set", "items": [at("2023-12-31T18:46:00Z")]}}])
    t.equal([r["passed"] for r in doc["test_results"]], [True] * 4 + [False], "verdicts", doc)


# ---- other systems' shapes ----

@box.once
def test_agentos_shape(t):
    """A result in the form of agentos."""
    def shape(*args, strict=()):
        done = t.run("--json", "--profile", "agentos", *args)
        return t.box("format", "--profile", "agentos", *strict, stdin=done.out).json

    doc = shape("-c", "import sys\nfor i in range(9): print('e%d' % i, file=sys.stderr)\nprint('x' * 900)\nsys.exit(1)")
    t.equal((doc["success"], doc["exit_code"], doc["exception"], len(doc["stdout"])), (False, 1, "e4\ne5\ne6\ne7\ne8", 500), "the last five lines", doc)
    t.equal(sorted(doc), sorted("success exit_code stdout stderr exception duration max_memory_mb test_results all_passed".split()), "its keys")
    t.ok(doc["duration"].endswith("s") and float(doc["max_memory_mb"]) > 0, "figures", doc)
    doc = shape("-c", "import sys\nfor i in range(5): print('e%d' % i, file=sys.stderr)\nsys.exit(1)")
    t.equal(doc["exception"], "e0\ne1\ne2\ne3\ne4\n", "five lines are not more than five", doc)
    done = t.run("--json", "--profile", "agentos", "--timeout", "1s", "-c", "print('part', flush=True)\nwhile True: pass")
    t.equal((done.json["exception"] or {}).get("message"), "Timeout after 1.0s", "a timeout's exception", done)
    doc = t.box("format", "--profile", "agentos", stdin=done.out).json
    t.equal({k: doc[k] for k in ("success", "exit_code", "stdout", "exception", "duration")},
            dict(success=False, exit_code=-1, stdout="part\n", exception="Timeout after 1.0s", duration="1.00s"), "a timeout", doc)
    doc = shape("-c", "import socket")
    t.equal((doc["exit_code"], doc["stderr"], doc["exception"]), (-1, "SECURITY VIOLATION: Forbidden import: socket", "Security check failed"), "refused")
    doc = shape("-c", "def f(:")
    t.equal((doc["stderr"], doc["exception"]), ("Line 1: invalid syntax", "Syntax error: Line 1: invalid syntax"), "no Python")
    warns = ("-c", "import sys; print('w', file=sys.stderr)")
    t.equal((shape(*warns)["success"], shape(*warns, strict=("--strict-stderr",))["success"]), (True, False), "warnings, and strictly")
    done = t.box("test", "-c", "def f(n): return n", "--cases", "-", "--json", "--profile", "agentos",
                 stdin=b'[{"args": [1], "expected": 1}, {"args": [1], "expected": 2}]')
    doc = t.box("format", "--profile", "agentos", stdin=done.out).json
    t.equal([sorted(r) for r in doc["test_results"]], [["detail", "duration_ms", "expected", "name", "output", "passed"]] * 2, "tests", doc)
    t.equal((doc["all_passed"], doc["test_results"][1]["detail"]), (False, "Expected 2, got 1"), "their details", doc)
    doc = t.box("format", "--profile", "chapter", "--json", stdin=done.out).json
    t.equal((doc["total"], doc["passed"], doc["results"][0]), (2, 1, {"test": "f(1)", "expected": "1", "actual": "1", "passed": True}), "the profile chapter", doc)
    done = t.box("format", stdin=done.out)
    t.match(b"1 of 2 tests passed.\n- case 2: f\\(1\\): Expected 2, got 1\n", done.out, "for a model")


# ---- functions without an import, around the function that is tested ----

AROUND = [
    ("len(f(3))", 3), ("sorted(f(3))", [0, 1, 2]), ("str(f(1))", "[0]"), ("sum(f(3)) + max(f(2))", 4), ("repr(f(2))", "[0, 1]"),
    ("list(map(str, f(2)))", ["0", "1"]), ("isinstance(f(1), list)", True), ("type(f(1)).__name__", "list"), ("''.join(map(str, f(3)))", "012"),
    ("[len(f(i)) for i in range(3)]", [0, 1, 2]), ("any(x > 1 for x in f(3))", True), ("set(f(2)) == {0, 1}", True), ("abs(min(f(2)))", 0),
    ("round(sum(f(3)) / 2, 1)", 1.5), ("dict(a=f(1))", {"a": [0]}), ("tuple(f(2)) == (0, 1)", True), ("list(reversed(f(3)))", [2, 1, 0]),
    ("list(zip(f(2), f(2)))[1][0]", 1), ("all(f(0))", True), ("list(enumerate(f(2)))[1][1]", 1),
]


def test_builtins_around(t):
    """Python's own functions in a case's call, with every profile that judges the candidate."""
    code = "def f(n):\n    return list(range(n))\n"
    cases = [{"call": call, "expected": want} for call, want in AROUND] + [{"args": [2], "expected": [0, 1]}]
    for profile in ("standard", "strict", "kodeagent", "codeact", "chapter", "restricted", "agentos", "smolagents"):
        doc = judge(t, code, cases, "--func", "f", "--profile", profile)
        t.ok(doc.get("all_passed"), "calls with %s" % profile, [r["detail"] for r in doc["test_results"] if not r["passed"]] or doc)
    checks = [{"task_id": "a", "code": code, "test_list": ["assert (%s) == %r" % pair for pair in AROUND]},
              {"task_id": "b", "prompt": "", "completion": code, "entry_point": "f", "canonical_solution": code,
               "test": "def check(f):\n" + "".join("    assert (%s) == %r\n" % pair for pair in AROUND)}]
    t.write("suite.jsonl", "".join(json.dumps(row) + "\n" for row in checks))
    done = t.box("test", "--suite", "suite.jsonl")
    t.ok(done.code == 0 and b"2 of 2 passed" in done.out, "in the tests of MBPP and HumanEval", done)


def test_base_functions(t):
    """What the profile smolagents gives without an import, to the candidate, to a call and to the tests of a suite."""
    code = "def f(x: List[int]) -> Nothing:\n    return sqrt(x)\n"
    cases = [{"args": [16], "expected": 4.0}, {"call": "floor(f(17))", "expected": 4}, {"call": "ceil(f(17)) + len(str(f(4)))", "expected": 8},
             {"call": "f(k * k)", "expected": 3.0}]
    t.write("setup.py", "k = floor(sqrt(9.5))\n")
    doc = judge(t, code, cases, "--func", "f", "--setup", "setup.py", "--profile", "smolagents")
    t.ok(doc.get("all_passed"), "calls, with names in annotations that nothing defines", [r["detail"] for r in doc["test_results"]] or doc)
    doc = judge(t, code, cases[:1], "--func", "f", "--isolate", "--profile", "smolagents")
    t.ok(doc.get("all_passed"), "--isolate", doc)
    doc = judge(t, "def f(x):\n    return sqrt(x)\n", cases[:1], "--func", "f")
    t.match("name 'sqrt' is not defined", doc["test_results"][0]["detail"], "not with another profile")
    doc = judge(t, "print(floor(2.5))\n", [{"stdin": "", "expected_stdout": "2\n"}], "--profile", "smolagents")
    t.ok(doc.get("all_passed"), "a program", doc)
    doc = judge(t, code, cases[:1], "--func", "f", "--profile", "smolagents", "--allow-imports", "nosuch_a")
    t.match("InterpreterError: Non-installed authorized modules: nosuch_a", doc["test_results"][0]["detail"], "modules that must be installed")
    rows = [{"task_id": "a", "code": code, "test_list": ["assert f(16) == 4.0", "assert floor(f(17)) == 4"]},
            {"task_id": "b", "prompt": "", "completion": code, "entry_point": "f", "test": "def check(g):\n    assert ceil(g(17)) == 5\n"}]
    t.write("suite.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    done = t.box("test", "--suite", "suite.jsonl", "--profile", "smolagents")
    t.ok(done.code == 0 and b"2 of 2 passed" in done.out, "suites", done)
    done = t.box("test", "--suite", "suite.jsonl")
    t.ok(done.code == 1 and b"0 of 2 passed" in done.out, "not with another profile", done)
