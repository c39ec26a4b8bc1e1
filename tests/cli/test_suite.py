# SPDX-License-Identifier: Apache-2.0
"""`glovebox test --suite`: verdicts, results, going on after an end, and test code against those who cheat."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

import box
import dishonest

GOOD = {"id": "good", "code": "def f(x): return x + 1", "cases": [{"args": [1], "expected": 2}]}
BAD = {"id": "bad", "code": "def f(x): return x", "cases": [{"args": [1], "expected": 2}, {"args": [2], "expected": 2}]}


def lines(tasks):
    return "".join((t if isinstance(t, str) else json.dumps(t)) + "\n" for t in tasks)


def suite(t, tasks, *args, **how):
    """The results by (id, sample), the summary, and how it ended."""
    t.write("suite.jsonl", tasks if isinstance(tasks, (str, bytes)) else lines(tasks))
    how.setdefault("timeout", 300)
    done = t.box("test", "--suite", "suite.jsonl", "--json", "--log", "off", *args, **how)
    try:
        docs = done.events
        return {(d["id"], d["sample"]): d for d in docs[:-1]}, docs[-1]["summary"], done
    except (ValueError, KeyError, IndexError):
        return {}, {}, done


def code_task(name, code, tests, **more):
    return dict({"task_id": name, "code": code, "test_list": tests}, **more)


@box.once
def test_verdicts(t):
    tasks = subprocess.run(
        ["/usr/bin/python3", os.path.join(box.ROOT, "tests", "suite", "make-tasks")],
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    got, summary, done = suite(t, tasks, "-j", "2")
    wrong = [r for r in got.values() if r["all_passed"] != (r["sample"] == 0) or r["error"]]
    t.ok(len(got) >= 400 and not wrong, "right solutions pass, wrong ones fail", (wrong, done.err))
    half = summary.get("passed") == summary.get("failed") == len(got) // 2
    t.ok(half and done.code == 1 and not summary["all_passed"], "they are counted", summary)
    t.equal(summary.get("pass_at_k"), {"1": 0.5, "2": 1.0}, "pass@1 and pass@2")


def test_results(t):
    got, summary, done = suite(t, [GOOD, BAD])
    t.exits(done, 1, "exit 1 when one fails")
    t.equal(sorted(got), [("bad", 0), ("good", 0)], "a line for each", done)
    bad = got.get(("bad", 0), {})
    t.equal((bad.get("passed"), bad.get("total"), bad.get("score"), bad.get("detail"), bad.get("error")),
            (1, 2, 0.5, "case 1: Expected 2, got 1", None), "what a result has")
    t.equal(sorted(bad), sorted("id sample line passed total score all_passed detail "
                              "from_candidate duration_ms error error_type trustworthy doubt counted suite outcome stdout stderr hash".split()), "its keys")
    got, summary, done = suite(t, [GOOD])
    t.exits(done, 0, "exit 0 when all pass")
    got, summary, done = suite(t, "")
    t.exits(done, 1, "no tasks are no success")
    done = t.box("test", "--suite", "-", "-j", "1", "--log", "off", stdin=lines([GOOD, BAD]).encode())
    t.match("ok   good .*FAIL bad .*: case 1: Expected 2, got 1\n1 of 2 passed", done.out, "for people, from standard input")


@box.once
def test_gzip(t):
    packed = gzip.compress(lines([GOOD, BAD] * 2).encode())
    got, summary, done = suite(t, packed)
    t.equal((summary.get("total"), summary.get("passed"), done.code), (4, 2, 1), "a suite that is compressed", done)
    done = t.box("test", "--suite", "-", "--json", "--log", "off", stdin=packed)
    t.equal(done.events[-1]["summary"]["total"], 4, "from standard input", done)
    two = gzip.compress(lines([GOOD]).encode()) + gzip.compress(lines([BAD]).encode())
    got, summary, done = suite(t, two)
    t.equal(summary.get("total"), 2, "in two members, as gzip files may be", done)
    for name, data in (("cut off", packed[:-12]), ("damaged", packed[:30] + b"xxxx" + packed[34:])):
        t.write("suite.jsonl.gz", data)
        done = t.box("test", "--suite", "suite.jsonl.gz", "--log", "off")
        t.exits(done, 2, name)
        t.match("suite.jsonl.gz: the compressed data is damaged or cut off\n", done.err, name + ", says the error")
    bomb = gzip.compress(b"x" * (400 << 20)) + gzip.compress(b"\n" + lines([GOOD]).encode())
    got, summary, done = suite(t, bomb)
    t.equal((summary.get("errors"), summary.get("passed")), (1, 1), "a line that unpacks to 400 MiB is one that is too long", done)


def test_broken_lines(t):
    tasks = [GOOD, '{"id": "x", ', "[1]", "", "\x00\xff", '{"id": "y"}', '{"id":"z","code":"","cases":[{"arg":1}]}', BAD,
             '{"id":"w","code":"","test":7}', '{"id":"v","code":"","test":"","sample":-1}', '{"code":"","test":""}',
             '{"id":"t","code":"","test":"","timeout":"soon"}', '{"id":"deep","code":' + "[" * 100000]
    got, summary, done = suite(t, tasks, "-j", "2")
    t.equal((summary.get("total"), summary.get("errors"), summary.get("passed"), done.code), (12, 10, 1, 1), "each is a failure", done)
    errors = sorted(json.loads(l)["error"] for l in done.out.splitlines()[:-1] if json.loads(l)["error"])
    t.ok(all(e.startswith("line ") for e in errors), "with its line", errors)
    t.ok(any(e == 'line 6: the candidate is missing, as "completion", "code" or "solution"; the line has: id' for e in errors), "and why", errors)
    t.ok(any(e.startswith('line 7: "cases": ') for e in errors), "cases too", errors)


def test_forms(t):
    he = {"task_id": "HumanEval/0", "prompt": "def helper(x):\n    return 2 * x\n\ndef f(x):\n    \"\"\"Twice.\"\"\"\n",
          "completion": "    return helper(x)\n", "entry_point": "f", "canonical_solution": "    return x + x\n",
          "test": "def check(candidate):\n    assert candidate(2) == helper(2)\n    assert candidate('a') == 'aa'\n"}
    got, _, done = suite(t, [he, dict(he, completion="    return x\n")])
    t.equal([(k, r["all_passed"]) for k, r in sorted(got.items())], [(("HumanEval/0", 0), True), (("HumanEval/0", 1), False)],
            "HumanEval, and samples are counted", done)
    t.match("AssertionError.*in the test: assert candidate", got[("HumanEval/0", 1)]["detail"], "the line that failed")
    _, _, done = suite(t, [dict(he, completion="    return x\n")], "--reference")
    t.exits(done, 0, "--reference")
    pair = """
