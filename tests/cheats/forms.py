# SPDX-License-Identifier: Apache-2.0
"""Test code in every form, in front of a wrong candidate and a right one: where the part with the checks does not run, no
candidate passes."""

from box import Box
from names import task

WRONG = "def f(a): return 0\nclass C:\n    def twice(self, a): return 0\n"
RIGHT = WRONG.replace("0", "2 * a")
CHECK = "assert f(%s) == %s"

# Forms that are run: the wrong candidate fails, the right one passes. @ is the check.
RUN = """
def run_tests():|    @|if __name__ == '__main__':|    run_tests()
if __name__ == '__main__':|    @
if __name__ == "__main__":|    import sys|    def check(c): assert c(2) == 4|    check(f)
X = 3|print('x')|def test_it():|    @
import sys; X = 3; print("x")|class TestX:|    def test_a(self): @
class TestX:|    def setup_method(self): self.x = f(2)|    def test_a(self): assert self.x == 4
class TestX:|    @staticmethod|    def test_a(): @
class TestX:|    async def test_a(self): @
async def test_it():|    @
import asyncio|async def main():|    @|asyncio.run(main())
import unittest|class T(unittest.TestCase):|    def test(self): self.assertEqual(f(2), 4)|if __name__ == '__main__':|    unittest.main()
import unittest|class T(unittest.TestCase):|    async def test(self): self.assertEqual(f(2), 4)
import unittest|class T(unittest.IsolatedAsyncioTestCase):|    async def test(self): self.assertEqual(f(2), 4)
import unittest|class T(unittest.TestCase):|    def test(self): self.assertEqual(f(2), 4)|unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(T))
import unittest|class T(unittest.TestCase):|    def test(self): self.assertEqual(f(2), 4)|result = unittest.TestResult()|unittest.defaultTestLoader.loadTestsFromTestCase(T).run(result)
import unittest|def make():|    class T(unittest.TestCase):|        def test(self): self.assertEqual(f(2), 4)|    return T|T = make()|unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(T))
import unittest|class T(unittest.TestCase):|    def test(self):|        with self.subTest(x=1): self.assertEqual(f(2), 4)
import unittest|def run():|    class T(unittest.TestCase):|        def test(self): self.assertEqual(f(2), 4)|    r = unittest.TestResult()|    unittest.defaultTestLoader.loadTestsFromTestCase(T).run(r)|    return r|run()
import threading|def work(): @|t = threading.Thread(target=work)|t.start()|t.join()
import threading|def work(): @|threading.Thread(target=work).start()
import threading|def work(): @|threading.Timer(0.01, work).start()
'''|>>> f(2)|4|'''|import doctest|doctest.testmod()
'''|>>> f(2)|4|'''
def helper():|    '''|    >>> f(2)|    4|    '''
from solution import f|@
import solution|assert solution.f(2) == 4
import candidate as m|assert m.C().twice(2) == 4
if f(2) != 4: raise ValueError('wrong')
try:|    @|except ZeroDivisionError:|    pass
for got in iter(lambda: f(2), 4):|    assert False
match f(2):|    case 4: pass|    case _: assert False
def check_one(a, b):|    if f(a) != b: raise AssertionError(a)|for a in (1, 2): check_one(a, 2 * a)
ok = f(2) == 4|assert ok
"""
# The same of check(), with an entry point.
RUN_ENTRY = """
def check(candidate): assert candidate(2) == 4
async def check(candidate): assert candidate(2) == 4
X = 1|print(X)|def check(candidate): assert candidate(2) == 4
def check(candidate): assert candidate(2) == 4|check(f)
def check(candidate):|    import unittest|    class T(unittest.TestCase):|        def test(self): self.assertEqual(candidate(2), 4)|    return unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(T))
def check(candidate):|    assert candidate(2) == 4|if __name__ == '__main__':|    check(f)
"""
# The part with the checks does not run, or its failure goes nowhere: the wrong one does not pass, nor has the right one to.
NOT_RUN = """
X = f(1)|def checks():|    @
X = f(1)|async def checks():|    @|checks()
X = f(1)|async def test_it(fixture):|    @
X = f(1)|def test_it():|    @|    yield
assert f(0) == 0|def test_it(data):|    assert f(data) == 4
assert f(0) == 0|def left_out():|    @
assert f(0) == 0|def left_out():|    def inner():|        @|left_out()
assert f(0) == 0|class Suite:|    def test_a(self): @
assert f(0) == 0|x = (lambda: None)|def gen():|    @|    yield 1|gen()
assert f(0) == 0|import atexit|@atexit.register|def late():|    assert f(2) == 4
assert f(0) == 0|import unittest|def make():|    class T(unittest.TestCase):|        def test(self): self.assertEqual(f(2), 4)|    return T
X = f(1)|if X == 77:|    @
f(2) == 4
print(f(2) == 4)
f(2)
results = [f(2) == 4]
X = f(1)|assert True|def checks():|    @
try:|    @|except AssertionError:|    print('FAILED')
try:|    @|except:|    pass
import concurrent.futures as c|def work(): @|with c.ThreadPoolExecutor() as pool:|    pool.submit(work)
from unittest import mock|import sys|X = f(1)|if len(sys.argv) > 1:|    @
import os|X = f(1)|if os.environ.get('RUN_TESTS'):|    @
checks = (f(n) == 2 * n for n in (1, 2))
checks = map(lambda n: f(n) == 2 * n, (1, 2))
X = f(1)|class TestX:|    def __init__(self, x): pass|    def check_a(self): @
X = f(1)|type('TestX', (), {'test_a': lambda self: None})|def run(self):|    @
assert callable(f)
import unittest|class T(unittest.TestCase):|    def test(self):|        result = f(2)
import unittest|class T(unittest.TestCase):|    @unittest.skip('later')|    def test(self): self.assertEqual(f(2), 4)
assert 1 == 2
import time|while True: time.sleep(1)
raise ValueError('the test itself')
"""


