# SPDX-License-Identifier: Apache-2.0
# profile: strict
# allowed
# Objects, methods and containers that only look like what the guard follows.
# ----
class Calculator:
    def __init__(self):
        self.ops = {"+": self.add, "eval": self.eval}
    def add(self, a, b):
        return a + b
    def eval(self, text):
        return len(text)
    def run(self, name, *args):
        return self.ops[name](*args)
c = Calculator()
print(c.run("+", 1, 2), c.eval("1 + 1"))
# ----
class Shell:
    def __init__(self, system, popen):
        self.system = system
        self.popen = popen
    def exec(self, command):
        return self.system(command)
Shell(print, len).exec("ls")
# ----
class Os:
    environ = {}
    def system(self, x):
        return x
    def remove(self, x):
        return self.environ.pop(x, None)
class App:
    def __init__(self):
        self.os = Os()
    def go(self):
        self.os.system("x")
        self.os.remove("y")
        return self.os.environ
App().go()
# ----
import os
class Files:
    def __init__(self, base):
        self.base = os.path.abspath(base)
        self.names = os.listdir(base)  # expect: file-open
        self.sep = os.sep
    def remove(self, name):
        self.names.remove(name)
    def system(self):
        return self.sep
f = Files(".")
f.remove("x")
print(f.system())
# ----
import sys
class Tee:
    def __init__(self):
        self.out = sys.stdout
        self.argv = sys.argv
    def write(self, text):
        self.out.write(text)
sys.stdout = Tee()
# ----
import json
class Codec:
    loads = staticmethod(json.loads)
    dumps = json.dumps
    def __init__(self):
        self.load = json.load
        self.load = None
print(Codec.loads("1"))
# ----
class Registry:
    def __init__(self):
        self.items = {}
    def register(self, name):
        def wrap(f):
            self.items[name] = f
            return f
        return wrap
    def __getitem__(self, name):
        return self.items[name]
r = Registry()
@r.register("exec")
def run(x):
    return x
r["exec"]("print(1)")
# ----
class Timer:
    def __enter__(self):
        self.start = 0
        return self
    def __exit__(self, *args):
        self.end = 1
with Timer() as t:
    pass
print(t.end - t.start)
# ----
class Fluent:
    def open(self):
        return self
    def system(self, name):
        self.name = name
        return self
    def eval(self):
        return self.name
print(Fluent().open().system("x").eval())
# ----
class Account:
    def __init__(self, balance=0):
        self._balance = balance
    @property
    def balance(self):
        return self._balance
    @balance.setter
    def balance(self, value):
        if value < 0:
            raise ValueError("negative")
        self._balance = value
a = Account(10)
a.balance -= 3
# ----
class Loop:
    def __init__(self):
        self.stop = False
        self.queue = []
    def run(self):
        while not self.stop:
            if self.queue:
                self.queue.pop()()
            else:
                self.stop = True
Loop().run()
# ----
class Machine:
    state = "idle"
    def step(self):
        match self.state:
            case "idle":
                self.state = "busy"
            case "busy" | "done":
                self.state = "idle"
            case other:
                raise ValueError(other)
m = Machine()
m.step()
# ----
class Tokenizer:
    def __init__(self, text):
        self.text = text
        self.at = 0
    def __iter__(self):
        return self
    def __next__(self):
        if self.at >= len(self.text):
            raise StopIteration
        self.at += 1
        return self.text[self.at - 1]
print(list(Tokenizer("abc")))
# ----
class Countdown:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        while True:
            if self.n <= 0:
                return
            yield self.n
            self.n -= 1
print(list(Countdown(3)))
# ----
stack = []
stack.append(1)
stack.append(2)
while stack:
    x = stack.pop()
    if x == 2:
        stack.append(0)
# ----
seen = {}
seen["a"] = print
seen["b"] = len
seen["a"]("x")
print(seen["b"]("abc"))
# ----
def dispatch(name):
    table = {}
    table["open"] = lambda: 1
    table["exec"] = lambda: 2
    return table[name]()
print(dispatch("exec"))
# ----
def gen():
    x = yield 1
    print(x)
    yield from [2, 3]
for v in gen():
    print(v)