import math
class Pair:
    def __init__(self, a, b): self.a, self.b = a, b
class Refused(Exception): pass
def total(pairs): return sum(p.a * p.b for p in pairs)
def first(pairs): return pairs[0]
def order(items): items.sort()
def refuse(): raise Refused('no')
def apply(g, items): return [g(x) for x in items]
def count(n):
    for i in range(n): yield i
def adder(n): return lambda x: x + n
"""
    tests = [
        "assert total([Pair(1, 2), Pair(3, 4)]) == 14",
        "p = Pair(1, 2)\nassert first([p]) is p and p.a == 1\np.a = 5\nassert total([p]) == 10",
        "items = [3, 1, 2]\norder(items)\nassert items == [1, 2, 3]",
        "try:\n    refuse()\nexcept Refused as e:\n    assert str(e) == 'no'\nelse:\n    assert False",
        "assert apply(lambda x: x * 2, [1, 2]) == [2, 4]",
        "assert list(count(3)) == [0, 1, 2] and sum(count(4)) == 6",
        "assert adder(2)(3) == 5",
        "assert math.isclose(0.1 + 0.2, 0.3)",
        "assert isinstance(first([Pair(1, 2)]), Pair) and not isinstance(1, Pair)",
        "assert given == 7 and json.dumps([]) == '[]'",
    ]
    got, _, done = suite(t, [code_task("mbpp", pair, tests, test_setup_code="given = 7", test_imports=["import json"])])
    t.exits(done, 0, "MBPP: objects, changes, exceptions, functions and generators go to and fro")
    got, _, done = suite(t, [code_task(1, "def f(x): return x", ["assert f(1) == 1", "assert f(1) == 2", "assert f(3) == 3"])])
    r = got.get(("1", 0), {})
    t.equal((r.get("passed"), r.get("total"), r.get("detail")), (2, 3, "test 2: AssertionError (in the test: assert f(1) == 2)"),
            "one assertion that fails does not keep the others from running", done)
    got, _, done = suite(t, [
        code_task("syntax", "def f(:", ["assert True"]), code_task("raises", "1 / 0", ["assert True"]),
        code_task("hang", "import time\ndef f(): time.sleep(9)", ["f()", "assert True"], timeout=0.5),
        code_task("late", "x = 1", ["while True: pass"], timeout="500ms"), code_task("none", "", []),
        code_task("memory", "def f(): return len(bytearray(1 << 30))", ["f()"]), code_task("refused", "import ctypes", ["1"])],
        "--profile", "strict")
    details = {k[0]: r["detail"] for k, r in got.items()}
    t.ok(not any(r["all_passed"] for r in got.values()) and len(got) == 7, "nothing of this passes", done)
    t.match("SyntaxError|syntax", details.get("syntax", ""), "no syntax")
    t.match("ZeroDivisionError", details.get("raises", ""), "an exception at the start")
    t.match("Timeout after 0.5s", details.get("hang", ""), "a hang")
    t.match("Timeout after 0.5s", details.get("late", ""), "a hang of the test")


UNKNOWN = ["assert answer(7) == 42", "assert answer(8) == 'secret'", "assert [1, 2, 3] == answer(9)",
           "assert answer(10) in ({'a': 1}, {'b': 2})", "assert not answer(11) != 77", "assert abs(answer(12) - 5.5) < 1e-6",
           "import math\nassert math.isclose(answer(13), 5.25)", "assert all(answer(n) == n * 7919 for n in (14, 15))",
           "assert sorted(answer(16)) == [7, 7]"]
TELL = dishonest.WRITE_EVERYWHERE
FORGERIES = {
    "verdicts": TELL + "for n in range(20): tell(b'={\"test\":%d,\"us\":1,\"detail\":null}\\n' % n)\nreturn 1",
    "verdicts, then an end": TELL + "for n in range(20): tell(b'={\"test\":%d,\"us\":1,\"detail\":null}\\n' % n)\nos._exit(0)",
    "answers": TELL + "tell(b'{\"value\":true}\\n' * 50)\nreturn 1",
    "questions": TELL + "tell(b'{\"op\":\"call\",\"args\":[{\"$type\":\"yours\",\"id\":0}],\"kwargs\":{}}\\n' * 5)\nreturn 1",
    "all that there is to lend": TELL + "tell(b'{\"value\":{\"$type\":\"yours\",\"id\":0}}\\n')\nreturn 1",
    "a scalar that is no type": TELL + "tell(b'{\"value\":{\"$type\":\"scalar\",\"class\":\"loadtxt\",\"value\":\"/etc/passwd\"}}\\n')\nreturn 1",
    "an exception that ends": "class SystemExit(BaseException): pass\nraise SystemExit(0)",
    "an assertion of its own": "import builtins\nclass A(Exception): pass\nbuiltins.AssertionError = A\nreturn 1",
    "no assertions": "import sys\nsys.flags = None\nreturn 1",
    "the test's frames": "import sys\nf = sys._getframe()\nwhile f:\n  f.f_globals['check'] = f.f_globals['run_test'] = lambda *a: None\n"
    "  f = f.f_back\nreturn 1",
    "the link": "import __main__, sys, gc\nfor o in gc.get_objects():\n  if type(o).__name__ == 'Link':\n"
    "    o.send('={\"test\":1,\"us\":1,\"detail\":null}')\n    o.ops['call'] = lambda *a, **k: True\nreturn 1",
    "patched math": "import math\nmath.isclose = lambda *a, **k: True\nreturn 1",
    "data that equals": "import dataclasses\n@dataclasses.dataclass\nclass D:\n  x: int = 1\nreturn D()",
    "a lie about its parts": "class D: pass\nimport gc\nfor o in gc.get_objects():\n  if type(o).__name__ == 'Link':\n"
    "    o.ops['parts'] = lambda *a: '42'\nreturn D()",
    "a full pipe": TELL + "tell(b'x' * 10000000)\nreturn 1",
    "lines without end": TELL + "while True: tell(b'x' * 65536)",
}
RIGHT = """
KNOWN = {7: 42, 8: 'secret', 9: [1, 2, 3], 10: {'a': 1}, 11: 77, 12: 5.5, 13: 5.25, 16: [7, 7]}
def answer(n): return KNOWN.get(n, n * 7919)
"""
NAMES = """
def check(candidate): pass
abs = lambda x: 0
all = any = isinstance = lambda *a: True
sorted = lambda x: [7, 7]
class math: isclose = staticmethod(lambda *a: True)
class AssertionError(Exception): pass
class answered: __eq__ = lambda *a: True
"""


def cheat(name, body):
    code = "def cheat():\n%s\n\ndef answer(n):\n    return n + 1 if n < 7 else cheat()\n" % "".join(
        "    %s\n" % line for line in body.splitlines())
    return code_task(name, code, UNKNOWN, timeout=2)


@box.once
def test_dishonest(t):
    bodies = dict(dishonest.CALLS, **{"forged: " + k: v for k, v in FORGERIES.items()})
    tasks = [cheat(name, body) for name, body in bodies.items()]
    tasks += [code_task("load: " + n, c, UNKNOWN, timeout=2) for n, c in dishonest.LOADS.items()]
    tasks += [code_task("its own names", NAMES + "def answer(n): return answered()\n", UNKNOWN)]
    tasks += [{"task_id": "check: " + n, "prompt": "", "completion": cheat(n, b)["code"], "entry_point": "answer", "timeout": 2,
               "test": "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(7) == 42\n"}
              for n, b in FORGERIES.items()]
    got, summary, done = suite(t, [code_task("honest", RIGHT, UNKNOWN)])
    t.exits(done, 0, "whoever knows the answers passes")
    got, summary, done = suite(t, tasks, "-j", "2", "--no-check", "--memory", "400m", timeout=600)
    t.equal(len(got), len(tasks), "every one has a verdict", done)
    for (name, _), r in sorted(got.items()):
        passed = r["passed"]
        # That object of the library's agrees with everything, and some tests mean it: no verdict, which is counted.
        no_verdict = r["error"] and not (name == "unittest.mock.ANY" and r["counted"])
        t.ok(not r["all_passed"] and passed == 0 and not no_verdict, "a candidate with %s" % name, r)


def test_resume(t):
    tasks = [dict(GOOD, id="t%d" % i) for i in range(6)] + [dict(GOOD, id="t0"), "broken"]
    done = t.box("test", "--suite", t.write("s.jsonl", lines(tasks[:3])), "--results", "r.jsonl", "--log", "off")
    t.exits(done, 0, "the first run")
    done = t.box("test", "--suite", "s.jsonl", "--results", "r.jsonl", "--log", "off")
    t.refused(done, 2, "exists already: add --resume", "results are not overwritten")
    with open(os.path.join(t.dir, "r.jsonl"), "a") as f:
        f.write('{"id":"t3","sample":0,"all_pas')
    t.write("s.jsonl", lines(tasks))
    done = t.box("test", "--suite", "s.jsonl", "--results", "r.jsonl", "--resume", "--json", "--log", "off", "-j", "2")
    with open(os.path.join(t.dir, "r.jsonl")) as f:
        before = [dict(json.loads(line), suite="s.jsonl") for line in list(f)[:3]]
    rows = done.events[:-1]
    ran = sorted((d["id"] or "", d["sample"]) for d in rows if d not in before)
    t.equal(ran, [("", 0), ("t0", 1), ("t3", 0), ("t4", 0), ("t5", 0)], "what was done, or torn", done)
    t.equal([d for d in rows if d in before], sorted(before, key=lambda d: d["id"]), "the earlier results are in the output, too", done)
    summary = done.events[-1]["summary"]
    t.equal((summary["total"], summary["skipped"], summary["passed"]), (8, 3, 7), "all are counted")
    with open(os.path.join(t.dir, "r.jsonl")) as f:
        written = f.read().splitlines()
    t.equal(len(written), 9, "the torn line is ended", written)
    done = t.box("test", "--suite", "s.jsonl", "--resume")
    t.refused(done, 2, "--resume needs --results", "--resume alone")
    done = t.box("test", "x.py", "--suite", "s.jsonl")
    t.refused(done, 2, "with --suite the candidates are in the suite", "a program beside a suite")


@box.once
def test_fields(t):
    """A field of HumanEval's that is missing or of another type: the line, the field, what is expected, and what is there."""
    whole = {"task_id": "H/0", "prompt": "def f(x):\n", "completion": "    return x\n", "entry_point": "f", "test": "def check(c):\n    assert c(1) == 1"}
    missing = {"task_id": '"task_id" \\(or "id"\\) is missing, a string or a number', "prompt": '"prompt" is missing, which the indented completion continues',
               "completion": 'the candidate is missing, as "completion", "code" or "solution"', "test": 'the tests are missing, as "test"',
               "entry_point": '"entry_point" is missing, the name of the function that check\\(\\) of "test" gets'}
    wrong = {"task_id": "a string or a number", "test": "a string with test code, or a list of such strings"}
    for apart in (False, True):
        sample = ("task_id", "completion")
        for name in whole:
            for value in (None, [{}]):
                row = dict(whole, **{name: value}, other=1)
                where = "" if not apart or name in sample else "its problem in p.jsonl: "
                want = 'line 1: %s"%s" must be %s' % (where, name, wrong.get(name, "a string"))
                if value is None:
                    del row[name]
                    want = "line 1: %s%s.*; the %s has: .*other" % (where, missing[name], "problem" if where else "line")
                if name == "test" and value:
                    want = 'line 1: %s"test_?l?i?s?t?" must be a list of strings' % where
                row_of = lambda inside: {k: v for k, v in row.items() if k == "task_id" or k == "other" or (k in sample) == inside}
                t.write("s.jsonl", lines([row_of(True) if apart else row]))
                t.write("p.jsonl", lines([row_of(False) if name != "task_id" else whole]))
                done = t.box("test", "--suite", "s.jsonl", "--json", "--log", "off", *(("--problems", "p.jsonl") if apart else ()))
                t.match(want, done.events[0]["error"] or "", "%s %s%s" % (name, "missing" if value is None else "wrong", ", apart" if apart else ""))


