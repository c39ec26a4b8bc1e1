# SPDX-License-Identifier: Apache-2.0
"""Objects of the candidate's own classes, exceptions and coroutines in front of test code: what they do among each
other counts, and what they do to a value of the test's does not."""

from box import Box
from names import task, verdicts

VECTOR = """
class V:
    def __init__(self, x, y): self.x, self.y = x, y
    def __eq__(self, o): return isinstance(o, V) and (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
    def __add__(self, o): return V(self.x + o.x, self.y + o.y)
    def __sub__(self, o): return V(self.x - o.x, self.y - o.y)
    def __iadd__(self, o): self.x += o.x; return self
    def __lt__(self, o): return self.x < o.x
    def __neg__(self): return V(-self.x, -self.y)
    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** .5
    def __int__(self): return self.x
    def __float__(self): return abs(self)
    def __repr__(self): return 'V(%r, %r)' % (self.x, self.y)
    def __delitem__(self, k): self.x = None
def f(): "a text"
"""
VECTORS = """
assert V(1, 2) == V(1, 2) and V(1, 2) != V(2, 1) and not V(1, 2) != V(1, 2)
assert V(1, 2) + V(3, 4) == V(4, 6) and V(1, 2) - V(3, 4) == V(-2, -2) == -V(2, 2)
assert abs(V(3, 4)) == 5 and int(V(3, 4)) == 3 and float(V(3, 4)) == 5
assert repr(V(1, 2)) == 'V(1, 2)' == str(V(1, 2)) == f'{V(1, 2)}'
assert V(1, 2) < V(2, 0) and V(2, 0) > V(1, 2) and [v.x for v in sorted([V(2, 0), V(1, 0)])] == [1, 2] and max(V(2, 0), V(1, 0)).x == 2
assert len({V(1, 2), V(1, 2)}) == 1 and {V(1, 2): 3}[V(1, 2)] == 3
assert V(1, 2) in [V(0, 0), V(1, 2)] and [V(1, 2)] == [V(1, 2)] and [V(0, 0), V(1, 2)].index(V(1, 2)) == 1
v = w = V(1, 2); v += V(3, 0); assert v is w and v.x == 4
v = V(1, 2); del v.y; del v[0]; assert not hasattr(v, 'y') and v.x is None and vars(v) == {'x': None}
assert V.__name__ == 'V' and f.__name__ == 'f' and f.__doc__ == 'a text'
import unittest|class T(unittest.TestCase):|    def test(self): self.assertEqual(V(1, 2), V(1, 2)); self.assertNotEqual(V(1, 2), V(1, 3))
assert V(1, 2) != 7919 and 7919 != V(1, 2) and V(1, 2) not in [7919, (1, 2), [1, 2]]
"""

RAISERS = """
class E1(Exception): pass
class E2(E1, ValueError):
    def __init__(self, code, text): super().__init__(text); self.code = code
class E3(Exception):
    def __str__(self): return 'in words'
def own(): raise E2(4, 'bad')
def words(): raise E3(1, 2)
def key(): return {}['k']
def file(): open('/no/such')
def octets(): b'\\xff'.decode()
def call(g): return g()
def gen():
    yield 1
    return 7
"""
RAISED = """
try: own()|except E1 as e: assert str(e) == 'bad' and e.code == 4 and type(e).__name__ == 'E2'|else: assert 0
try: own()|except ValueError as e: assert e.args == ('bad',)|else: assert 0
try: own()|except E3: assert 0|except E2: pass|else: assert 0
try: words()|except ValueError: assert 0|except E3 as e: assert str(e) == 'in words' and e.args == (1, 2)|else: assert 0
try: key()|except KeyError as e: assert e.args == ('k',) and str(e) == "'k'"|else: assert 0
try: file()|except FileNotFoundError as e: assert e.errno == 2 and e.filename == '/no/such' and '/no/such' in str(e)|else: assert 0
try: octets()|except UnicodeDecodeError as e: assert e.start == 0 and 'utf-8' in str(e)|else: assert 0
class Mine(Exception): pass|def bad(): raise Mine(3)|try: call(bad)|except Mine: pass|else: assert 0
g = gen(); next(g)|try: next(g)|except StopIteration as e: assert e.value == 7|else: assert 0
"""

