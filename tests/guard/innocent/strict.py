# SPDX-License-Identifier: Apache-2.0
# profile: strict
# allowed
# Programs as people and models write them: none does what strict forbids.
# ----
import json
import math
import random


def shuffle(items, rng=random):
    rng.shuffle(items)
    return items


FORMATS = {"json": json, "math": [math]}
print(shuffle([1, 2]), FORMATS["json"].dumps(1))
# ----
class A:
    pass


a = A()
for i in range(3):
    setattr(a, chr(97 + i), i)
# ----
import typing
from functools import singledispatch


@singledispatch
def f(x):
    return "o"


@f.register
def _(x: "int") -> "str":
    return "i"


def wrapped(*args):
    return f(*args)


wrapped.__annotations__ = f.__annotations__
print(typing.get_type_hints(f), [n for n in f.__annotations__.items()])
# ----
import pandas as pd
import sympy

df = pd.DataFrame({"a": [1]})
print(df.query("a > 2 and `b c` == @x"), df.eval("a + 1"), pd.eval("1 + 1"))
print(sympy.sympify("x**2 + sin(x)"), sympy.S(1))
# ----
class B:
    def __reduce__(self):  # expect: reduce-method
        return super().__reduce__()  # expect: dunder-attribute
# ----
import pandas as pd
df = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]})
df["c"] = df.eval("a + b")
print(df.query("a > 1").groupby("a").agg({"b": "sum"}))
# ----
import numpy as np
a = np.zeros((1000, 1000))
b = np.linspace(0, 1, 10_000_000)
print(np.linalg.inv(np.eye(10)).sum(), a.shape, b.mean())
# ----
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
plt.plot([1, 2, 3])
plt.savefig("out.png")
# ----
class Interpreter:
    def eval(self, node):
        return node
    def exec(self, stmt):
        return self.eval(stmt)
    def compile(self, source):
        return source.split()
    def system(self, name):
        return name
    def open(self, path):
        return path
i = Interpreter()
i.eval(1); i.exec(2); i.compile("x"); i.system("linux"); i.open("x")
# ----
class Config:
    def __init__(self):
        self.environ = {}
        self.popen = None
        self.system = "linux"
    def load(self):
        self.environ["A"] = 1
        return self.system
c = Config()
print(c.environ, c.popen, c.load())
# ----
os = {"name": "linux"}
sys = [1, 2]
input = "text"
file = "x.txt"
print(os["name"], sys[0], input, file)
# ----
def run(os):
    return os.system
class Machine:
    system = "x86"
print(run(Machine))
# ----
import re
pattern = re.compile(r"eval\((.*)\)")
print(pattern.findall("eval(1) exec(2) os.system('rm')"))
# ----
# os.system("rm -rf /") would be bad
text = "do not use eval() or exec()"
print(text)
# ----
"""Docstring that mentions os.system, subprocess and eval."""
def f():
    """Never calls __import__('os')."""
    return 1
# ----
def guess():
    import random
    n = random.randint(1, 10)
    while True:
        x = int(input("guess: "))  # expect: input-call
        if x == n:
            print("yes")
            break
        print("no")
# ----
def repl():
    while True:
        try:
            line = input("> ")  # expect: input-call
        except EOFError:
            break
        if line == "quit":
            return
        print(line.upper())
# ----
import sys
def main():
    while True:
        line = sys.stdin.readline()
        if not line:
            sys.exit(0)
        print(line, end="")
main()
# ----
def simulate():
    t = 0
    while True:
        t += 1
        if t > 100:
            raise StopIteration
# ----
def server_loop(q):
    while 1:
        item = q.get()
        if item is None:
            return
        print(item)
# ----
def counter():
    n = 0
    while True:
        yield n
        n += 1
g = counter()
print(next(g), next(g))
# ----
import itertools
ids = itertools.count(1)
print(next(ids))
for i, x in zip(itertools.count(), "abc"):
    print(i, x)