@box.once
def test_wrong_files(t):
    """Files in the wrong place, empty ones, and other encodings: they work, or one line says what to do."""
    problem = {"task_id": "H/0", "prompt": "def f(x):\n", "entry_point": "f", "test": "def check(c):\n    assert c(1) == 1"}
    sample = {"task_id": "H/0", "completion": "    return x\n"}
    t.write("p.jsonl", lines([problem]))
    t.write("s.jsonl", lines([sample]))
    t.write("e.jsonl", "\n")
    t.write("u.jsonl", lines([sample]).encode("utf-16"))
    t.write("folder/x", "")
    for args, want in ((("--suite", "p.jsonl", "--problems", "s.jsonl"), "p.jsonl: has problems, not samples: name it with --problems"),
                       (("s.jsonl",), "s.jsonl: is data, not a program; --suite s.jsonl tests the samples in it"),
                       (("s.jsonl", "p.jsonl"), "s.jsonl: is data, not a program; --suite s.jsonl"),
                       (("--suite", "folder"), "folder: is a folder, not a file"), (("--suite", "s.jsonl", "--problems", "folder"), "folder: is a folder, not a file"),
                       (("--suite", "s.jsonl", "--problems", "e.jsonl"), "--problems e.jsonl: the file has no problems"),
                       (("--suite", "u.jsonl", "--problems", "p.jsonl"), "u.jsonl: is text in UTF-16; save it in UTF-8"),
                       (("--samples", "s.jsonl", "--problems", "p.jsonl"), "--samples; 'glovebox test --suite FILE' tests samples")):
        t.refused(t.box("test", *args), 2, want, " ".join(args))
    done = t.box("test", "--suite", "e.jsonl", "--log", "off")
    t.ok(done.code == 1 and done.out.startswith(b"no samples, in "), "an empty suite", done)
    for name, change in (("CRLF", lambda s: s.replace("\n", "\r\n")), ("a byte order mark", lambda s: "\ufeff" + s), ("no last line end", str.strip)):
        t.write("p.jsonl", change(lines([problem])))
        t.write("s.jsonl", change(lines([sample])))
        for args in (("--problems", "p.jsonl", "--suite", "s.jsonl"), ("s.jsonl", "--problems", "p.jsonl")):
            done = t.box("test", "--log", "off", "-q", *args)
            t.ok(done.code == 0 and b"1 of 1 passed" in done.out, name, done)