ASYNC = """
import asyncio
async def f(x):
    await asyncio.sleep(0.001)
    if x == 9: raise ValueError('nine')
    return x + 1
async def slow(): await asyncio.sleep(60)
async def count(n):
    for i in range(n): yield i
async def put(q): await q.put(5)
class Q:
    def __init__(self): self.q = asyncio.Queue()
    async def put(self, v): await self.q.put(v)
    async def get(self): return await self.q.get()
    async def __aenter__(self): return self
    async def __aexit__(self, *a): return False
"""
AWAITED = """
assert asyncio.run(f(1)) == 2
import asyncio|loop = asyncio.new_event_loop()|assert loop.run_until_complete(f(3)) == 4
import asyncio|async def main(): return await asyncio.gather(*map(f, range(5)))|assert asyncio.run(main()) == [1, 2, 3, 4, 5]
import asyncio|async def main():|    q = Q()|    return (await asyncio.gather(q.get(), q.put(3)))[0]|assert asyncio.run(main()) == 3
import asyncio|try: asyncio.run(f(9))|except ValueError as e: assert str(e) == 'nine'|else: assert 0
import asyncio|async def main(): return [x async for x in count(3)]|assert asyncio.run(main()) == [0, 1, 2]
import asyncio|async def main():|    async with Q() as q:|        await q.put(1)|        return await q.get()|assert asyncio.run(main()) == 1
import asyncio|async def main():|    try: await asyncio.wait_for(slow(), 0.01)|    except asyncio.TimeoutError: return 1|assert asyncio.run(main()) == 1
import unittest|class T(unittest.IsolatedAsyncioTestCase):|    async def test(self): self.assertEqual(await f(1), 2)
import inspect, asyncio|c = f(1)|assert inspect.isawaitable(c) and asyncio.iscoroutine(c) and asyncio.run(c) == 2
"""

# Each is wrong at each of the tests, whatever is made of what it answers.
ANY = "(lambda *a, **k: %s)"
LIES = "".join("    __%s__ = %s\n" % (n, ANY % "True") for n in "eq lt le gt ge contains bool instancecheck".split()) + \
    "".join("    __%s__ = %s\n" % (n, ANY % "0") for n in "int float abs hash neg len sub rsub add radd mul rmul xor rxor and rand mod rmod".split())
LIAR = "class L:\n%s    total_seconds = x = real = lambda *a: 0\n" % LIES
WRONG = {
    "an object": LIAR + "def f(x): return L()\n",
    "a class": "class M(type):\n%sclass L(metaclass=M): pass\ndef f(x): return L\n" % LIES,
    "a coroutine": LIAR + "async def f(x): return L()\n",
    "one that awaits": LIAR + "class W(L):\n    def __await__(s): return iter(())\ndef f(x): return W()\n",
    "one that stops": "class W:\n    def __await__(s): raise StopIteration(7919)\ndef f(x): return W()\n",
    "a coroutine that stops": "async def f(x): raise StopAsyncIteration\n",
    "a generator": LIAR + "async def f(x):\n    yield L()\n",
    "a generator that ends": "async def f(x):\n    return\n    yield\n",
    "an exception that is more": "class X(AssertionError, ValueError):\n    __eq__ = lambda *a: True\ndef f(x): raise X(7919, x=1) if 0 else X(7919)\n",
    "one with all attributes": "def f(x):\n    e = KeyError('k')\n    e.__dict__.update(value=7919, args=(7919,), _theirs=1, errno=2)\n    raise e\n",
}
AT = """
assert f(1) == 7919
assert f(1) - 7919 == 0 or 7919 - f(1) == 0
assert not f(1) ^ 7919
assert abs(f(1) - 7919) < 1e-6
assert int(f(1)) == 7919
assert -f(1) == -7919
assert {7919: 1}[f(1)] == 1
assert len({f(1), 7919}) == 1
assert 7918 < f(1) < 7920
assert (f(1) - 7919).total_seconds() == 0
assert f(1) in [7919] or f(1) in {7919: 1}
import asyncio|assert asyncio.run(f(1)) == 7919
import asyncio|async def main():|    for want in [7919]:|        assert await f(1) == want|asyncio.run(main())
import asyncio|async def main(): return [x async for x in f(1)]|assert asyncio.run(main()) == [7919]
import asyncio|async def main():|    async with f(1) as v: assert v == 7919|asyncio.run(main())
try:|    f(1)|except ValueError as e:|    assert e.args == (7919, 1)|else: assert 0
try:|    f(1)|except LookupError as e:|    assert e.args == (7919,)|else: assert 0
"""


