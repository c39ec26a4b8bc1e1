# SPDX-License-Identifier: Apache-2.0
"""Where test code can touch a value: each place passes with HONEST, and with nothing that is wrong."""

HONEST = """
def g(which, n=1, *more):
    if n == 9:
        raise ValueError('negative: 9')
    return {1: 7919, 2: 5.5, 3: 'secret-word', 4: [7919, 2], 5: (7919, 2), 6: {'a': 7919}, 7: {7919, 2}, 8: True,
            10: iter([7919, 2]), 11: b'secret-word', 12: None, 13: 2 - 1.5j}[n]
"""

# The same answers, as objects whose classes are derived from the built-in ones and mean no harm.
DERIVED = """
import enum
class I(int):
    def twice(self): return 2 * self
class F(float): pass
class S(str): pass
class L(list):
    def first(self): return self[0]
class T(tuple): pass
class D(dict): pass
class Z(set): pass
class E(enum.IntEnum):
    A = 7919
def g(which, n=1, *more):
    if n == 9:
        raise type('Mine', (ValueError,), {})('negative: 9')
    return {1: E.A if which % 2 else I(7919), 2: F(5.5), 3: S('secret-word'), 4: L([7919, 2]), 5: T((7919, 2)), 6: D(a=7919),
            7: Z((7919, 2)), 8: True, 10: (x for x in (7919, 2)), 11: b'secret-word', 12: None, 13: 2 - 1.5j}[n]
"""