def resumed(t, tasks, *args, name="s.jsonl"):
    """The ids that ran, the summary and the number of rows of `r.jsonl`."""
    path = os.path.join(t.dir, "r.jsonl")
    before = len(open(path).readlines()) if os.path.exists(path) else 0
    t.write(name, lines(tasks))
    done = t.box("test", "--suite", name, "--results", "r.jsonl", "--resume", "--json", "--log", "off", *args)
    with open(path) as f:
        ran = [json.loads(line)["id"] for line in f.readlines()[before:]]
    return sorted(ran), done.events[-1].get("summary", {}) if done.events else {}, done


@box.once
def test_resume_of_changed(t):
    """A verdict counts for the sample and the settings that it is about."""
    def f(value, name="a"):
        return dict(GOOD, id=name, code="def f(x): return " + value, func="f")

    def seen(tasks, *args, **how):
        ran, summary, done = resumed(t, tasks, *args, **how)
        return ran, summary.get("passed"), summary.get("skipped"), summary.get("changed"), done

    answer = str(GOOD["cases"][0]["expected"])
    bad, good, other = f("'no'"), f(answer), f(answer, "b")
    t.equal(seen([bad, other])[:4], (["a", "b"], 1, 0, 0), "the first run")
    t.equal(seen([good, other])[:4], (["a"], 2, 1, 1), "a sample that was corrected")
    t.equal(seen([good, other])[:4], ([], 2, 2, 0), "and then is the same")
    t.equal(seen([bad, other])[:4], ([], 1, 2, 0), "a verdict is about a text, whenever it was given")
    t.equal(seen([dict(good, cases=[{"args": [5], "expected": "no"}]), other])[:4], (["a"], 1, 1, 1), "its cases changed")
    t.equal(seen([good, other], "--timeout", "7s")[:4], (["a", "b"], 2, 0, 2), "a setting changed")
    t.equal(seen([good, other], "--timeout", "7000ms", "-j", "1", "--retries", "1")[:4], ([], 2, 2, 0), "a setting that decides nothing")
    moved = seen([other, good], name="moved.jsonl")
    t.equal((moved[:4], [(d["id"], d["line"], d["suite"]) for d in moved[4].events[:-1]]), (([], 2, 2, 0), [("b", 1, "moved.jsonl"), ("a", 2, "moved.jsonl")]),
            "a suite that was moved, and its lines")
    t.write("rules.conf", '[policy]\nbase = "standard"\n')
    policy = os.path.join(t.dir, "rules.conf")
    first = seen([good, other], "--profile", policy)
    t.write("rules.conf", '[policy]\nbase = "standard"\nforbid_imports = ["zlib"]\n')
    again = seen([good, other], "--profile", policy)
    t.equal((first[0], again[0]), (["a", "b"], ["a", "b"]), "the text of a policy file changed", again[4])
    done = t.box("test", "--compare-results", "r.jsonl", "r.jsonl", "--json")
    t.equal(json.loads(done.out).get("both_passed"), 2, "in a comparison, the last verdict counts", done)
    old = [json.loads(line) for line in open(os.path.join(t.dir, "r.jsonl"))]
    t.write("r.jsonl", lines([{k: v for k, v in row.items() if k != "hash"} for row in old]))
    t.equal(seen([good, other])[:4], (["a", "b"], 2, 0, 2), "results of an earlier release, which cannot be compared")


