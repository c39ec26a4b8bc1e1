# SPDX-License-Identifier: Apache-2.0
"""`glovebox test`: cases, their texts, and candidates that are not honest."""

import json
import os
import textwrap
from concurrent.futures import ThreadPoolExecutor

import box
import dishonest

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


@box.once
def test_dishonest_calls(t):
    def one(item):
        body = textwrap.indent(item[1].strip("\n"), "    ")
        return item[0], verdicts(t, item[0], "def cheat():\n" + body + ANSWER)

    with ThreadPoolExecutor(2) as pool:
        for name, (done, passed) in pool.map(one, dishonest.CALLS.items()):
            t.equal(passed, [True] + [False] * 4 + [True], name, done)
            t.equal(done.code, 1, name + ": exit status", done)


@box.once
def test_dishonest_loads(t):
    def one(item):
        code = item[1] if "answer" in item[1] else item[1] + ANSWER
        return item[0], verdicts(t, "load " + item[0], code)

    with ThreadPoolExecutor(2) as pool:
        for name, (done, passed) in pool.map(one, dishonest.LOADS.items()):
            t.equal(passed, [False] * 6, name, done)
            t.equal(done.code, 1, name + ": exit status", done)


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
    """Row S7, branch by branch."""
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
    doc = judge(t, ADD, [])
    t.equal((doc["all_passed"], doc["message"], doc["total"]), (False, "Code executed, no tests", 0), "no cases", doc)
    t.equal((doc["success"], doc["exit_code"], doc["score"], doc["error_type"]), (True, 0, None, None), "and no score", doc)
    t.exits(t.box("test", "candidate.py", "--cases", "cases.json"), 0, "no cases", b"Code executed, no tests\n")


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
    t.refused(t.box("test", "-", "--cases", "-"), 2, "read once", "both from standard input")
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
    """Row C9: by value; by its text under the profile of that name."""
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
