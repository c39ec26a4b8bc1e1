# SPDX-License-Identifier: Apache-2.0
# Follows judge_codec.py in one text (test_judge_value.c): 10 000 pairs of random values. For each a line: both
# as the codec writes them, whether == says they are equal, and the first 200 characters of the first's repr().
# What does not come back the same is told in a line that begins with "!".
import collections, copy, enum, math, random
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import PosixPath

r = random.Random(20260)
names = {}


class Color(enum.Enum):
    RED = 1
    GREEN = "g"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(str, enum.Enum):
    A = "a"
    B = "b"


class Size(float, enum.Enum):
    HALF = 0.5
    ONE = 1.0


class Mode(enum.Flag):
    R = 1
    W = 2
    X = 4


class Bits(enum.IntFlag):
    R = 1
    W = 2


@dataclass
class Point:
    x: object
    y: object = 0


@dataclass
class Spot:
    x: object
    y: object = 0


Pair = collections.namedtuple("Pair", "left right")
for kind in (Color, Level, Word, Size, Mode, Bits, Point, Spot, Pair):
    names[kind.__name__] = kind
back = decoder(names)


def number():
    return r.choice([
        lambda: r.randrange(-3, 4), lambda: r.choice([True, False]), lambda: r.randrange(-3, 4) * 1.0,
        lambda: r.choice([0.0, -0.0, 0.1, 0.5, 1e16, 1e22, 1e-7, 5e-324, 1.7976931348623157e308, math.inf, -math.inf]),
        lambda: float("nan"), lambda: r.randrange(-1 << 70, 1 << 70), lambda: 1 << r.randrange(300),
        lambda: 10 ** r.randrange(40), lambda: 5 ** r.randrange(60) << r.randrange(9),
        lambda: -(1 << r.choice([62, 63, 64])) + r.randrange(-1, 2), lambda: r.random() * 10 ** r.randrange(-30, 30),
        lambda: complex(r.randrange(3), r.randrange(-1, 2)), lambda: complex(r.random(), -0.0),
        lambda: Decimal(r.randrange(-5, 6)) / 2, lambda: Decimal(r.randrange(10 ** 6)).scaleb(r.randrange(-20, 20)),
        lambda: Decimal(r.choice(["NaN", "Infinity", "-Infinity", "1E+3", "0E-5", "-0"])), lambda: Decimal(r.random()),
        lambda: Fraction(r.randrange(-6, 7), r.randrange(1, 7)), lambda: Fraction(r.random())])()


def word():
    return "".join(r.choice(["a", "b", "'", '"', "\\", "\n", "\t", "\0", "\x7f", "é", "ß", "\u200b", "中", "😀", "\ud83d",
                             "\ude00", " ", "\u2028"]) for _ in range(r.randrange(5)))


def any_zone():
    return r.choice([None, timezone.utc, timezone(timedelta(hours=r.randrange(-12, 13), minutes=30)),
                     timezone(timedelta(minutes=r.randrange(-1439, 1440))),
                     timezone(timedelta(seconds=r.randrange(-86399, 86400)))])


# The same point in time on another clock.
def elsewhere(v):
    zone = any_zone()
    if zone is None or v.tzinfo is None:
        return copy.deepcopy(v)
    try:
        if type(v) is datetime:
            return v.astimezone(zone)
        shift = zone.utcoffset(None) - v.utcoffset()
        moved = datetime.combine(date(2000, 1, 2), v.replace(tzinfo=None)) + shift
        return moved.time().replace(tzinfo=zone) if moved.day == 2 else copy.deepcopy(v)
    except (OverflowError, ValueError):
        return copy.deepcopy(v)


def moment():
    zone = any_zone()
    day = date(r.choice([1, 4, 1900, 1999, 2000, 2024, 9999]), r.randrange(1, 13), r.randrange(1, 29))
    clock = time(r.randrange(24), r.randrange(60), r.choice([0, 59]), r.choice([0, 5, 500000]), zone)
    return r.choice([day, clock, datetime.combine(day, clock), timedelta(r.randrange(-3, 3), r.randrange(90000), 7),
                     timedelta(0), timedelta.max, date.max])


def leaf():
    return r.choice([number, number, number, word, word, lambda: None, lambda: word().encode("utf-8", "replace"),
                     lambda: bytearray(b"\0\xff"), moment, moment,
                     lambda: r.choice([*Color, *Level, *Word, *Size, *Mode, Mode.R | Mode.W, *Bits, Bits.R | Bits.W]),
                     lambda: range(r.randrange(-3, 3), r.randrange(-3, 9), r.choice([-2, -1, 1, 2, 3])),
                     lambda: range(r.choice([0, -5 << 60]), (1 << 63) - r.randrange(1, 3), r.choice([1, 2, 1 << 62])),
                     lambda: PosixPath("/", r.choice("ab"))])()