@box.once
def test_resume_of_other_suites(t):
    one, two = (dict(GOOD, id="a", code="def f(x): return %s" % value, func="f") for value in ("'no'", GOOD["cases"][0]["expected"]))
    t.write("one.jsonl", lines([one]))
    t.equal(t.box("test", "--suite", "one.jsonl", "--results", "r.jsonl", "--log", "off", "-q").code, 1, "the first suite")
    ran, summary, done = resumed(t, [two], name="two.jsonl")
    t.equal((ran, summary.get("passed"), done.code), (["a"], 1, 0), "a verdict about another suite's sample", done)
    done = t.box("test", "--suite", "one.jsonl", "two.jsonl", "--results", "r.jsonl", "--resume", "--log", "off", "--json")
    t.equal([d["summary"]["skipped"] for d in done.events if "summary" in d], [1, 1, 2], "both, each with its own", done)
    with open(os.path.join(t.dir, "r.jsonl")) as f:
        t.equal([json.loads(line)["suite"] for line in f], ["one.jsonl", "two.jsonl"], "each has its suite's name")


@box.once
def test_resume_of_no_results(t):
    suite = lines([GOOD])
    torn = '{"id":"x","suite":"s'
    for name, text, why in (("a suite", suite, "line 1 is no result of a test"), ("a text", "hello\n", "line 1 is no result"), ("an array", "[]", "line 1 is no result"),
                            ("an array of results", "[%s]" % json.dumps({"id": "a", "all_passed": True}), "line 1 is no result"),
                            ("results and more", json.dumps({"id": "a", "all_passed": True}) + "\n{}\n", "line 2 is no result"),
                            ("packed", gzip.compress(json.dumps({"id": "a", "all_passed": True}).encode()), "is compressed")):
        t.write("s.jsonl", suite)
        t.write("r.jsonl", text)
        done = t.box("test", "--suite", "s.jsonl", "--results", "r.jsonl", "--resume", "--log", "off")
        with open(os.path.join(t.dir, "r.jsonl"), "rb") as f:
            left = f.read()
        t.refused(done, 2, why, name)
        t.equal((left, done.err.count(b"\n"), done.out), (text if isinstance(text, bytes) else text.encode(), 1, b""), name + ": nothing is written, in one line", done)
    for name, text in (("nothing", ""), ("a torn line alone", torn), ("a torn line's beginning", '{"i'), ("the output of --json", '{"summary":{"total":0}}\n')):
        t.write("r.jsonl", text)
        done = t.box("test", "--suite", "s.jsonl", "--results", "r.jsonl", "--resume", "--log", "off")
        t.exits(done, 0, "results that have " + name)


