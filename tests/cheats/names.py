# SPDX-License-Identifier: Apache-2.0
"""Names that the candidate lends to the test code, loops and handlers that its exceptions would end, test code that
tests nothing, and failures that are nobody's but the task's."""

from box import Box

YES = "class Yes:\n    __eq__ = __contains__ = __call__ = lambda *a, **k: True\n    __getattr__ = lambda s, n: s\n    __hash__ = lambda s: 1\n"
HELPERS = YES + "math = np = numpy = pd = json = re = operator = statistics = collections = pytest = unittest = Yes()\n" \
    "isclose = allclose = approx = Counter = Decimal = deepcopy = sorted = set = len = all = isinstance = str = abs = Yes()\n"
WRONG = "def f(x): return -1\n"
AREA = "def f(x): return 3.14159 * x * x\n"
CASES = "cases = [(2, 12.56636), (3, 28.27431)]\n"

# (name, code, tests, entry, prompt): the wrong code must fail, the right one must pass.
PAIRS = [
    ("math", WRONG, AREA, ["assert math.isclose(f(2), 12.566, rel_tol=1e-3)"], None),
    ("math of an entry", WRONG, AREA, ["def check(candidate):\n    assert math.isclose(candidate(2), 12.566, rel_tol=1e-3)"], "f"),
    ("isclose", WRONG, AREA, ["assert isclose(f(2), 12.566, rel_tol=1e-3)"], None),
    ("isclose of an entry", WRONG, AREA, ["assert isclose(f(2), 12.566, rel_tol=1e-3)"], "f"),
    ("json", WRONG, "def f(x): return {'x': x}\n", ["assert json.dumps(f(2)) == '{\"x\": 2}'"], None),
    ("re", "def f(x): return ''\n", "def f(x): return 'ab%d' % x\n", ["assert re.match('ab2$', f(2))"], None),
    ("Counter", WRONG, "def f(x): return [x, x, 1]\n", ["assert Counter(f(2)) == Counter([1, 2, 2])"], None),
    ("collections", WRONG, "def f(x): return [x, x, 1]\n", ["assert collections.Counter(f(2)) == collections.Counter([1, 2, 2])"], None),
    ("Decimal", WRONG, "def f(x): return x\n", ["assert Decimal(f(2)) == Decimal('2')"], None),
    ("operator", WRONG, "def f(x): return x\n", ["assert operator.eq(f(2), 2)"], None),
    ("unittest", WRONG, "def f(x): return x\n", ["class T(unittest.TestCase):\n    def test(self): self.assertEqual(f(2), 2)"], None),
    ("a builtin", WRONG, "def f(x): return [3, x]\n", ["assert sorted(f(2)) == [2, 3]"], None),
]
STOPS = [
    "assert all(map(lambda c: abs(f(c[0]) - c[1]) < 1e-3, cases))",
    "for got, want in zip(map(f, [2, 3]), [12.56636, 28.27431]):\n    assert abs(got - want) < 1e-3",
    "for got, want in zip((f(x) for x in [2, 3]), [12.56636, 28.27431]):\n    assert abs(got - want) < 1e-3",
    "assert not any(map(lambda c: abs(f(c[0]) - c[1]) > 1e-3, cases))",
    "import itertools\nfor bad in itertools.filterfalse(lambda c: abs(f(c[0]) - c[1]) < 1e-3, cases):\n    assert False",
    "assert sum(1 for _ in map(f, [2, 3])) == 2",
    "assert len(list(map(f, [2, 3]))) == 2",
    "try:\n    wrong = abs(f(2) - 12.56636) > 1e-3\nexcept:\n    wrong = False\nassert not wrong and f(2) > 12",
]
RAISES = {
    "StopIteration": "raise StopIteration", "a kind of StopIteration": "raise type('S', (StopIteration,), {})",
    "StopAsyncIteration": "raise StopAsyncIteration", "GeneratorExit": "raise GeneratorExit", "its end": "import os; os._exit(0)",
    "next of nothing": "next(iter(()))",
    "no message": "import os\n    for n in range(3, 30):\n        try: os.write(n, b'no json\\n')\n        except OSError: pass",
    "half a message": "import os\n    for n in range(3, 30):\n        try: os.write(n, b'{\"value\":\\n')\n        except OSError: pass",
    "a message that means nothing": "import os\n    for n in range(3, 30):\n        try: os.write(n, b'[]\\n{}\\n7\\n')\n        except OSError: pass",
    "a form that is not known": "import os\n    for n in range(3, 30):\n        try: os.write(n, b'{\"value\":{\"$type\":\"x\"}}\\n')\n        except OSError: pass",
}
# A hang or an end that the test code catches.
SWALLOWED = [
    "try:\n    f(-1)\nexcept:\n    pass\nelse:\n    assert False",
    "try:\n    f(-1)\n    bad = True\nexcept BaseException:\n    bad = False\nassert not bad",
    "import contextlib\nwith contextlib.suppress(BaseException):\n    f(-1)\n    raise SystemExit",
]
MORE = {
    "an alias of Exception": ("Refused = Exception\ndef f(x): return x\n",
                              ["try:\n    f(-1)\n    assert False\nexcept Refused:\n    pass"]),
    "an alias of AssertionError": ("Refused = AssertionError\ndef f(x): return x\n",
                                   ["try:\n    f(-1)\n    assert False\nexcept Refused:\n    pass"]),
    "a name that the test gives a value to": ("result = 4\nclass C:\n    __enter__ = lambda s: s\n    __exit__ = lambda *a: True\n"
                                              "def f(x): raise ValueError\ndef c(): return C()\n",
                                              ["with c():\n    result = f(2)\nassert result == 4"]),
    "a context that swallows": ("class C:\n    __enter__ = lambda s: s\n    __exit__ = lambda *a: True\ndef f(x): return 0\ndef c(): return C()\n",
                                ["with c():\n    assert f(2) == 4"]),
    "what was asked with in": ("class R:\n    got = []\n    def __len__(s): return 3\n    def __iter__(s): return iter(())\n"
                               "    def __contains__(s, v): s.got.append(v); return True\ndef f(x): return R()\n",
                               ["r = f(1)\nassert len(r) == 3 and 5 in r", "assert 5 in f(1)", "r = f(1)\nassert 5 in list(r) or 5 in r"]),
    "what was seen": ("seen = []\nclass L(list):\n    def __contains__(s, v): seen.append(v); return True\n    def __eq__(s, v): seen.append(v); return True\n"
                      "    def count(s, v): seen.append(v); return 1\n    def index(s, v): seen.append(v); return 0\n"
                      "def f(x): return seen[-1] if seen else L([1])\n",
                      ["assert 5 in f(1)", "assert f(1) == [5]", "assert f(1).count(5) == 1", "assert f(1).index(5) == 0", "assert f(1) == 5"]),
}
FAULTS = {
    "defines functions alone": ["def check(candidate):\n    assert candidate(1) == 1"],
    "defines helpers alone": ["def helper():\n    assert f(1) == 2"],
    "is empty": [""],
    "says something alone": ["'''a text'''\nX = 1"],
    "does not compile": ["assert f(1) =="],
    "imports what is not there": ["import no_such_module_here\nassert f(1) == 1"],
    "ends itself": ["import sys\nsys.exit(0)"],
    "kills itself": ["import os\nos._exit(0)"],
    "passes what cannot be passed": ["class P: pass\nassert f(P()) is not None"],
    "catches that": ["class P: pass\ntry:\n    f(P())\nexcept TypeError:\n    pass"],
    "passes too much": ["assert f('x' * (5 << 20)) == 1"],
}
PROMPTS = {
    "ends in the middle": "import math\nLIMIT = 3\ndef helper(x):\n    return x * 2\n\ndef f(x):\n    \"\"\"Twice",
    "has no body": "import math\nLIMIT = 3\ndef helper(x):\n    return x * 2\n\ndef f(x):\n",
    "compiles": "import math\nLIMIT = 3\ndef helper(x):\n    return x * 2\n\ndef f(x):\n    '''Twice.'''\n",
}


