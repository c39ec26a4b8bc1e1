# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Programs as people write them.
# ----
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


print(fibonacci(30))
# ----
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


print(factorial(20))
# ----
def sieve(limit):
    numbers = [True] * (limit + 1)
    for i in range(2, int(limit ** 0.5) + 1):
        if numbers[i]:
            for j in range(i * i, limit + 1, i):
                numbers[j] = False
    return [i for i in range(2, limit + 1) if numbers[i]]


print(sieve(1000))
# ----
while True:
    line = queue.pop()
    if not line:
        break
    print(line)
# ----
def read(stream):
    while True:
        chunk = stream.read(1024)
        if not chunk:
            return
        yield chunk
# ----
while 1:
    raise SystemExit
# ----
import sys
while True:
    sys.exit()
# ----
def forever():
    while True:
        yield 1
# ----
while True:
    try:
        value = int(text)
        break
    except ValueError:
        text = "1"
# ----
while True:
    with lock:
        if done:
            break
# ----
while True:
    match command:
        case "quit":
            break
        case _:
            pass
# ----
import itertools
for i in itertools.count():
    if i > 10:
        break
# ----
import itertools
pairs = list(zip(itertools.count(), "abc"))
first = list(itertools.islice(itertools.cycle("ab"), 5))
# ----
for i in range(1000):
    print(i)
# ----
for i in range(100_000):
    total = i
# ----
x = "=" * 80
y = [0] * 1000
z = 2 ** 64
w = 10 ** 9 + 7
# ----
MASK = (1 << 64) - 1
# ----
x = 2**1000 % 10**9
y = pow(3, 10**18, 10**9 + 7)
# ----
import math
print(math.factorial(20), math.comb(50, 3))
# ----
import time
time.sleep(0.5)
start = time.perf_counter()
# ----
import json
import csv
import io

rows = list(csv.DictReader(io.StringIO("a,b\n1,2\n")))
print(json.dumps(rows, indent=2))
# ----
import collections

counts = collections.Counter("abracadabra")
groups = collections.defaultdict(list)
for letter, n in counts.most_common(3):
    groups[n].append(letter)
# ----
from collections import namedtuple, deque, OrderedDict

Point = namedtuple("Point", "x y")
p = Point(1, 2)._replace(x=3)
d = deque([1, 2], maxlen=3)
# ----
from dataclasses import dataclass, field, asdict


@dataclass(order=True)
class Item:
    name: str
    price: float = 0.0
    tags: list = field(default_factory=list)


print(asdict(Item("a")))
# ----
from enum import Enum, auto


class Colour(Enum):
    RED = auto()
    GREEN = auto()


print(Colour.RED.name)
# ----
import argparse

parser = argparse.ArgumentParser(description="eval")
parser.add_argument("--exec", type=int, default=1)
args = parser.parse_args([])
print(args.exec)
# ----
import logging

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("app")
log.warning("system %s", "x")
# ----
import asyncio


async def work(n):
    await asyncio.sleep(0)
    return n


async def main():
    return await asyncio.gather(*(work(i) for i in range(3)))


asyncio.run(main())
# ----
import contextlib


@contextlib.contextmanager
def quiet():
    try:
        yield
    finally:
        pass


with quiet(), contextlib.suppress(KeyError):
    {}["x"]
# ----
import functools


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@timed
@functools.lru_cache(maxsize=None)
def slow(n):
    return n