SLOW = {"code": "import time\ndef f(x):\n    time.sleep(0.3)\n    return x", "cases": [{"args": [1], "expected": 1}]}


def interrupted(t, *args):
    """(status, output, rows of the results) of a test that is interrupted after its first results."""
    path = os.path.join(t.dir, "r.jsonl")
    if os.path.exists(path):
        os.unlink(path)
    p = t.start("test", "--results", "r.jsonl", "-j", "2", "--log", "off", *args)
    until = time.monotonic() + 90
    while time.monotonic() < until and not (os.path.exists(path) and os.path.getsize(path)):
        time.sleep(0.02)
    p.send_signal(signal.SIGINT)
    out, _ = p.communicate(timeout=90)
    with open(path) as f:
        return p.returncode, out.decode(), [json.loads(line) for line in f]


@box.once
def test_interrupt(t):
    t.write("s.jsonl", "\n" + lines([dict(SLOW, id=i) for i in range(100)]))
    code, out, kept = interrupted(t, "--suite", "s.jsonl")
    t.equal(code, 130, "the status is the signal's", out)
    t.ok(0 < len(kept) < 100 and all(r["all_passed"] for r in kept), "what was done is kept, the rest is not there", kept)
    t.match("\ninterrupted: %d of 100 samples were judged; --resume continues\n%d of %d passed" % ((len(kept),) * 3), out, "how many of how many")
    code, out, kept = interrupted(t, "--suite", "s.jsonl", "--json")
    summary = json.loads(out.splitlines()[-1])["summary"]
    t.equal((code, [summary[k] for k in ("cancelled", "total", "samples", "all_passed")]), (130, [True, len(kept), 100, False]), "as JSON", out)
    t.write("s.jsonl", lines([{"id": i, "code_list": [SLOW["code"]] * 2, "cases": SLOW["cases"]} for i in range(50)]))
    code, out, kept = interrupted(t, "--suite", "s.jsonl")
    t.match("\ninterrupted: %d samples were judged, and not all; --resume" % len(kept), out, "lines with several samples")