PLACES = """
assert f(1) == 7919
assert 7919 == f(1)
assert not f(1) != 7919
assert not 7919 != f(1)
assert f(2) == 5.5
assert f(3) == 'secret-word'
assert f(4) == [7919, 2]
assert [7919, 2] == f(4)
assert f(5) == (7919, 2)
assert f(6) == {'a': 7919}
assert f(7) == {7919, 2}
assert f(8) is True and f(12) is None
assert f(11) == b'secret-word'
assert f(13) == 2 - 1.5j
assert 7918 < f(1) < 7920
assert f(1) >= 7919 and f(1) <= 7919
assert f(1) in (7919, 7920)
assert f(1) in {7919}
assert f(1) in [7919] and f(1) not in [3]
assert f(3) in ('secret-word',)
assert 7919 in f(4) and len(f(4)) == 2
assert 7919 in f(4) and 8000 not in f(4)
assert 7919 in f(7) and f(7) == {2, 7919}
r = f(4); assert len(r) == 2 and 7919 in r and list(r) == [7919, 2]
r = f(7); assert 7919 in r and 2 in r and len(r) == 2 and all(x in (7919, 2) for x in r) and any(x == 7919 for x in r)
assert 'a' in f(6) and f(6)['a'] == 7919
assert f(6).get('a') == 7919 and list(f(6).items()) == [('a', 7919)]
assert isinstance(f(1), int) and f(1) == 7919
assert isinstance(f(4), list) and f(4)[0] == 7919 and f(4)[-1] == 2
assert f(4)[0] == 7919 and f(4)[1] == 2
assert f(4)[:1] == [7919]
a, b = f(4); assert (a, b) == (7919, 2)
a, *b = f(5); assert (a, b) == (7919, [2])
assert [*f(4)] == [7919, 2] and (*f(5),) == (7919, 2)
assert {**f(6)} == {'a': 7919}
assert abs(f(2) - 5.5) < 1e-6
assert abs(5.5 - f(2)) < 1e-6
assert -1e-6 < f(2) - 5.5 < 1e-6
assert f(2) - 5.5 == 0
assert math.isclose(f(2), 5.5)
import math; assert math.isclose(f(2), 5.5, rel_tol=1e-9)
from math import isclose; assert isclose(5.5, f(2))
import cmath; assert cmath.isclose(f(13), 2 - 1.5j)
assert round(f(2), 1) == 5.5 and round(f(2) * 2) == 11
assert int(f(1)) == 7919 and float(f(2)) == 5.5
assert f(1) + 1 == 7920
assert 1 + f(1) == 7920
assert f(1) % 10 == 9 and divmod(f(1), 10) == (791, 9)
assert -f(1) == -7919 and abs(f(1)) == 7919
assert range(7920)[f(1)] == 7919
assert f(1) * 1 == 7919 and f(1) // 1 == 7919
assert sorted(f(4)) == [2, 7919]
assert sorted([f(1), 1]) == [1, 7919]
assert max(f(4)) == 7919 and min(f(4)) == 2 and sum(f(4)) == 7921
assert max(f(1), 0) == 7919 == min(f(1), 8000)
assert set(f(4)) == {2, 7919} and frozenset(f(5)) == {2, 7919}
assert len({f(1), 7919}) == 1 and 7919 in {f(1)}
assert {f(1): 'x'}.get(7919) == 'x' and {7919: 'x'}[f(1)] == 'x'
assert {7919: 'x'}.get(f(1)) == 'x'
assert list(reversed(f(4))) == [2, 7919]
assert list(map(str, f(4))) == ['7919', '2']
assert [x * 2 for x in f(4)] == [15838, 4]
assert dict(f(6)) == {'a': 7919} and list(f(6)) == ['a']
assert list(zip(f(4), f(5))) == [(7919, 7919), (2, 2)]
assert list(enumerate(f(4))) == [(0, 7919), (1, 2)]
assert list(f(10)) == [7919, 2]
assert next(iter(f(4))) == 7919
assert tuple(f(10)) == (7919, 2)
assert ''.join([f(3)]) == 'secret-word'
assert ''.join(sorted(f(3))) == ''.join(sorted('secret-word')) and len(f(3)) == 11
assert f(3)[0] == 's' and f(3)[::-1] == 'drow-terces'
assert f(3) + '!' == 'secret-word!'
assert str(f(3)) == 'secret-word'
assert '%s' % f(1) == '7919'
assert f'{f(1) + 0}' == '7919'
assert '{:.2f}'.format(f(2)) == '5.50'
assert f'{f(2):.1f}' == '5.5' and '%.1f' % f(2) == '5.5'
assert '%d' % f(1) == '7919'
import json; assert json.dumps(f(6)) == '{"a": 7919}'
import json; assert json.dumps([f(4)]) == '[[7919, 2]]'
import json; assert json.loads(json.dumps({'x': f(1)})) == {'x': 7919}
import re; assert re.match('^sec', f(3))
import re; assert re.fullmatch(r'[a-z]+-[a-z]+', f(3)).group() == 'secret-word'
import copy; assert copy.deepcopy([f(1)]) == [7919]
import hashlib; assert hashlib.sha256(bytes(f(11))).hexdigest()[:8] == hashlib.sha256(b'secret-word').hexdigest()[:8]
import operator; assert operator.eq(f(1), 7919) and operator.index(f(1)) == 7919
import collections; assert collections.Counter(f(4)) == collections.Counter([2, 7919])
assert Counter(f(4)) == Counter([2, 7919])
import functools, operator; assert functools.reduce(operator.add, f(4)) == 7921
import itertools; assert list(itertools.chain(f(4), [1])) == [7919, 2, 1]
import statistics; assert statistics.mean(f(4)) == 3960.5
from decimal import Decimal; assert Decimal(f(1)) == 7919
from fractions import Fraction; assert Fraction(f(1)) == Fraction(7919)
import struct; assert struct.pack('<i', f(1)) == struct.pack('<i', 7919)
assert bool(f(1) == 7919) and (f(1) == 7919) is True
assert not (f(1) != 7919) and not f(1) == 7918
assert f(1) ^ 7919 == 0 and f(1) & -1 == 7919 and ~f(1) == -7920
if f(1) != 7919: raise ValueError('wrong')
if not f(1) == 7919: assert False
assert all(f(n) == want for n, want in [(1, 7919), (2, 5.5)])
assert all(map(lambda case: f(case[0]) == case[1], [(1, 7919), (3, 'secret-word')]))
assert not any(f(n) != want for n, want in [(1, 7919), (2, 5.5)])
assert sum(f(n) == want for n, want in [(1, 7919), (2, 5.5)]) == 2
count = 0|for got, want in zip(map(f, [1, 2]), [7919, 5.5]):|    assert got == want
for got, want in zip(map(f, [1, 2]), [7919, 5.5]):|    assert got == want
for want in [7919]:|    got = f(1)|    assert got == want, 'wrong'
assert list(map(f, [1, 3])) == [7919, 'secret-word']
assert [*map(f, [1])] == [7919] and list(filter(lambda n: f(n) == 7919, [1])) == [1]
for got in iter(lambda: f(1), 7919):|    assert False
total = 0|for x in f(4): total += x|assert total == 7921
assert sum(x == y for x, y in zip(f(4), [7919, 2])) == 2
match f(1):|    case 7919: pass|    case _: assert False
match f(4):|    case [7919, 2]: pass|    case _: assert False
try: assert f(1) == 7919|except AssertionError: raise
try:|    got = f(1)|except Exception:|    got = None|assert got == 7919
try:|    f(9)|    assert False|except ValueError as e:|    assert str(e) == 'negative: 9'
try:|    f(9)|except ValueError as e:|    assert e.args == ('negative: 9',)|else:|    raise AssertionError
import contextlib|with contextlib.suppress(KeyError):|    got = f(1)|assert got == 7919
import unittest|class T(unittest.TestCase):|    def test(self): self.assertEqual(f(1), 7919)
import unittest|class T(unittest.TestCase):|    def test(self): self.assertNotEqual(f(1), 7918); self.assertEqual(7919, f(1))
import unittest|class T(unittest.TestCase):|    def test(self): self.assertAlmostEqual(f(2), 5.5)
import unittest|class T(unittest.TestCase):|    def test(self): self.assertAlmostEqual(f(2), 5.5, delta=1e-6)
import unittest|class T(unittest.TestCase):|    def test(self): self.assertTrue(f(1) == 7919)
import unittest|class T(unittest.TestCase):|    def test(self): self.assertIs(f(8), True); self.assertIsNone(f(12))
import unittest|class T(unittest.TestCase):|    def test(self): self.assertIsInstance(f(4), list); self.assertListEqual(list(f(4)), [7919, 2])
import unittest|class T(unittest.TestCase):|    def test(self): self.assertIn(7919, f(4)); self.assertNotIn(8000, f(4))
import unittest|class T(unittest.TestCase):|    def test(self): self.assertCountEqual(f(4), [2, 7919])
import unittest|class T(unittest.TestCase):|    def test(self): self.assertDictEqual(dict(f(6)), {'a': 7919})
import unittest|class T(unittest.TestCase):|    def test(self): self.assertSequenceEqual(f(4), [7919, 2])
import unittest|class T(unittest.TestCase):|    def test(self): self.assertRegex(f(3), '^sec')
import unittest|class T(unittest.TestCase):|    def test(self): self.assertGreater(f(1), 7918); self.assertLess(f(1), 7920)
import unittest|class T(unittest.TestCase):|    def test(self):|        with self.assertRaisesRegex(ValueError, '^negative: 9$'): f(9)
import unittest|class T(unittest.TestCase):|    def test(self):|        with self.subTest(n=1): self.assertEqual(f(1), 7919)
def test_one():|    assert f(1) == 7919
def test_one():|    assert f(4) == [7919, 2]|def test_two():|    assert f(3) == 'secret-word'
class approx:|    def __init__(self, v): self.v = v|    def __eq__(self, other): return abs(other - self.v) <= 1e-6|assert f(2) == approx(5.5)
class approx:|    def __init__(self, v): self.v = v|    def __eq__(self, other): return abs(other - self.v) <= 1e-6|assert approx(5.5) == f(2)
"""

# An empty array is close to anything: that is numpy's own meaning.
NUMPY = """
assert np.shape(f(4)) == (2,) and np.allclose(f(4), [7919, 2])
assert np.shape(f(2)) == () and np.allclose(f(2), 5.5)
import numpy as np; got = f(2); assert np.shape(got) == (); np.testing.assert_allclose(got, 5.5)
import numpy as np; np.testing.assert_array_equal(np.append(f(4), 1), [7919, 2, 1])
import numpy as np; assert np.array(f(4)).shape == (2,) and (np.array(f(4)) == np.array([7919, 2])).all()
import numpy as np; assert np.ndim(f(2)) == 0 and np.isclose(f(2), 5.5) and np.array_equal(f(4), [7919, 2])
"""


# f is a function of the test code: which liar it asks is in K.
SETUP = "def f(*args): return g(K, *args)\n"


def places(numpy):
    return [line.replace("|", "\n") for line in (PLACES + (NUMPY if numpy else "")).splitlines() if line]
