# SPDX-License-Identifier: Apache-2.0
"""`glovebox test` for those who evaluate models: what came of each sample, the files that benchmarks have, comparisons."""

import base64
import gzip
import json
import os
import pickle
import zlib

import box

CASES = [{"args": [1], "expected": 1}]


def lines(tasks):
    return "".join(json.dumps(t) + "\n" for t in tasks)


def judge(t, *args, **how):
    """The results by id, the summary, and how it ended."""
    how.setdefault("timeout", 300)
    done = t.box("test", "--json", "--log", "off", *args, **how)
    docs = [json.loads(line) for line in done.out.splitlines()]
    return {d["id"]: d for d in docs if "id" in d}, docs[-1].get("summary", {}) if docs else {}, done


# A candidate for f(1) == 1, what comes of it, and a part of its output.
OUTCOMES = [
    ("good", "def f(x): return x", "passed", None),
    ("wrong", "def f(x):\n    print('hello')\n    return 3", "wrong", "hello\n"),
    ("nothing", "def f(x): pass", "wrong", None),
    ("raises", "def f(x):\n    print('here')\n    return 1 // 0", "exception", "here\n"),
    ("load", "import nosuchmodule\ndef f(x): return x", "exception", None),
    ("missing", "g = 1", "exception", None),
    ("hangs", "def f(x):\n    while True: pass", "timeout", None),
    ("eats", "def f(x):\n    a = []\n    while True: a.append(bytearray(1 << 20))", "memory", None),
    ("asks", "def f(x): return len(bytearray(1 << 45))", "memory", None),
    ("exits", "import os\ndef f(x): os._exit(0)", "exited", None),
    ("leaves", "import sys\ndef f(x): sys.exit(0)", "exited", None),
    ("dies", "import os\ndef f(x): os.kill(os.getpid(), 9)", "exited", None),
    ("syntax", "def f(x:", "refused", None),
    ("blank", " \n", "none", None),
]


@box.once
def test_outcomes(t):
    for form, tests in (("cases", {"cases": CASES}), ("code", {"test_list": ["assert f(1) == 1"]})):
        t.write("s.jsonl", lines(dict(tests, id=name, code=code, func="f", timeout=2) for name, code, _, _ in OUTCOMES))
        got, summary, done = judge(t, "--suite", "s.jsonl", "--memory", "128m")
        for name, _, outcome, printed in OUTCOMES:
            row = got.get(name, {})
            t.equal((row.get("outcome"), row.get("stdout")), (outcome, printed), "%s: %s" % (form, name), row)
        t.equal((summary.get("outcomes", {}).get("memory"), summary.get("outcomes", {}).get("passed")), (2, 1), form + ": counted", summary)
    t.write("s.jsonl", lines([{"id": "bad", "code": "def f(): pass", "test": "assert f("}, {"id": "worse"}]))
    got, _, done = judge(t, "--suite", "s.jsonl")
    t.equal([row["outcome"] for row in got.values()], ["ours", "ours"], "no verdict", done)


def test_exits(t):
    """A candidate that ends the program passes nothing, and the row says that it did, in whatever form the tests are."""
    ends = ["exit()", "quit(0)", "sys.exit(0)", "raise SystemExit", "os._exit(0)", "os._exit(3)"]
    body = "import os, sys\ndef f(x):\n    if x == 1:\n        %s\n    return x\n"
    forms = {
        "cases": {"cases": CASES}, "check": {"entry_point": "f", "test": "def check(c):\n    assert c(1) == 1"}, "list": {"test_list": ["assert f(1) == 1"]},
        "unittest": {"test": "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(1), 1)\nunittest.main()"},
        "doctest": {"test": '"""\n>>> f(1)\n1\n"""'}, "caught": {"test_list": ["try:\n    assert f(1) == 1\nexcept BaseException:\n    pass"]}}
    rows = [dict(tests, id="%s: %s" % (form, end), code=(body % end)) for form, tests in forms.items() for end in ends]
    rows += [dict(tests, id="%s: %s first" % (form, end), code="import os, sys\n%s\ndef f(x): return x\n" % end)
             for form, tests in forms.items() if form != "caught" for end in ends]
    t.write("s.jsonl", lines(rows))
    got, _, done = judge(t, "--suite", "s.jsonl", "-j", "2")
    t.equal(len(got), len(rows), "all are judged", done)
    for name, row in got.items():
        if name.startswith("caught"):
            t.equal((row["all_passed"], row["outcome"], row["counted"]), (False, "exited" if "_exit" in name else "ours", True), name, row)
        else:
            t.equal((row["all_passed"], row["passed"], row["outcome"]), (False, 0, "exited"), name, row)
            t.match("[Tt]he candidate ended the program|exit status 3", row["detail"], name)
    t.write("s.jsonl", lines([dict(id="a", code="def f(x): return x", test="assert f(1) == 1\nexit(0)"),
                              dict(id="b", code=(body % "exit()"), test_list=["assert f(1) == 1", "assert f(2) == 2"])]))
    got, _, done = judge(t, "--suite", "s.jsonl")
    t.equal(got.get("a", {}).get("outcome"), "ours", "test code that ends itself gives no verdict", done)
    t.equal([got.get("b", {}).get(key) for key in ("passed", "total", "outcome")], [1, 2, "exited"], "exit() is an exception", done)