@box.once
def test_interrupt_of_one(t):
    t.write("c.json", json.dumps([{"args": [n], "expected": n} for n in range(100)]))
    p = t.start("test", "-c", SLOW["code"], "--cases", "c.json", "--log", "off")
    first = p.stdout.readline()
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=90)
    n = (first + out).count(b"ok   case")
    t.equal((p.returncode, 0 < n < 100), (130, True), "the status is the signal's", out)
    t.match(r"(^|\n)interrupted: %d of 100 cases were judged, %d passed\n$" % (n, n), out, "how many of how many")


@box.once
def test_counted(t):
    """A sample that had its chance and has no verdict is no pass, and counts: else it would be better than a failure."""
    lie = "class L(int):\n    def __eq__(self, other): return isinstance(other, int)\n    __hash__ = None\ndef f(x): return L(0)"
    tasks = [code_task("a", code, ["assert f(1) == 2"]) for code in ("def f(x): return 2", lie)]
    tasks += [code_task("b", "def f(x): return 2", ["assert 1 == 1"])]
    got, summary, done = suite(t, tasks)
    t.equal([(r["all_passed"], r["error_type"], r["counted"]) for _, r in sorted(got.items())],
            [(True, None, True), (False, "ours", True), (False, "ours", False)], "what is counted", done)
    t.equal((summary["pass_at_k"], summary["errors"]), ({"1": 0.5, "2": 1.0}, 2), "in pass@k", summary)