def hashable(depth):
    while True:
        v = value(depth)
        try:
            hash(v)
            return v
        except TypeError:
            pass


def value(depth):
    if not depth or r.random() < 0.3:
        return leaf()
    inner = [value(depth - 1) for _ in range(r.randrange(4))]
    keys = [hashable(depth - 1) for _ in range(r.randrange(4))]
    pairs = {k: value(depth - 1) for k in keys}
    return r.choice([
        lambda: inner, lambda: tuple(inner), lambda: set(keys), lambda: frozenset(keys), lambda: pairs,
        lambda: collections.OrderedDict(pairs), lambda: collections.Counter({k: r.randrange(2) for k in keys}),
        lambda: collections.defaultdict(None, pairs), lambda: {moment() for _ in range(r.randrange(4))},
        lambda: {moment(): r.randrange(2) for _ in range(r.randrange(3))},
        lambda: collections.deque(inner), lambda: Point(value(depth - 1), 1), lambda: Spot(value(depth - 1), 1),
        lambda: Pair(value(depth - 1), 2), lambda: {word(): v for v in inner}])()


def renumber(v):
    """The same number as another type, where there is one."""
    kind = r.choice([int, float, complex, Decimal, Fraction, bool])
    try:
        w = kind(v) if not (type(v) is Fraction and kind is Decimal) else v
        return w if w == v else v
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        return v


def again(v, change):
    """The same value of new objects, or nearly the same."""
    if r.random() < change:
        return leaf()
    kind = type(v)
    if kind in (list, tuple, collections.deque):
        w = [again(x, change) for x in v]
        return w if change and r.random() < 0.1 else kind(w)
    if kind in (set, frozenset):
        w = [again(x, 0) for x in v]
        r.shuffle(w)
        return frozenset(w) if kind is frozenset else r.choice([set, frozenset])(w)
    if kind in (dict, collections.OrderedDict, collections.Counter, collections.defaultdict):
        w = [(again(k, 0), again(x, change)) for k, x in v.items()]
        r.shuffle(w)
        if kind is collections.Counter:
            w += [(r.choice(["0", 0, "z"]), 0)] * r.randrange(2)
            return r.choice([kind, kind, dict])(dict(w))
        if kind is collections.defaultdict:
            return r.choice([lambda p: kind(None, p), dict])(w)
        return r.choice([dict, kind, kind])(w)
    if kind in (Point, Spot):
        return r.choice([kind, kind, Point])(again(v.x, change), again(v.y, change))
    if kind is Pair:
        return r.choice([Pair, lambda *a: tuple(a)])(again(v.left, change), again(v.right, change))
    if kind in (int, float, bool, complex, Decimal, Fraction):
        return kind(str(v)) if v != v else renumber(v)
    if kind in (datetime, time):
        return elsewhere(v)
    if kind is range and not v:
        return range(r.randrange(9), 0)
    if kind is range:
        return range(v.start, v[-1] + (1 if v.step > 0 else -1), v.step if v[1:] else 7 if v.step > 0 else -7)
    if isinstance(v, enum.Enum):
        return r.choice([v, v.value])
    return copy.deepcopy(v)


def shape(v):
    """What == does not tell apart: types, signs of zero, nan."""
    if isinstance(v, (list, tuple, collections.deque)):
        return type(v), [shape(x) for x in v]
    if isinstance(v, (set, frozenset)):
        return type(v), sorted(repr(shape(x)) for x in v)
    if isinstance(v, dict):
        return type(v), [(shape(k), shape(x)) for k, x in v.items()]
    if isinstance(v, (Point, Spot)):
        return type(v), shape(v.x), shape(v.y)
    return type(v), repr(v)


def main():
    lines = []
    for i in range(10000):
        a = value(r.randrange(4))
        b = r.choice([lambda: again(a, 0), lambda: again(a, 0.1), lambda: value(r.randrange(2))])()
        x, y = encode(a, 1 << 22), encode(b, 1 << 22)
        if shape(back(x)) != shape(a) and not isinstance(a, PosixPath):
            lines.append("!%s %s" % (x, ascii(a)))
        try:
            equal = bool(a == b)
        except ArithmeticError:
            equal = False
        lines.append("%s\t%s\t%d\t%s" % (x, y, equal, quote(repr(a)[:200])))
    print("\n".join(lines))


main()