def test_outcomes_of_one(t):
    t.write("c.json", json.dumps(CASES + [{"args": [0], "expected": 0}]))
    done = t.box("test", "-c", "def f(x): return x or 1 // x", "--cases", "c.json", "--json")
    doc = json.loads(done.out)
    t.equal((doc["outcome"], [row["outcome"] for row in doc["test_results"]]), ("exception", ["passed", "exception"]), "one program", doc)
    done = t.box("test", "-c", "x = 1", "--json")
    t.equal(json.loads(done.out)["outcome"], "passed", "without cases")
    done = t.box("test", "-c", "while True: pass", "--timeout", "300ms", "--json")
    t.equal(json.loads(done.out)["outcome"], "timeout", "without cases, too long")


def test_outputs(t):
    code = "def f(x):\n    print('a' * 3000)\n    print('m' * 90000)\n    print('z' * 500)\n    return 2"
    for tests in ({"cases": CASES}, {"test_list": ["assert f(1) == 1"]}):
        t.write("s.jsonl", lines([dict(tests, id="a", code=code)]))
        t.box("test", "--suite", "s.jsonl", "--results", "r.jsonl", "--log", "off")
        with open(os.path.join(t.dir, "r.jsonl")) as f:
            row = json.load(f)
        os.unlink(os.path.join(t.dir, "r.jsonl"))
        t.ok(len(row["stdout"]) < 4200 and row["stdout"].startswith("aaa") and "left out" in row["stdout"],
             "the output of a failed sample is shortened", row["stdout"][:100])


def test_letter_j(t):
    done = t.box("run", "-j", "-c", "print(1)")
    t.equal((json.loads(done.out)["stdout"], done.err), ("1\n", b"glovebox: -j will mean only --jobs in the next release; write --json\n"),
            "the old letter, with a warning", done)
    done = t.box("run", "--help")
    t.ok(b" -j" not in done.out, "it is in no help")
    done = t.box("test", "-j", "2", "-c", "1")
    t.equal((done.code, done.err), (0, b""), "the jobs of a test", done)


@box.once
def test_arrays(t):
    good, bad = {"id": "good", "code": "def f(x): return x", "cases": CASES}, {"id": "a]\"\\,", "code": "def f(x): return [", "cases": CASES}
    for name, text in (("on one line", json.dumps([good, bad])), ("on many", json.dumps([good, bad], indent=2)),
                       ("packed", gzip.compress(json.dumps([good, bad], indent=1).encode())), ("with a mark", "\ufeff" + json.dumps([good, bad]))):
        t.write("s.json", text)
        got, summary, done = judge(t, "--suite", "s.json")
        t.equal(({k: (r["all_passed"], r["line"]) for k, r in got.items()}, summary.get("total")),
                ({good["id"]: (True, 1), bad["id"]: (False, 2)}, 2), "an array " + name, done)
    for text, why in (("[" + json.dumps(good), "the array does not end"), (json.dumps([good]) + " x", "there is text after the array")):
        t.write("s.json", text)
        done = t.box("test", "--suite", "s.json", "--log", "off")
        t.exits(done, 2, why)
        t.match("s.json: %s\n" % why, done.err, why)
    t.write("s.json", "[]")
    t.exits(t.box("test", "--suite", "s.json"), 1, "an empty array has no tasks")


# ---- problems apart from samples, in the forms in which benchmarks are published ----