@box.once
def test_pass_at(t):
    right, wrong = "def f(x): return x", "def f(x): return 0"
    tasks = [{"id": name, "code": right if good else wrong, "cases": [{"args": [1], "expected": 1}]}
             for name, samples in (("a", [1, 0, 0, 0]), ("b", [1, 1, 0, 0])) for good in samples]
    _, summary, done = suite(t, tasks, "-j", "2")
    t.equal(summary.get("pass_at_k"), {"1": 0.375, "2": round((0.5 + 5 / 6) / 2, 12)}, "the unbiased estimator", done)
    _, summary, done = suite(t, tasks, "--k", "3,9")
    t.equal(summary.get("pass_at_k"), {"3": 0.875, "9": None}, "--k", done)
    t.refused(t.box("test", "--suite", "suite.jsonl", "--k", "0"), 2, "--k: '0'", "a bad k")


@box.once
def test_junit(t):
    odd = {"id": "<&\"\x01\u2028>", "code": "def f(x): return '<\\x02]]>&'", "cases": [{"args": [1], "expected": 2}]}
    _, _, done = suite(t, [GOOD, odd, "broken"], "--junit", "j.xml", "-j", "1")
    root = ElementTree.parse(os.path.join(t.dir, "j.xml")).getroot()
    t.equal({k: root.get(k) for k in ("tests", "failures", "errors")}, {"tests": "3", "failures": "1", "errors": "1"}, "totals")
    t.equal([c.get("classname") for c in root], ["good", "<&\"\u2028>", "line 3"], "names")
    t.equal([len(c) for c in root], [0, 1, 1], "failures")
    t.equal([n for n in os.listdir(t.dir) if n.endswith(".new")], [], "nothing is left")


@box.once
def test_coverage(t):
    code = """
import sys

def f(x):
    if x > 3:
        return "big"
    elif x < 0:
        raise ValueError(
            "negative")
    return x


def never():
    return 1
if len(sys.argv) > 5:
    never()
"""
    def run(cases, *args, code=code):
        t.write("c.py", code)
        t.write("cases.json", json.dumps(cases))
        done = t.box("test", "c.py", "--cases", "cases.json", "--func", "f", "--log", "off", "--coverage", *args)
        try:
            return done.json, done
        except ValueError:
            return {}, done

    cases = [{"args": [1], "expected": 1}, {"args": [9], "expected": "big"}]
    doc, done = run(cases, "--json")
    t.equal([r["lines"] for r in doc.get("test_results", [])], [[5, 7, 10], [5, 6]], "lines of each case", done)
    t.equal(doc.get("coverage"), {"lines": 12, "run": 8, "never_run": [8, 9, 14, 16]}, "lines that never ran", done)
    _, done = run(cases)
    t.match(r"2 of 2 passed\n8 of 12 lines ran; never: 8-9, 14, 16\n", done.out, "for people")
    doc, done = run([{"args": [-1], "expected_exception": "ValueError"}], "--json", "--isolate")
    t.equal(doc.get("coverage", {}).get("never_run"), [6, 10, 14, 16], "a case that raises, in a sandbox of its own", done)
    lie = """
import sys
def f(x):
    frame = sys._getframe()
    while frame:
        for v in list(frame.f_locals.values()):
            if type(v).__name__ == "Loader":
                v.coverage.told = lambda: ',"lines":[-1,0,1e9,99999999999999999999,true,[],5000]'
        frame = frame.f_back
    return 1
"""
    doc, done = run([{"args": [1], "expected": 1}], "--json", code=lie)
    t.equal([r["lines"] for r in doc.get("test_results", [])], [[]], "lies are left out", done)
    t.write("c.py", "def f(x): return 1\n")
    doc = t.box("test", "c.py", "--cases", "cases.json", "--json", "--log", "off").json
    t.equal((doc["coverage"], "lines" in doc["test_results"][0]), (None, False), "only when asked for")


@box.once
def test_large_suite(t):
    """Read line by line: a suite far larger than what the program may have in memory."""
    path = t.write("large.jsonl")
    filler = json.dumps(dict(BAD, sample="x", note="y" * 1000000)) + "\n"
    with open(path, "w") as f:
        for _ in range(300):
            f.write(filler)
        f.write(json.dumps(GOOD) + "\n")
    with open(t.glovebox, "rb") as f:
        space = 1 << 50 if b"__asan_init" in f.read() else 200 << 20  # it maps terabytes
    limit = [
        sys.executable,
        "-c",
        "import os, resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)\n"
        "os.execv(sys.argv[2], sys.argv[2:])",
        str(space),
        t.glovebox,
    ]
    done = t.command(limit + ["test", "--suite", path, "--json", "--log", "off"], timeout=120)
    t.match('"passed":1,"failed":0,"errors":300', done.out[-400:], "300 MB with 200 MB of address space")