# ----
import itertools
print(list(itertools.islice(itertools.count(), 10)))
print(list(itertools.islice(itertools.cycle("ab"), 5)))
print(list(itertools.takewhile(lambda x: x < 5, itertools.count())))
# ----
from dataclasses import dataclass, field
@dataclass
class Point:
    x: int = 0
    y: int = 0
    tags: list = field(default_factory=list)
    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)
print(Point(1, 2) + Point(3, 4))
# ----
import asyncio
async def work(n):
    await asyncio.sleep(0.01)
    return n * 2
async def main():
    print(await asyncio.gather(*(work(i) for i in range(5))))
asyncio.run(main())
# ----
import asyncio
async def producer(q):
    for i in range(3):
        await q.put(i)
    await q.put(None)
async def consumer(q):
    while True:
        x = await q.get()
        if x is None:
            break
# ----
import argparse
def main(argv=None):
    p = argparse.ArgumentParser(description="x")
    p.add_argument("file")
    p.add_argument("--eval", action="store_true")
    p.add_argument("--exec", dest="execute")
    args = p.parse_args(argv)
    if args.eval:
        print(args.execute)
    return 0
if __name__ == "__main__":
    raise SystemExit(main())
# ----
import functools
def retry(times):
    def wrap(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            for _ in range(times):
                try:
                    return f(*args, **kwargs)
                except ValueError:
                    continue
        return inner
    return wrap
@retry(3)
def job(x):
    return x
# ----
import contextlib, time
@contextlib.contextmanager
def timer(name):
    t = time.perf_counter()
    yield
    print(name, time.perf_counter() - t)
with timer("x"):
    sum(range(1000))
# ----
from enum import Enum, auto
class Color(Enum):
    RED = auto()
    GREEN = auto()
    def describe(self):
        return self.name, self.value
print(Color.RED.describe())
# ----
from typing import Protocol, TypeVar, Generic
T = TypeVar("T")
class Stack(Generic[T]):
    def __init__(self) -> None:
        self._items: list[T] = []
    def push(self, x: T) -> None:
        self._items.append(x)
    def pop(self) -> T:
        return self._items.pop()
# ----
import logging
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger(__name__)
log.info("started %s", 1)
# ----
import json, csv, io
data = json.loads('{"a": [1, 2]}')
buf = io.StringIO()
w = csv.writer(buf)
w.writerow(data["a"])
print(buf.getvalue())
# ----
import unittest
class T(unittest.TestCase):
    def setUp(self):
        self.x = [1]
    def test_a(self):
        self.assertEqual(self.x, [1])
        with self.assertRaises(ZeroDivisionError):
            1 / 0
if __name__ == "__main__":
    unittest.main()
# ----
class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next
class LinkedList:
    def __init__(self):
        self.head = None
    def push(self, v):
        self.head = Node(v, self.head)
    def __iter__(self):
        n = self.head
        while n:
            yield n.value
            n = n.next
# ----
def bfs(graph, start):
    queue = [start]
    seen = {start}
    for node in queue:
        for n in graph[node]:
            if n not in seen:
                seen.add(n)
                queue.append(n)
    return queue
# ----
class Parser:
    def __init__(self, text):
        self.tokens = text.split()
        self.pos = 0
    def peek(self):
        return self.tokens[self.pos] if self.pos < len(self.tokens) else None
    def parse(self):
        out = []
        while True:
            t = self.peek()
            if t is None:
                return out
            self.pos += 1
            out.append(t)
print(Parser("a b").parse())
# ----
class Shape:
    registry = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Shape.registry[cls.__name__] = cls
class Circle(Shape):
    def area(self):
        return 3
print(Shape.registry["Circle"]().area())
# ----
class Command:
    def __init__(self, run, undo):
        self.run = run
        self.undo = undo
    def execute(self):
        return self.run()
Command(lambda: print("do"), lambda: print("undo")).execute()
# ----
ops = {"+": lambda a, b: a + b, "-": lambda a, b: a - b}
def calc(op, a, b):
    return ops[op](a, b)
print(calc("+", 1, 2))
# ----
import operator
ops = {"add": operator.add, "mul": operator.mul}
print(ops["add"](1, 2), sorted([("b", 1), ("a", 2)], key=operator.itemgetter(0)))
# ----
from functools import reduce, partial
print(reduce(lambda a, b: a * b, range(1, 10)))
double = partial(lambda a, b: a * b, 2)
print(double(4))
# ----
from types import SimpleNamespace
cfg = SimpleNamespace(system="linux", eval=3)
print(cfg.system, cfg.eval)
# ----
from collections import namedtuple, defaultdict, Counter, deque
P = namedtuple("P", "x y")
d = defaultdict(list)
d["a"].append(P(1, 2))
print(Counter("hello").most_common(1), deque([1], maxlen=3))
# ----
class Matrix:
    def __init__(self, rows):
        self.rows = rows
    def __getitem__(self, k):
        return self.rows[k]
    def __call__(self, x):
        return [r[x] for r in self.rows]
    def __enter__(self):
        return self
    def __exit__(self, *a):
        return False
with Matrix([[1]]) as m:
    print(m[0], m(0))
# ----
class Lazy:
    def __getattr__(self, name):
        return name.upper()
print(Lazy().system, Lazy().popen)
# ----
class Model:
    def __init__(self, **kw):
        for k, v in kw.items():
            setattr(self, k, v)  # expect: computed-attribute
    def __repr__(self):
        return "%s(%r)" % (type(self).__name__, vars(self))
print(Model(a=1))
# ----
import os
print(os.path.join("data", "x.csv"), os.path.exists("x"), os.getcwd(), os.sep)
# ----
from pathlib import Path
for p in Path(".").glob("*.txt"):
    print(p.name, p.stat().st_size, p.read_text()[:10])  # expect: file-open
out = Path("results") / "a" / "b.txt"
# ----
with open("data.txt") as f:  # expect: file-open
    for line in f:
        print(line.strip())
with open("out.txt", "w") as f:  # expect: file-write
    f.write("done")
# ----
import hashlib, base64, secrets
print(hashlib.sha256(b"x").hexdigest(), base64.b64encode(b"y"), secrets.token_hex(4))
print(base64.b64decode("aGVsbG8=").decode())  # expect: decode-call
# ----
def collatz(n):
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        yield n
print(list(collatz(27)))
# ----
def primes():
    n = 2
    while True:
        if all(n % p for p in range(2, int(n ** 0.5) + 1)):
            yield n
        n += 1
# ----
x = 10 ** 100
y = 2 ** 1000
print(x % y, "=" * 80, [0] * 1000000, 1 << 64)
# ----
for i in range(1000):
    for j in range(1000):
        if i * j == 42:
            print(i, j)
# ----
table = [[0] * 100 for _ in range(100)]
for row in table:
    print(*row)
# ----
print("%-10s|%5.2f|%05d" % ("a", 1.5, 3), "{:>10}".format("x"), f"{3.14159:.2f}")
# ----
print("{0.x} {0.y}".format(Point), "{a[0]}".format(a=[1]))
# ----
class A:
    @property
    def value(self):
        return self._v
    @value.setter
    def value(self, v):
        self._v = v
    @classmethod
    def make(cls):
        return cls()
    @staticmethod
    def help():
        return "x"
a = A.make()
a.value = 3
# ----
class Singleton:
    _instance = None
    def __new__(cls, *args):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance
# ----
class Meta(type):
    def __new__(mcs, name, bases, ns):
        return super().__new__(mcs, name, bases, ns)
class X(metaclass=Meta):
    pass
# ----
def handler(event, context=None):
    match event:
        case {"type": "click", "pos": (x, y)}:
            return x + y
        case [first, *rest]:
            return first
        case str() as s:
            return s
        case _:
            return None
# ----
import random
class Game:
    def __init__(self):
        self.running = True
        self.score = 0
    def step(self):
        self.score += random.randint(0, 1)
        if self.score > 10:
            self.running = False
    def run(self):
        while self.running:
            self.step()
Game().run()
# ----
RUNNING = True
def stop():
    global RUNNING
    RUNNING = False
while RUNNING:
    stop()
# ----
DEBUG = False
VERBOSE = True
if VERBOSE:
    print("x")
while not DEBUG:
    break
# ----
import time
start = time.time()
while time.time() - start < 0.1:
    pass
# ----
import heapq
def dijkstra(graph, s):
    dist, pq = {s: 0}, [(0, s)]
    while pq:
        d, u = heapq.heappop(pq)
        for v, w in graph[u]:
            if d + w < dist.get(v, 1e9):
                dist[v] = d + w
                heapq.heappush(pq, (d + w, v))
    return dist
# ----
def solve(board):
    for i in range(9):
        for j in range(9):
            if not board[i][j]:
                for n in range(1, 10):
                    board[i][j] = n
                    if solve(board):
                        return True
                board[i][j] = 0
                return False
    return True
# ----
import string
t = string.Template("hello $name")
print(t.substitute(name="x"), string.ascii_letters)
# ----
import traceback, sys
try:
    1 / 0
except ZeroDivisionError as e:
    traceback.print_exc()
    print(type(e).__name__, e.args, e.__traceback__ is None)
# ----
import inspect
def f(a, b=1): pass
print(inspect.signature(f), inspect.getdoc(f))
# ----
import sys
print(sys.version, sys.argv, sys.maxsize, sys.platform, file=sys.stderr)
# ----
import platform
print(platform.system(), platform.machine())
u = platform.uname()
print(u.system)
# ----
import copy
a = {"x": [1]}
b = copy.deepcopy(a)
b["x"].append(2)
# ----
import sqlite3
db = sqlite3.connect(":memory:")
cur = db.cursor()
cur.execute("create table t (a)")
cur.executemany("insert into t values (?)", [(1,), (2,)])
print(cur.execute("select * from t").fetchall())
# ----
import ast
print(ast.literal_eval("[1, 2]"), ast.dump(ast.parse("1+1")))
# ----
import decimal, fractions, math, statistics
print(decimal.Decimal("1.1"), fractions.Fraction(1, 3), math.factorial(20), statistics.mean([1, 2]))
# ----
import threading  # expect: thread-module
lock = threading.Lock()
def work():
    with lock:
        print("x")
ts = [threading.Thread(target=work) for _ in range(3)]  # expect: thread-start
for t in ts: t.start()
for t in ts: t.join()
# ----
from concurrent.futures import ThreadPoolExecutor  # expect: thread-module
with ThreadPoolExecutor() as ex:  # expect: thread-start
    print(list(ex.map(len, ["a", "bb"])))
# ----
import tempfile, os
with tempfile.TemporaryDirectory() as d:
    p = os.path.join(d, "x")
    with open(p, "w") as f:  # expect: file-write
        f.write("x")
# ----
class Event:
    def __init__(self):
        self.handlers = []
    def on(self, f):
        self.handlers.append(f)
        return f
    def fire(self, *args):
        for h in self.handlers:
            h(*args)
e = Event()
@e.on
def hello(x):
    print(x)
e.fire(1)
# ----
class Visitor:
    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__, self.generic)(node)  # expect: computed-attribute
    def generic(self, node):
        return None