HUMANEVAL = [
    {"task_id": "Test/0", "prompt": "from typing import List\n\ndef twice(x: int) -> List[int]:\n    \"\"\"Two of x.\"\"\"\n",
     "canonical_solution": "    return [x, x]\n", "entry_point": "twice",
     "test": "def check(candidate):\n    assert candidate(1) == [1, 1]\n"},
    {"task_id": "Test/1", "prompt": "def inc(x):\n    \"\"\"One more.\"\"\"\n", "canonical_solution": "    return x + 1\n", "entry_point": "inc",
     "test": "def check(candidate):\n    assert candidate(1) == 2\n"},
]


@box.once
def test_problems(t):
    t.write("p.jsonl.gz", gzip.compress(lines(HUMANEVAL).encode()))
    samples = [
        {"task_id": "Test/0", "completion": "    return [x] * 2\n"},
        {"task_id": "Test/0", "completion": "    return x\n"},
        {"task_id": "Test/0", "solution": "def twice(x):\n    return [x, x]\n", "test": "assert False", "entry_point": "other"},
        {"task_id": "Test/0", "completion": "def twice(x) -> List[int]:\n    return [x, x]\n"},
        {"task_id": "Test/0", "completion": None},
        {"task_id": "Test/9", "completion": ""},
    ]
    t.write("s.jsonl", lines(samples))
    done = t.box("test", "--problems", "p.jsonl.gz", "--suite", "s.jsonl", "--json", "--log", "off", timeout=300)
    rows = sorted((r for r in done.events if "id" in r), key=lambda r: r["line"])
    t.equal([r["outcome"] for r in rows], ["passed", "wrong", "passed", "passed", "none", "ours"], "samples of problems", done)
    t.match("line 6: p.jsonl.gz has no problem 'Test/9'; did you mean 'Test/", rows[5]["error"], "an unknown problem")
    summary = done.events[-1]["summary"]
    t.equal((summary["problems_without_sample"], summary["pass_at_k"]["1"], summary["outcomes"]["none"]), (1, 0.6, 1), "what is missing is counted", summary)
    got, _, done = judge(t, "--problems", "p.jsonl.gz", "--reference")
    t.equal([r["outcome"] for r in got.values()], ["passed"] * 2, "the problems' own solutions", done)
    t.exits(t.box("test", "--problems", "p.jsonl.gz"), 2, "problems without samples")
    t.write("twice.jsonl", lines(HUMANEVAL[:1] * 2))
    done = t.box("test", "--problems", "twice.jsonl", "--suite", "s.jsonl")
    t.exits(done, 2, "a problem that is there twice")
    t.match("--problems twice.jsonl: line 2: two problems have the id 'Test/0'", done.err, "says so")


@box.once
def test_mbpp(t):
    problem = {"source_file": "x", "task_id": 2, "prompt": "Write a function to add one.", "code": "def inc(x): return x + 1",
               "test_imports": ["import math"], "test_list": ["assert inc(1) == 2", "assert inc(math.pi) > 4"]}
    t.write("sanitized.json", json.dumps([problem], indent=2))
    t.write("s.json", json.dumps([{"task_id": 2, "completion": "def inc(x):\n    return x + 1\n"}, {"task_id": 2, "solution": "def inc(x): return x"}]))
    done = t.box("test", "--problems", "sanitized.json", "--suite", "s.json", "--json", "--log", "off")
    t.equal([r["outcome"] for r in sorted(done.events[:-1], key=lambda r: r["sample"])], ["passed", "wrong"], "an array of problems, with prompts in English", done)
    t.exits(t.box("test", "--problems", "sanitized.json", "--reference", "--log", "off"), 0, "their code is the reference")


REPLY = "Here it is:\n\n```python\ndef inc(x):\n    return x\n```\n\nThat is wrong. Better:\n\n```python\ndef inc(x):\n    return x + 1\n```\n\nUse it so:\n\n```python\nprint(inc(1))\n```\n"