# ----
from functools import reduce
import operator
print(reduce(operator.add, ["a", "b"]), reduce(max, [1, 2, 3]), reduce(lambda d, k: d[k], ["a", "b"], {"a": {"b": 1}}))
# ----
from types import SimpleNamespace
import random
opts = SimpleNamespace(system="x", open=len, run=print)
opts.run(opts.open("abc"), opts.system, random.choice([1, 2]))
# ----
import math
while math.isfinite(1.0):
    break
x = 1
while x < 100 and True:
    x *= 2
# ----
while len(input()) > 0:  # expect: input-call
    pass
# ----
def ready():
    return globals_ready
globals_ready = False
while not ready():
    globals_ready = True
# ----
done = False
while True:
    if not done:
        done = True
    else:
        break
# ----
for row in range(100):
    for col in range(100):
        for k in range(100):
            pass
grid = [[0 for _ in range(100)] for _ in range(100)]
pairs = [(i, j) for i in range(1000) for j in range(1000)]
# ----
text = "x" * 1000
pad = text.ljust(2000).center(3000).zfill(10)
print("%*d" % (10, 5), "{:{w}}".format("a", w=10), f"{1:{5}}")
# ----
import numpy as np
x = np.zeros((100, 100)) + np.ones((100, 100)) + np.arange(10000).reshape(100, 100)
y = np.full((3, 3), 7)
# ----
code = "x = 1"
print(len(code), code.split())
import textwrap
print(textwrap.dedent(code))
# ----
import timeit
def f():
    return sum(range(10))
print(f())
# ----
url = "https://example.com/curl?x=1"
usage = "usage: tool | less"
help_text = "Install with: pip install x, then run the shell"
# ----
from pathlib import Path
root = Path.home() / "projects" / "data"
conf = root / "settings.json"
print(conf.name, conf.suffix, conf.parent)
# ----
import os.path
print(os.path.join("a", "b", "c.txt"), os.path.join("/tmp", "x"), "/".join(["a", "b"]))
# ----
import itertools
a = itertools.chain([1], [2], range(3))
print(list(a), dict(zip("ab", itertools.count())), [x for x, _ in zip("abc", itertools.repeat(1))])
# ----
from collections import deque, Counter
d = deque([1, 2], maxlen=10)
d.extend([3, 4])
c = Counter("abc")
print(dict.fromkeys("abc", 0), *d, [*c])
# ----
n = 5
n *= 10
n **= 2
n <<= 2
xs = [0]
xs *= 5
# ----
π = 3.14159
größe = 2 * π
naïve = "é"
print(größe, naïve)
# ----
class Дом:
    комната = 1
    def открыть(self):
        return self.комната
print(Дом().открыть())
# ----
import typing
def f(x: "typing.Optional[int]" = None) -> "list[str]":
    return [str(x)]
# ----
def apply(f, *args, **kwargs):
    return f(*args, **kwargs)
print(apply(max, 1, 2), apply(sorted, [2, 1], reverse=True))
# ----
class Base:
    def run(self):
        return self.work()
    def work(self):
        raise NotImplementedError
class Child(Base):
    def work(self):
        return super().__init__()
Child().run()
# ----
class P:
    def __reduce__(self):  # expect: reduce-method
        return (P, ())
    def __getstate__(self):
        return {}
# ----
import copy
class Tree:
    def __init__(self, left=None, right=None):
        self.left, self.right = left, right
    def clone(self):
        return copy.deepcopy(self)
    def depth(self):
        return 1 + max(self.left.depth() if self.left else 0, self.right.depth() if self.right else 0)
print(Tree(Tree()).clone().depth())
# ----
if __name__ == "__main__":
    import sys
    print(sys.modules[__name__])
# ----
import unittest
from unittest import mock
class T(unittest.TestCase):
    def test(self):
        m = mock.Mock()
        m.system("ls")
        m.eval("1")
        m.system.assert_called_once_with("ls")
# ----
import click
@click.command()
@click.option("--exec", "exec_")
def cli(exec_):
    click.echo(exec_)
# ----
class Signal:
    def __init__(self):
        self.slots = []
    def connect(self, f):
        self.slots.append(f)
    def emit(self, *a):
        for f in self.slots:
            f(*a)
s = Signal()
s.connect(print)
s.emit(1)
# ----
def memo(f):
    cache = {}
    def inner(n):
        if n not in cache:
            cache[n] = f(n)
        return cache[n]
    return inner
@memo
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(50))