# ----
class Proxy:
    def __init__(self, target):
        self._target = target
    def __getattr__(self, name):
        return getattr(self._target, name)  # expect: computed-attribute
# ----
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(10, 2)
    def forward(self, x):
        return self.fc(x)
net = Net()
net.eval()
# ----
import sympy
x = sympy.symbols("x")
print(sympy.integrate(x ** 2, x), sympy.solve(x ** 2 - 1, x))
# ----
import pandas as pd
df = pd.read_csv("x.csv")
df.plot()
df.to_pickle
df["d"] = pd.to_datetime(df["d"])
print(df.pivot_table(index="a", values="b", aggfunc="mean"))
# ----
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
m = LinearRegression().fit([[1], [2]], [1, 2])
print(m.predict([[3]]), m.coef_)
# ----
retrieval = lambda x: x
def reopen(x): return x
def evaluate(x): return x
def execute(x): return x
print(retrieval (1), reopen(1), evaluate(2), execute(3))
# ----
commands = {"eval": 1, "exec": 2, "system": 3}
for name, value in commands.items():
    print(name, value)
print(commands["eval"], commands.get("system"))
# ----
KEYWORDS = ["import", "exec", "eval", "__import__", "os.system", "subprocess"]
def is_dangerous(s):
    return any(k in s for k in KEYWORDS)