@box.once
def test_extract(t):
    t.write("p.jsonl", lines(HUMANEVAL))
    replies = [REPLY, "```py\n    return x + 1\n```", "    return x + 1\n", "def inc(x): return x + 1", "I cannot do that.", "",
               "```python\ndef inc(x):\n    return x + 1"]
    want = ["passed", "passed", "passed", "passed", "none", "none", "passed"]
    t.write("s.jsonl", lines([{"task_id": "Test/1", "completion": reply} for reply in replies]))
    done = t.box("test", "--problems", "p.jsonl", "--suite", "s.jsonl", "--extract", "--json", "--log", "off", timeout=300)
    rows = sorted(done.events[:-1], key=lambda r: r["line"])
    t.equal([r["outcome"] for r in rows], want, "the code in replies", rows)
    t.equal([r["detail"] for r in rows[4:6]], ["the reply has no code", "the sample has no program"], "and where there is none")
    t.write("s.jsonl", lines([{"task_id": "Test/1", "solution": REPLY}]))
    done = t.box("test", "--problems", "p.jsonl", "--suite", "s.jsonl", "--log", "off")
    t.match("this is a reply with code in fences: add --extract\n", done.out, "advice without the option")


EVALPLUS = [
    {"task_id": "HumanEval/0", "prompt": "def half(x):\n    \"\"\"Half of x.\"\"\"\n", "entry_point": "half", "canonical_solution": "    return x / 2\n",
     "test": "def check(candidate):\n    assert False", "contract": "\n    assert x is not None\n", "base_input": [[1], [2.5]],
     "plus_input": [[10**30], [-0.1], [1e300]], "atol": 0},
    {"task_id": "Mbpp/2", "prompt": "\"\"\"\nFind what both have.\n\"\"\"\n", "entry_point": "similar_elements",
     "canonical_solution": "def similar_elements(a, b):\n    assert type(a) is tuple\n    return tuple(set(a) & set(b))\n",
     "base_input": [[[3, 4, 5], [5, 3]]], "plus_input": [[[], []], [[1, 2], [2, 1]]], "atol": 0, "contract": "", "assertion": ""},
    {"task_id": "Mbpp/56", "prompt": "\"\"\"\nOne less than twice its reverse?\n\"\"\"\n", "entry_point": "check",
     "canonical_solution": "def check(n):\n    return n == 2 * int(str(n)[::-1]) - 1\n", "base_input": [[70], [73]], "plus_input": {}, "atol": 0},
]


@box.once
def test_replies(t):
    """A reply that was taken for a program: the refusal says where its code is, and a suite's row how to get it judged."""
    reply = "Sure, here it is:\n\n```python\ndef f(x):\n    return x\n```\n\nHope it helps.\n"
    hint = "If this is a model's reply, give only the code between its fences, from line 4 to 5"
    t.write("reply.txt", reply)
    t.write("c.json", json.dumps(CASES))
    for args in (("test", "reply.txt", "--cases", "c.json"), ("run", "reply.txt"), ("check", "reply.txt"), ("test", "-c", reply)):
        done = t.box(*args)
        t.match(hint, done.out + done.err, " ".join(args[:2]))
    done = t.box("check", "-c", '"""\n```python\nprint(1)\n```\n"""\ndef f(:\n')
    t.ok(b"reply" not in done.out, "a program with fences in a text, and an error after it", done)
    rows = [{"id": "a", "code": reply, "cases": CASES}, {"id": "b", "code": reply, "test_list": ["assert f(1) == 1"]}]
    t.write("s.jsonl", lines(rows))
    for args in ((), ("--no-check",)):
        got, _, done = judge(t, "--suite", "s.jsonl", *args)
        for row in got.values():
            t.match("reply with code in fences: add --extract$", row["detail"], "a row's detail")
    got, summary, done = judge(t, "--suite", "s.jsonl", "--extract")
    t.equal(summary.get("passed"), 2, "with --extract", done)