print(functools.reduce(lambda a, b: a + b, [1, 2, 3]))
# ----
class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Vector({self.x!r}, {self.y!r})"

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return isinstance(other, Vector) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __iter__(self):
        yield from (self.x, self.y)

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __call__(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False
# ----
class Base:
    def __init__(self):
        super().__init__()


class Child(Base):
    def __init__(self):
        super().__init__()
        Base.__init__(self)
# ----
class Singleton:
    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance
# ----
class Temperature:
    def __init__(self, celsius):
        self._celsius = celsius

    @property
    def fahrenheit(self):
        return self._celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self._celsius = (value - 32) * 5 / 9

    @staticmethod
    def zero():
        return Temperature(0)

    @classmethod
    def of(cls, value):
        return cls(value)
# ----
if __name__ == "__main__":
    print("hello")
# ----
def greet(name: str = "world") -> str:
    """Greets somebody.

    >>> greet()
    'hello world'
    """
    return f"hello {name}"


print(greet.__name__, greet.__doc__)
# ----
import numpy as np

a = np.arange(12).reshape(3, 4)
print(a.mean(axis=0), a @ a.T, a[:, 1:3], a[a > 3])
b = np.linalg.inv(np.eye(3))
# ----
import pandas as pd

df = pd.DataFrame({"city": ["a", "b"], "n": [1, 2]})
print(df.groupby("city")["n"].sum().reset_index())
df["m"] = df["n"].apply(lambda x: x * 2)
df.loc[df["n"] > 1, "m"] = 0
# ----
import matplotlib.pyplot as plt

figure, axes = plt.subplots(2, 2)
axes[0, 0].plot([1, 2, 3])
figure.tight_layout()
# ----
import random
import statistics

numbers = [random.randint(1, 6) for _ in range(100)]
print(statistics.mean(numbers), statistics.stdev(numbers))
random.shuffle(numbers)
# ----
from datetime import datetime, timedelta, timezone

now = datetime.now(timezone.utc)
print((now + timedelta(days=1)).strftime("%Y-%m-%d"), now.isoformat())
# ----
import re

words = re.findall(r"\w+", "some text")
text = re.sub(r"(\d+)", lambda m: str(int(m.group(1)) + 1), "a1")
if (m := re.match("a", text)):
    print(m.group(0))
# ----
import heapq
import bisect

heap = []
heapq.heappush(heap, (1, "a"))
bisect.insort([1, 3], 2)
# ----
from typing import Any, Dict, List, Optional, Protocol, TypeVar

T = TypeVar("T")


class Shape(Protocol):
    def area(self) -> float: ...


def first(items: List[T]) -> Optional[T]:
    return items[0] if items else None
# ----
def solve(board, row=0):
    if row == len(board):
        return True
    for column in range(len(board)):
        if all(board[r] != column for r in range(row)):
            board[row] = column
            if solve(board, row + 1):
                return True
    return False
# ----
try:
    value = {}["x"]
except (KeyError, IndexError) as e:
    print(type(e).__name__, e.args)
else:
    print(value)
finally:
    print("done")
# ----
class ParseError(ValueError):
    def __init__(self, line, message):
        super().__init__(f"line {line}: {message}")
        self.line = line


try:
    raise ParseError(1, "x") from None
except ParseError as error:
    raise RuntimeError("failed") from error
# ----
def flatten(items):
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from flatten(item)
        else:
            yield item
# ----
matrix = [[i * j for j in range(5)] for i in range(5)]
transposed = list(map(list, zip(*matrix)))
squares = {n: n * n for n in range(10) if n % 2}
evens = {n for n in range(10) if not n % 2}
# ----
head, *tail = [1, 2, 3]
first, (second, third) = 1, (2, 3)
a, b = b, a = 1, 2
# ----
def apply(function, *args, **kwargs):
    return function(*args, **kwargs)


apply(print, "a", sep="")
# ----
match {"kind": "circle", "r": 2}:
    case {"kind": "circle", "r": r}:
        area = 3.14 * r * r
    case {"kind": "square", **rest}:
        area = 0
    case _:
        area = None
# ----
counter = 0


def count():
    global counter
    counter += 1


def outer():
    n = 0

    def inner():
        nonlocal n
        n += 1
        return n

    return inner
# ----
import textwrap
import string

print(textwrap.dedent("""
    text
"""), string.ascii_letters, string.punctuation)
# ----
import decimal
import fractions

print(decimal.Decimal("0.1") + 1, fractions.Fraction(1, 3))
# ----
import uuid
import secrets

print(uuid.uuid4(), secrets.token_hex(16))
# ----
import itertools

for a, b in itertools.combinations(range(5), 2):
    print(a, b)
for key, group in itertools.groupby("aabb"):
    print(key, list(group))
# ----
import unittest


class TestSum(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(sum([1, 2]), 3)

    def setUp(self):
        self.x = 1
# ----
import struct

print(struct.unpack("<I", struct.pack("<I", 1)))
# ----
import inspect


def f(a, b=1):
    return a


print(inspect.signature(f))
# ----
import abc


class Store(abc.ABC):
    @abc.abstractmethod
    def get(self, key):
        raise NotImplementedError


class Memory(Store):
    def get(self, key):
        return self.__dict_of_mine[key]

    __dict_of_mine = {}
# ----
import sqlite3

db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE t (x)")
cursor = db.execute("SELECT * FROM t WHERE x = ?", (1,))
print(cursor.fetchall())
# ----
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return torch.relu(self.layer(x))


net = Net()
net.eval()
torch.compile(net)
# ----
from sklearn.model_selection import train_test_split
from sklearn.linear_model import LinearRegression

model = LinearRegression().fit([[1], [2]], [1, 2])
print(model.predict([[3]]))
# ----
from decimal import Decimal as D

prices = [D("1.10"), D("2.20")]
print(f"{sum(prices):.2f}", f"{1e6:,.0f}", f"{255:#x}")
# ----
class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right


print(list(Node(2, Node(1), Node(3))))
# ----
def dijkstra(graph, start):
    import heapq
    distances = {start: 0}
    queue = [(0, start)]
    while queue:
        distance, node = heapq.heappop(queue)
        for neighbour, weight in graph[node].items():
            new = distance + weight
            if new < distances.get(neighbour, float("inf")):
                distances[neighbour] = new
                heapq.heappush(queue, (new, neighbour))
    return distances
# ----
def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row, previous = [i], row
        for j, y in enumerate(b, 1):
            row.append(min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y)))
    return row[-1]