# ----
def render(template, **ctx):
    return template.format(**ctx)
print(render("{name} is {age}", name="x", age=3))
# ----
items = []
for i in range(10):
    items.append(i)
for i in items[:]:
    items.append(i)
# ----
def flatten(x):
    for i in x:
        if isinstance(i, list):
            yield from flatten(i)
        else:
            yield i
print(list(flatten([1, [2, [3]]])))
# ----
def permutations(s):
    if len(s) <= 1:
        return [s]
    return [c + p for i, c in enumerate(s) for p in permutations(s[:i] + s[i+1:])]
# ----
words = "the quick brown fox".split()
print({w: len(w) for w in words}, max(words, key=len), sorted(words, key=str.lower))
# ----
print("".join(chr(ord(c) + 1) for c in "HAL"), bytes([104, 105]).decode(), chr(65))
# ----
def caesar(s, k):
    return "".join(chr((ord(c) - 97 + k) % 26 + 97) if c.isalpha() else c for c in s)
# ----
import codecs
print(codecs.encode("hello", "rot13"), "héllo".encode("utf-8").decode("utf-8"))
# ----
import struct
print(struct.pack("<I", 1), int.from_bytes(b"\x01\x00", "little"), (1024).to_bytes(2, "big"))
# ----
import zlib, gzip
z = zlib.compress(b"x" * 1000)
print(len(z), zlib.decompress(z)[:3])  # expect: decode-call
# ----
import datetime as dt
print(dt.datetime.now().isoformat(), dt.date.today() + dt.timedelta(days=1))
# ----
try:
    import tomllib