@box.once
def test_evalplus(t):
    t.write("p.jsonl.gz", gzip.compress(lines(EVALPLUS).encode()))
    samples = [
        ("HumanEval/0", {"completion": "    return x * 0.5\n"}, "passed", 2),
        ("HumanEval/0", {"solution": "def half(x):\n    return x / 2 + 1e-9"}, "passed", 2),
        ("HumanEval/0", {"solution": "def half(x):\n    return x / 2 if x < 1e20 else 0"}, "wrong", 1),
        ("HumanEval/0", {"solution": "def half(x):\n    return x // 2"}, "wrong", 0),
        ("HumanEval/0", {"solution": "def half(x):\n    return str(x)"}, "wrong", 0),
        ("Mbpp/2", {"solution": "def similar_elements(a, b):\n    return [v for v in b if v in a]"}, "passed", 2),
        ("Mbpp/2", {"solution": "def similar_elements(a, b):\n    return a[:0]"}, "wrong", 0),
        ("Mbpp/2", {"solution": "def similar_elements(a, b):\n    return 1 // 0"}, "exception", 0),
        ("Mbpp/56", {"solution": "def check(n):\n    return n == 73"}, "passed", 1),
        ("Mbpp/56", {"solution": "def check(n):\n    return True"}, "wrong", 0),
    ]
    t.write("s.jsonl", lines(dict(more, task_id=name) for name, more, _, _ in samples))
    done = t.box("test", "--problems", "p.jsonl.gz", "--suite", "s.jsonl", "--json", "--log", "off", timeout=300)
    rows = sorted(done.events[:-1], key=lambda r: r["line"])
    t.equal([(r["outcome"], r["passed"]) for r in rows], [(outcome, n) for _, _, outcome, n in samples],
            "the reference says what is right, for the inputs of the benchmark and the added ones", rows)
    t.match(r"test 2: AssertionError: half\(1000000000000000000000000000000\): expected 5e\+29, got 0", rows[2]["detail"], "and the input that failed")
    t.exits(t.box("test", "--problems", "p.jsonl.gz", "--reference", "--log", "off", timeout=300), 0, "references pass")


def test_forged(t):
    """A candidate cannot take itself out of the count: by an exception that looks like ours, or by the tests' memory."""
    flood = "import os\nfor fd in range(1, 8):\n    try: os.write(fd, b'{\"value\":[' + b'[],' * 4000000 + b'[]]}\\n')\n    except OSError: pass\n"
    t.write("s.jsonl", lines([
        {"id": "f/fault", "code": "e = Exception(); e.fault = True; raise e", "test": "assert f(1) == 1", "entry_point": "f"},
        {"id": "f/late", "code": "def f(x):\n    e = Exception(); e.fault = True\n    raise e", "test": "assert f(1) == 1", "entry_point": "f"},
        {"id": "f/flood", "code": flood + "def f(x): return x", "test": "assert f(1) == 2", "entry_point": "f"}]))
    got, summary, done = judge(t, "--suite", "s.jsonl", "--memory", "128m")
    for name, row in got.items():
        t.ok(row["counted"] and not row["all_passed"] and row["outcome"] != "ours", name + " counts, and fails", row)
    t.equal(len(got), 3, "all of them", done)
    reference = "def big(x):\n    return float('inf') if x > 1 else 0.5"
    problem = dict(EVALPLUS[0], task_id="HumanEval/9", entry_point="big", prompt="def big(x):\n", canonical_solution=reference.split("\n", 1)[1] + "\n",
                   base_input=[[0], [2]], plus_input=[[3]])
    t.write("p.jsonl", lines([problem]))
    t.write("c.jsonl", lines([{"task_id": "HumanEval/9", "solution": "def big(x): return 1.0 if x > 1 else 0.5"},
                              {"task_id": "HumanEval/9", "solution": reference}]))
    done = t.box("test", "--problems", "p.jsonl", "--suite", "c.jsonl", "--json", "--log", "off", timeout=300)
    t.equal([row["all_passed"] for row in sorted(done.events[:-1], key=lambda r: r["line"])], [False, True], "nothing but inf is near inf", done)


def lcb(name, kind, cases, private, **more):
    tests = [{"input": i, "output": o, "testtype": kind} for i, o in cases]
    return dict({"question_title": name, "question_id": name, "platform": "x", "starter_code": "", "difficulty": "easy",
                 "public_test_cases": json.dumps(tests[:1]), "private_test_cases": private or json.dumps(tests[1:]), "metadata": "{}"}, **more)


def packed(value, protocol=None):
    """What LiveCodeBench publishes: base64 of zlib of a pickle."""
    return base64.b64encode(zlib.compress(pickle.dumps(value, protocol))).decode()