def task(name, code, tests, entry=None, prompt="", **more):
    return dict({"task_id": name, "code": code, "test_list": tests, "func": entry, "prompt": prompt, "timeout": 5}, **more)


def verdicts(tap, box, tasks, passes, what):
    results, done = box.suite(tasks)
    found = {r["id"]: r for r in results}
    for each in tasks:
        r = found.get(each["task_id"])
        good = r is not None and r["all_passed"] == passes and not r["error"] and (passes or r["passed"] == 0 or "some" in each)
        tap.ok(good, "%s: %s" % (what, each["task_id"]), r, done)


def test(tap):
    with Box() as box:
        wrong = [task("%s %d" % (name, i), HELPERS + bad, tests, entry) for i, (name, bad, _, tests, entry) in enumerate(PAIRS)]
        wrong += [task("%s at %d" % (name, i), "def f(x):\n    %s\n" % body, [CASES + text], timeout=3)
                  for name, body in RAISES.items() for i, text in enumerate(STOPS)]
        wrong += [task("%s swallowed %d" % (name, i), "def f(x): %s\n" % body, [text], timeout=1)
                  for name, body in (("an end", "import os; os._exit(0)"), ("a hang", "\n    while True: pass"))
                  for i, text in enumerate(SWALLOWED)]
        wrong += [task("%s %d" % (name, i), code, [text]) for name, (code, tests) in MORE.items() for i, text in enumerate(tests)
                  if name != "what was seen"]
        wrong += [task("what was seen", MORE["what was seen"][0], MORE["what was seen"][1])]
        wrong += [task("a helper of the prompt, which %s" % name, YES + "helper = Yes()\n" + WRONG, ["assert math.isclose(f(2), helper(2))"],
                       "f", prompt) for name, prompt in PROMPTS.items()]
        verdicts(tap, box, wrong, False, "fails")
        right = [task("%s %d" % (name, i), good, tests, entry) for i, (name, _, good, tests, entry) in enumerate(PAIRS)]
        right += [task("loops %d" % i, AREA, [CASES + text]) for i, text in enumerate(STOPS)]
        right += [task("a refusal %d" % i, "def f(x): raise ValueError\n", [text]) for i, text in enumerate(SWALLOWED[:2])]
        right += [task("a prompt that %s" % name, "def f(x): return 2 * x\n", ["assert math.isclose(f(LIMIT), helper(3))"], "f", prompt)
                  for name, prompt in PROMPTS.items()]
        right += [task("a context that is its own", "class C:\n    def __enter__(s): return 4\n    def __exit__(s, *a): return False\ndef c(): return C()\n",
                       ["with c() as v:\n    assert v == 4"]),
                  task("an exception of its own", "class Refused(ValueError): pass\ndef f(x): raise Refused('no')\n",
                       ["try:\n    f(1)\n    assert False\nexcept Refused as e:\n    assert str(e) == 'no'"]),
                  task("a stack", "class S(list):\n    def push(s, x): s.append(x)\ndef f(): return S()\n",
                       ["s = f()\ns.push(1)\ns.push(2)\nassert s == [1, 2] and len(s) == 2 and s.pop() == 2 and s == [1] and 1 in s"]),
                  task("a module's namesake", "def statistics(x): return x + 1\ndef copy(x): return x\n", ["assert statistics(1) == 2", "assert copy(3) == 3"]),
                  task("a global of its own", "class Queue:\n    def push(s, x): return x\nqueue = Queue()\n", ["assert queue.push(3) == 3"]),
                  task("functions of Python", "def f(g, *a): return g(*a)\n", ["assert f(len, [1]) == 1 and f(int, '5') == 5 and f(sorted, [2, 1]) == [1, 2]"]),
                  task("types", "def f(x): return type(x)\n", ["assert f(1) is int and f('') == str"])]
        verdicts(tap, box, right, True, "passes")
        results, done = box.suite([task(name, "def f(x): return x\n", tests) for name, tests in FAULTS.items()])
        for r in results:
            tap.ok(r["error"] and r["error_type"] == "ours" and r["score"] is None and not r["trustworthy"] and not r["all_passed"],
                   "no verdict where the test code %s" % r["id"], r)
        tap.equal((len(results), done[0]), (len(FAULTS), 1), "each has a result", done)
        results, _ = box.suite([task("names", "LIMIT = 3\ndef f(x): return x\ndef h(x): return x\n", ["assert f(1) == h(1) and LIMIT == 3"], "f")])
        tap.equal([r["from_candidate"] for r in results], [["h", "LIMIT"]], "the result says which names were the candidate's", results)