def forms(text):
    return [line.replace("@", CHECK % (2, 4)).replace("assert f(2) == 4atexit", "@atexit").replace("assert f(2) == 4unittest", "@unittest")
            .replace("assert f(2) == 4staticmethod", "@staticmethod").replace("|", "\n") for line in text.splitlines() if line]


def tasks_of(code, kind):
    return [task("%s %d" % (kind, i), code, [text], entry, timeout=3) for entry, texts in ((None, RUN), ("f", RUN_ENTRY))
            for i, text in enumerate(forms(texts), 1000 * (entry is not None))]


def tell(tap, results, tasks, good, what):
    found = {r["id"]: r for r in results}
    for each in tasks:
        r = found.get(each["task_id"])
        tap.ok(r is not None and good(r), what + ": " + each["task_id"], each["test_list"][0], r)


def test(tap):
    with Box() as box:
        right, wrong = tasks_of(RIGHT, "right"), tasks_of(WRONG, "wrong")
        left_out = [task("left %d" % i, WRONG, [text], timeout=1) for i, text in enumerate(forms(NOT_RUN))]
        honest = [task("out %d" % i, RIGHT, [text], timeout=1) for i, text in enumerate(forms(NOT_RUN))]
        # Lists of strings: what one leaves out, another has not run.
        left_out += [task("a list", WRONG, ["def checks():\n    assert f(2) == 4", "assert f(0) == 0"])]
        results, done = box.suite(right + wrong + left_out + honest)
        tap.equal(len(results), len(right + wrong + left_out + honest), "each has a result", done)
        tell(tap, results, right, lambda r: r["all_passed"] and r["trustworthy"], "a right candidate passes")
        tell(tap, results, wrong, lambda r: not r["passed"] and not r["error"] and r["trustworthy"], "a wrong one fails")
        tell(tap, results, left_out, lambda r: not r["all_passed"] and r["error_type"] == "ours" and r["score"] is None
             and not r["trustworthy"], "where no check ran there is no verdict")
        tell(tap, results, honest, lambda r: r["error_type"] != "guest", "nor has a right candidate failed there")
        counted = {r["id"]: r["counted"] for r in results}
        tap.equal([counted.get("left %d" % i) for i in (0, len(forms(NOT_RUN)) - 1)], [True, False],
                  "pass@k counts what a candidate had its chance in")
        decided(tap, box)


def decided(tap, box):
    """A name that only the candidate defines, and whose answer is the verdict."""
    lies = "def f(a): return 0\ndef close(a, b): return True\nis_equal = same = norm = ok = lambda *a: True\ntrustworthy = True\n"
    texts = ["assert close(f(2), 4)", "r = f(2)\nassert is_equal(r, 4)", "assert not not close(f(2), 4)", "assert norm(f(2)) == norm(4)",
             "assert all(close(f(n), 2 * n) for n in (1, 2))", "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertTrue(same(f(2), 4))",
             "assert close(f(2), 4) is True", "r = f(2)\nif not ok(r, 4): raise ValueError", "r = f(2)\nassert trustworthy"]
    tasks = [task("decider %d" % i, lies, [text], entry) for entry in (None, "f") for i, text in enumerate(texts, 100 * bool(entry))]
    results, _ = box.suite(tasks)
    tell(tap, results, tasks, lambda r: not r["trustworthy"] and r["doubt"], "a verdict that the candidate gives is not to be trusted")
    honest = [task("its own answer", "def is_even(n): return n % 2 == 0\n", ["assert is_even(4)", "n = 6\nassert is_even(n)\nassert not is_even(7)"]),
              task("both of its own", "def up(n): return n + 1\ndef down(n): return n - 1\n", ["assert down(up(3)) == 3 and up(1) == 2"])]
    results, _ = box.suite(honest)
    tell(tap, results, honest, lambda r: r["all_passed"] and r["trustworthy"] and not r["doubt"], "a tested function may answer itself")