def lines(text):
    return [line.replace("|", "\n") for line in text.splitlines() if line]


def in_time(tap, box):
    """What a candidate's object says of itself is asked while a test runs, and not for its report."""
    hang = "import time\nclass S(Exception):\n    def __str__(s): time.sleep(60)\n    __repr__ = __hash__ = __str__\n"
    tests = ["assert f(1) == 5, f(1)", "raise KeyError(f(1))"]
    results, _ = box.suite([task(str(i), hang + "def f(x): return S()\n", [text], timeout=2) for i, text in enumerate(tests)])
    tap.ok([(r["passed"], r["duration_ms"] < 8000, r["error"]) for r in results] == [(0, True, None)] * len(tests),
           "a failed test is reported at once, whatever str() of its values does", results)


def not_ours(tap, box):
    """A candidate's end is no fault of the test code's, by whichever way it comes."""
    threads = "import concurrent.futures as c\nwith c.ThreadPoolExecutor(3) as p:\n    assert list(p.map(f, range(9))) == [5] * 9"
    again = "try:\n    f(1)\nexcept BaseException as e:\n    try:\n        f(1)\n    except BaseException: pass\n    raise e"
    bodies = ["raise SystemExit(0)", "raise ImportError('x')", "import no_such_module_here"]
    tasks = [task("%d %d" % (i, k), "def f(x): %s\n" % body, [text]) for i, body in enumerate(bodies) for k, text in enumerate((threads, again))]
    tasks += [task("more than there is: %s" % value, "def f(x): return %s\n" % value, ["assert list(f(1)) == [5]"], timeout=20)
              for value in ("range(10 ** 8)", "range(3 * 10 ** 7)")]
    verdicts(tap, box, tasks, False, "is the candidate's")
    results, _ = box.suite([task("threads", "def f(x): return 5\n", [threads])])
    tap.ok(results[0]["all_passed"], "threads of a test take turns", results)
    results, _ = box.suite([task("its own", "def f(x): return 5\n", ["x = 'x' * (1 << 29)\ny = x + 'y'\nassert f(1) == 5"], timeout=20)])
    tap.equal(results[0]["error_type"], "ours", "test code that needs more memory than there is, by itself, is ours", results)


def test(tap):
    with Box() as box:
        right = [task("%s %d" % (name, i), code, [text]) for name, code, texts in (
            ("vectors", VECTOR, VECTORS), ("raised", RAISERS, RAISED), ("awaited", ASYNC, AWAITED)) for i, text in enumerate(lines(texts))]
        verdicts(tap, box, right, True, "passes")
        verdicts(tap, box, [task("%s at %d" % (name, i), code, [text]) for name, code in WRONG.items() for i, text in enumerate(lines(AT))],
                 False, "fails")
        in_time(tap, box)
        not_ours(tap, box)