except ImportError:
    tomllib = None
print(tomllib)
# ----
import importlib.metadata
import typing as t
print(t.Optional[int])
# ----
def main():
    try:
        n = int("x")
    except ValueError as exc:
        print("bad", exc)
        raise SystemExit(1) from exc
# ----
import abc
class Base(abc.ABC):
    @abc.abstractmethod
    def run(self): ...
class Impl(Base):
    def run(self):
        return 1
print(Impl().run())
# ----
class Task:
    def __init__(self, fn):
        self.fn = fn
    def run(self):
        return self.fn()
t = Task(print)
t.run()
# ----
import subprocess_helper
from mylib import system, popen
system("x"); popen("y")
# ----
def popen(x): return x
def system(x): return x
popen("ls"); system("ls")
# ----
class OS:
    def system(self, x): return x
os = OS()
os.system("ls")
# ----
import turtle as os
os.forward(10)
# ----
def f(eval=None, exec=None, compile=None):
    return eval, exec, compile
f(eval=1)
# ----
import timeit
def f(): return 1
print(timeit.default_timer())
# ----
url = "http://example.com/a/b?c=d"
html = "<a href='../../x'>x</a>"
path = "/usr/share/dict/words"
# ----
sql = "DROP TABLE users; -- rm"
msg = "Use sudo rm to delete"
# ----
import shutil
print(shutil.get_terminal_size(), shutil.which("python"))
# ----
while (n := int(input())) != 0:  # expect: input-call
    print(n)
# ----
def wait(pred):
    for _ in iter(pred, True):
        pass