class Code:
    """A pickle that runs a command where pickle.loads reads it."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, ("touch '%s'" % self.path,)


PROTOCOLS = range(1, 6)  # 0 has texts in an escaped form, and nobody writes it
READ = ["v%d" % n for n in PROTOCOLS]
GOOD = pickle.dumps("[]")
# A pickle and bytes after the stream: two texts, no text, no end, more after the end, a length too large, a global.
DAMAGED = [(GOOD[:-1] + b"\x8c\x01a.", b""), (b"\x80\x04.", b""), (GOOD[:-1], b""), (GOOD + b".", b""), (GOOD, b"x"), (b"", b""),
           (b"X\xff\xff\xff\xff[].", b""), (b"\x8d" + b"\xff" * 8 + b"[].", b""), (b"cos\nsystem\n.", b""), (b"\x80", b""), (b"[]", b"")]


@box.once
def test_livecodebench(t):
    problems = [
        lcb("sum", "stdin", [("1 2\n", "3"), ("5 6", "11.0\n")], None),
        lcb("pair", "functional", [("[1, 2]\ntrue", "[2, 1]"), ("[3]\nfalse", "[3]")], None, metadata=json.dumps({"func_name": "turn"}),
            starter_code="class Solution:\n    def turn(self, v, back):\n        "),
        *(lcb("v%d" % n, "stdin", [("1", "1")], packed(json.dumps([{"input": "2", "output": "2", "testtype": "stdin"}] * 3), n)) for n in PROTOCOLS),
        lcb("code", "stdin", [("1", "1")], packed(Code(t.path("ran")))),
        lcb("list", "stdin", [("1", "1")], packed([{"input": "2", "output": "2", "testtype": "stdin"}])),
        *(lcb("bad%d" % i, "stdin", [("1", "1")], base64.b64encode(zlib.compress(text) + more).decode())
          for i, (text, more) in enumerate(DAMAGED)),
        lcb("bomb", "stdin", [("1", "1")], base64.b64encode(zlib.compress(b"X" + (1 << 28).to_bytes(4, "little") + bytes(1 << 28) + b".")).decode()),
        lcb("rubbish", "stdin", [("1", "1")], "!!!!"),
    ]
    others = [p["question_id"] for p in problems[2:]]
    t.write("p.jsonl", lines(problems))
    good = "class Solution:\n    def turn(self, v: List[int], back) -> List[int]:\n        return tuple(v[::-1] if back else v)\n"
    samples = [
        {"question_id": "sum", "code_list": ["a, b = map(int, input().split())\nprint(a + b, ' ')", "print(3)", "print(sum(map(int, sys.stdin.read().split())))", "", "1 / 0"]},
        {"question_id": "pair", "code_list": [good, "def turn(v, back):\n    return v[::-1]"]},
        *({"question_id": name, "code_list": ["print(input())"]} for name in others),
    ]
    t.write("s.json", json.dumps(samples, indent=4))
    done = t.box("test", "--problems", "p.jsonl", "--suite", "s.json", "--json", "--log", "off", timeout=300)
    rows = sorted(done.events[:-1], key=lambda r: (r["line"], r["sample"]))
    t.equal([(r["id"], r["sample"], r["outcome"]) for r in rows],
            [("sum", 0, "passed"), ("sum", 1, "wrong"), ("sum", 2, "passed"), ("sum", 3, "none"), ("sum", 4, "exception"),
             ("pair", 0, "passed"), ("pair", 1, "passed")] + [(name, 0, "passed" if name in READ else "ours") for name in others],
            "programs and functions, several samples in a row; JSON in a pickle", done)
    for row in rows[7:]:
        if row["id"] not in READ:
            t.match("which can run code, is not read .*(it is not a pickle of one text|it unpacks to more than 128 MiB)$", row["error"],
                    "no other pickle is read: " + row["id"])
        else:
            t.equal(row["total"], 4, "its private cases, too: " + row["id"])
    t.ok(not os.path.exists(t.path("ran")), "nothing of a pickle has run")
    done = t.box("test", "--problems", "p.jsonl", "--suite", "s.json", "--log", "off", timeout=300)
    t.ok(b"have no sample" not in done.out, "a problem that cannot be read has its sample", done)
    for sample in samples:
        sample["output_list"] = ["Sure.\n```python\n%s\n```" % code for code in sample.pop("code_list")]
    t.write("s.json", json.dumps(samples[:2]))
    done = t.box("test", "--problems", "p.jsonl", "--suite", "s.json", "--extract", "--json", "--log", "off", timeout=300)
    t.equal(done.events[-1]["summary"]["passed"], 4, "replies in output_list", done)


# ---- several suites, progress, comparisons ----

def candidates(right, n=4, name="a"):
    return [{"id": "%s%d" % (name, i), "code": "def f(x): return %s" % ("x" if i < right else 7), "cases": CASES} for i in range(n)]


@box.once
def test_several(t):
    t.write("one.jsonl", lines(candidates(3)))
    t.write("two.json", json.dumps(candidates(1)))
    how = ("--suite", "one.jsonl", "--suite", "two.json", "--results", "r.jsonl", "--log", "off")
    done = t.box("test", "--json", *how)
    ends = [d["summary"] for d in done.events if "summary" in d]
    t.equal([(e["suite"], e["total"], e["passed"], e["pass_at_k"].get("1")) for e in ends],
            [("one.jsonl", 4, 3, 0.75), ("two.json", 4, 1, 0.25), (None, 8, 4, None)], "each suite and the sum", done)
    again = t.box("test", "--resume", *how)
    t.match("one.jsonl: 3 of 4 passed, 4 from before\nnot passed: 1 wrong\npass@1: 0.7500 .*two.json: 1 of 4 passed, 4 from before\n.*all suites: 4 of 8 passed, 8 from before",
            again.out, "an evaluation that is resumed")
    with open(os.path.join(t.dir, "r.jsonl")) as f:
        t.equal(len(f.readlines()), 8, "no sample ran twice")
    t.equal(t.box("test", "--suite", "one.jsonl", "two.json", "--log", "off", "-q").code, 1, "as operands")
    t.exits(t.box("test", "--suite", "one.jsonl", "--suite", "one.jsonl"), 2, "one suite twice")
    t.exits(t.box("test", "--suite", "one.jsonl", "none.jsonl"), 2, "a name that is wrong")


@box.once
def test_interval(t):
    t.write("s.jsonl", lines(candidates(8, 10)))
    _, summary, _ = judge(t, "--suite", "s.jsonl")
    low, high = summary["pass_at_k_interval"]["1"]
    t.ok(abs(low - 0.4902) < 1e-3 and abs(high - 0.9433) < 1e-3, "Wilson's interval of 8 of 10", summary)
    t.write("s.jsonl", lines([dict(c, id="a%d" % (i % 5)) for i, c in enumerate(candidates(5, 10))]))
    _, summary, _ = judge(t, "--suite", "s.jsonl")
    t.equal((summary["pass_at_k"], [round(x, 3) for x in summary["pass_at_k_interval"]["1"]]), ({"1": 0.5, "2": 1.0}, [0.237, 0.763]),
            "tasks that are alike: the interval of all their samples")


@box.once
def test_compare(t):
    t.write("one.jsonl", lines(candidates(3) + candidates(1, 1, "only")))
    t.write("two.jsonl", lines(list(reversed(candidates(2))) + [dict(candidates(0, 1)[0], id="a9")]))
    t.write("same.jsonl", lines([dict(c, code="def f(x): return x") if c["id"] == "a3" else c for c in candidates(3)]))
    for name in ("one", "two", "same"):
        t.box("test", "--suite", name + ".jsonl", "--results", name + ".r", "--log", "off", "-q")
    done = t.box("test", "--compare-results", "one.r", "two.r")
    t.exits(done, 1, "something was lost")
    t.match("LOST   a2 \\(sample 0\\): wrong, was passed\none.r: pass@1 0.8000 .*two.r: pass@1 0.4000 .*2 passed in both, 1 lost, 0 gained, 1 passed in neither\n"
            "1 only in the first file, 1 only in the second\n", done.out, "for people")
    doc = json.loads(t.box("test", "--compare-results", "one.r", "same.r", "--json").out)
    t.equal((doc["both_passed"], doc["lost"], doc["gained"], doc["only_old"], doc["p_value"], doc["changed"]),
            (3, 0, 1, 1, 1.0, [{"id": "a3", "sample": 0, "old": "wrong", "new": "passed"}]), "as JSON")
    t.exits(t.box("test", "--compare-results", "one.r", "same.r"), 0, "nothing was lost")
    done = t.box("test", "--compare", "one.r", "two.r")
    t.ok(done.code == 1 and b"LOST   a2" in done.out and done.err.count(b"\n") == 1 and b"write --compare-results" in done.err,
         "the name of an earlier release, with a warning", done)
    for args, why in ((("--compare", "tokns"), "is neither exact, tokens, floats nor lines; --compare-results OLD NEW"),
                      (("--compare", "one.r"), "is neither exact, tokens, floats nor lines"), (("--compare", "none.r", "two.r"), "is neither exact"),
                      (("--compare-results", "one.r"), "--compare-results OLD NEW"), (("--compare-results", "one.r", "--suite", "one.jsonl"), "--suite"), (("--compare-results", "one.r", "two.jsonl"), "two.jsonl: has no results")):
        done = t.box("test", *args)
        t.exits(done, 2, why)
        t.match(why, done.err, why)


def test_compare_lines(t):
    case = {"stdin": "", "expected_stdout": "1.0 2\nx y\n"}
    for code, good in (("print('  1 2.00 ')\nprint('x y\\n\\n')", True), ("print('1 2 x y')", False), ("print('1 2')\nprint('x  y')", False)):
        t.write("c.json", json.dumps([case]))
        t.equal(t.box("test", "-c", code, "--cases", "c.json", "--compare", "lines").code, 0 if good else 1, "lines: " + code)
    t.write("c.json", json.dumps([{"stdin": "", "expected_stdout": "9007199254740993", "compare": "lines"}]))
    t.exits(t.box("test", "-c", "print(9007199254740992)", "--cases", "c.json"), 1, "large integers are not doubles")


@box.once
def test_progress(t):
    import pty
    import subprocess

    def on_terminal(n, *args):
        slow = "import time\ndef f(x):\n    time.sleep(0.15)\n    return %s"
        t.write("s.jsonl", lines({"id": "a%d" % i, "code": slow % ("x" if i % 2 else 7), "cases": CASES} for i in range(n)))
        own, other = pty.openpty()
        env = dict(t.env(), TERM="xterm")
        p = subprocess.Popen([t.glovebox, "test", "--suite", "s.jsonl", "--log", "off", *args], cwd=t.dir, env=env, stdin=other, stdout=other, stderr=other)
        os.close(other)
        text = b""
        while True:
            try:
                part = os.read(own, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        p.wait()
        os.close(own)
        return text.decode()

    text = on_terminal(60)
    t.match(r"\rtesting: [0-9]+ of 60, [0-9]+ passed, [0-9.]+ a second, [0-9]+:[0-9][0-9] left", text, "one line of progress")
    t.ok("ok  " not in text and text.count("FAIL") == 20, "of many tasks only the first failures", text[-3000:])
    t.match("[.]{3} and 10 more; --results FILE keeps them all\r\n30 of 60 passed", text, "and how many more")
    text = on_terminal(4)
    t.ok(text.count("ok  ") == 2 and text.count("FAIL") == 2, "of few tasks all", text)
    text = on_terminal(60, "-q")
    t.ok("testing:" not in text, "with -q no progress", text[-500:])


# ---- published forms, compressed ----

NEEDS = "import nosuch_np as np\n\ndef check(candidate):\n    assert np.allclose(candidate(1), 1)\n"


@box.once
def test_published(t):
    """BigCodeBench's names of fields; test code that needs a package."""
    problem = {"task_id": "BigCodeBench/0", "complete_prompt": "import math\ndef task_func(x):\n    \"\"\"Doubles.\"\"\"\n", "instruct_prompt": "Double it.",
               "canonical_solution": "    return 2 * x\n", "code_prompt": "import math\ndef task_func(x):\n", "entry_point": "task_func", "libs": "[]",
               "test": "import unittest\nclass TestCases(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(task_func(2), 4)\n"}
    with gzip.open(t.path("here", "p.jsonl.gz"), "wt") as f:
        f.write(lines([problem, {"task_id": "n", "prompt": "", "entry_point": "f", "canonical_solution": "def f(x): return x\n", "test": NEEDS}]))
    with gzip.open(t.path("here", "s.jsonl.gz"), "wt") as f:
        f.write(lines([{"task_id": "BigCodeBench/0", "solution": problem["code_prompt"] + "    return 2 * x\n"},
                       {"task_id": "BigCodeBench/0", "completion": "    return 2 * x\n"}, {"task_id": "BigCodeBench/0", "completion": "    return 3\n"}]))
    done = t.box("test", "--problems", "p.jsonl.gz", "--suite", "s.jsonl.gz", "--log", "off", timeout=300)
    t.ok(done.code == 1 and b"2 of 3 passed" in done.out and b"1 of 2 problems have no sample" in done.out and not done.err, "BigCodeBench", done)
    done = t.box("test", "--problems", "p.jsonl.gz", "--reference", "--log", "off", timeout=300)
    t.ok(b"1 of 2 passed, 1 without a verdict" in done.out, "its own solution; a package that is missing", done)
    t.match(b"^glovebox: hint: Module 'nosuch_np' is not installed.*--python.*\n$", done.err, "which a hint names, once")
    t.equal(t.box("test", "-q", "--problems", "p.jsonl.gz", "--reference", "--log", "off", timeout=300).err, b"", "not with -q")