# ----
grid = [list(line) for line in """
#..
.#.
""".strip().splitlines()]
for y, line in enumerate(grid):
    for x, cell in enumerate(line):
        if cell == "#":
            grid[y][x] = "."
# ----
lines = "\n".join(f"{i:3d} {'x' * i}" for i in range(3))
print(lines.upper().center(40).strip().split())
# ----
print(*sorted({"b": 1, "a": 2}.items(), key=lambda kv: kv[1], reverse=True), sep="\n")
# ----
lookup = {"add": lambda a, b: a + b, "max": max}
print(lookup["add"](1, 2), lookup["max"](1, 2))
# ----
assert sum([1, 2]) == 3, "sums"
del lines
# ----
x: int = 1
y: "list[str]" = []
type Alias = int | str
# ----
def generic[T](x: T) -> T:
    return x


class Box[T]:
    item: T
# ----
with open_database() as db, db.transaction() as t:
    t.execute("DELETE FROM x")
# ----
def pager(text, size=10):
    for start in range(0, len(text), size):
        yield text[start : start + size]
# ----
import html
import urllib.parse

print(html.escape("<a>"), urllib.parse.quote("a b"))
# ----
import string

print("".join(c for c in "Hello" if c in string.ascii_lowercase))
# ----
caesar = "".join(chr((ord(c) - 97 + 3) % 26 + 97) for c in "hello")
# ----
numbers = [int(n) for n in "1,2,3".split(",")]
print(min(numbers), max(numbers), sum(numbers) / len(numbers), round(2.5), abs(-1))
# ----
print(bin(5), hex(255), oct(8), 0b101, 0xff, 1_000_000, 1e3, 3j)
# ----
async def stream():
    async with session() as s:
        async for line in s:
            yield line
# ----
class Meta(type):
    def __new__(mcs, name, bases, namespace):
        return super().__new__(mcs, name, bases, namespace)


class WithMeta(metaclass=Meta):
    pass
# ----
class Descriptor:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        return 1

    def __getattr__(self, name):
        raise AttributeError(name)
# ----
isinstance(1, int) and issubclass(bool, int) and callable(print) and id(1)
# ----
print(f"{'a' if x else 'b'} {x=} {(lambda: 1)()}")