for line in iter(input, ""):
    print(line)
# ----
with open("f", "rb") as f:  # expect: file-open
    for chunk in iter(lambda: f.read(1024), b""):
        print(len(chunk))
# ----
from itertools import repeat
print(list(map(pow, [1, 2, 3], repeat(2))), list(zip("abc", repeat(1))), list(repeat(0, 5)))
# ----
from itertools import count
for i in count():
    if i > 10:
        break
n = next(i for i in count(1) if i % 7 == 0)
# ----
class Stack(list):
    def push(self, x):
        self.append(x)
s = Stack()
s.push(1)
# ----
import weakref, gc
gc.collect()
print(gc.isenabled())
# ----
def decorator(cls):
    cls.extra = 1
    return cls
@decorator
class C: pass
print(C.extra, C.__name__, C.__doc__, C.__module__)
# ----
class V:
    __slots__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
    def __eq__(self, o): return isinstance(o, V) and (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
    def __repr__(self): return f"{self.__class__.__name__}({self.x}, {self.y})"  # expect: class-name
# ----
import doctest
def add(a, b):
    """
    >>> add(1, 2)
    3
    """
    return a + b
doctest.testmod()
# ----
import warnings
warnings.filterwarnings("ignore")
def deprecated(f):
    warnings.warn("old", DeprecationWarning)
    return f
# ----
import queue
q = queue.Queue()
q.put(1)
while not q.empty():
    print(q.get())
# ----
def run_until_done(tasks):
    while tasks:
        t = tasks.pop(0)
        try:
            next(t)
            tasks.append(t)
        except StopIteration:
            pass
# ----
class State:
    def run(self):
        state = self.start
        while True:
            state = state()
            if not state:
                break
    def start(self):
        return None
# ----
class Bot:
    def __init__(self):
        self.commands = {"help": self.help, "eval": self.evaluate}
    def help(self): return "help"
    def evaluate(self): return 42
    def handle(self, name):
        return self.commands[name]()
Bot().handle("eval")
# ----
import os
class Store:
    def __init__(self, root):
        self.root = root
    def path(self, name):
        return os.path.join(self.root, name)
    def remove(self, name):
        del self.items[name]
s = Store("/tmp")
s.path("x"); s.remove("y")
# ----
import sys
sys.stdout.write("x\n")
sys.stdout.flush()
sys.path.append(".")
# ----
from tqdm import tqdm
for i in tqdm(range(100)):
    pass
# ----
def knapsack(w, v, cap):
    dp = [0] * (cap + 1)
    for i in range(len(w)):
        for c in range(cap, w[i] - 1, -1):
            dp[c] = max(dp[c], dp[c - w[i]] + v[i])
    return dp[cap]
# ----
MOD = 10**9 + 7
def power(b, e):
    r = 1
    while e:
        if e & 1: r = r * b % MOD
        b = b * b % MOD
        e >>= 1
    return r
print(pow(3, 10**18, MOD))
# ----
n = 10
n **= 2
n <<= 3
s = "ab"
s *= 3
# ----
lines = ["a | b", "curl is a tool", "wget downloads; a | shows"]
print("use a|sh to pipe")
# ----
class Env:
    def __init__(self):
        self.state = 0
    def step(self, action):
        self.state += action
        return self.state, 1.0, self.state > 10, {}
    def reset(self):
        self.state = 0
        return self.state
env = Env()
obs = env.reset()
done = False
while not done:
    obs, r, done, info = env.step(1)
# ----
import statistics as st
class Stats:
    def __init__(self, xs): self.xs = list(xs)
    @property
    def mean(self): return st.mean(self.xs)
    def system(self): return "metric"
print(Stats([1, 2]).mean, Stats([1]).system())
# ----
# profile: restricted
class A:
    def __init__(self, obj):
        self.obj = obj


print(A(1).obj)
# ----
# profile: restricted
for i in range(1000):
    print(list([i]))
