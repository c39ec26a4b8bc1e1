# SPDX-License-Identifier: Apache-2.0
# profile: standard
# More that is innocent: names that look like doors but are people's own, and limits that are met.
# ----
def exec(statement):
    return statement


exec("SELECT 1")
# ----
class Database:
    def execute(self, sql):
        return self.cursor().exec(sql)
# ----
def f(compile):
    return compile("x")
# ----
def f():
    eval = len
    return eval("x")
# ----
for eval in [len]:
    eval("x")
# ----
from mymath import evaluate as eval
eval("a + b")
# ----
import regex as re
re.compile("x")
# ----
from sympy import compile
compile("x")
# ----
lambda exec: exec("x")
# ----
[eval("x") for eval in (len,)]
# ----
with open_it() as os:
    os.system("x")
# ----
try:
    pass
except Exception as os:
    os.system
# ----
import numpy as os
os.system
# ----
import yaml
yaml.safe_load("x")
yaml.load("x", Loader=yaml.SafeLoader)
# ----
import numpy as np
np.load("x.npy")
# ----
x = 2 ** 100
y = 10 ** 100
z = 1 << 1000
# ----
x = [0] * 10_000_000
# ----
for i in range(10**6):
    pass
# ----
x = "%10d" % 1
y = "{:>20}".format(1)
z = f"{1:010.3f}"
# ----
x = sum(range(1000000))
# ----
import time
while time.time() < 10:
    time.sleep(0.1)
# ----
done = False
while not done:
    done = True
# ----
n = 10
while n:
    n -= 1
# ----
lines = []
while len(lines) < 4:
    lines.append("x")
# ----
stack = [1]
while stack:
    stack.pop()
# ----
try:
    while True:
        next(iterator)
except StopIteration:
    pass
# ----
class Worker:
    running = True

    def run(self):
        while self.running:
            self.step()
# ----
async def consume(queue):
    while True:
        item = await queue.get()
        if item is None:
            return
# ----
import itertools
for i in itertools.count():
    try:
        step(i)
    except IndexError:
        break
# ----
import itertools
ids = itertools.count(1)
print(next(ids), next(ids))
# ----
import itertools
for a, b in zip(itertools.cycle("ab"), range(5)):
    print(a, b)
# ----
person.name = "x"
del person.age
# ----
config = Config()
config.system = "linux"
config.environ = {}
# ----
import logging
logging.getLogger().setLevel("INFO")
# ----
import decimal
decimal.getcontext().prec = 50
# ----
import matplotlib.pyplot as plt
plt.rcParams["figure.figsize"] = (8, 6)
# ----
import pandas as pd
pd.options.display.max_rows = 10
# ----
import random
random.seed(1)
# ----
print("rm -r build", "mkfs is a program", "dd of things")
# ----
print("Press Ctrl-C, then rm the file")
# ----
path = "/etc"
print("see /usr/share/doc")
# ----
import pathlib
print(pathlib.Path("data") / "x.csv")
# ----
print(person.__class__)  # expect: dunder-attribute
# ----
print(type(person).__name__, person.__doc__, len.__name__)
# ----
class A:
    __slots__ = ()
    __hash__ = None

    def __reversed__(self):
        return iter(())

    def __class_getitem__(cls, item):
        return cls
# ----
class Node:
    def __getstate__(self):
        return {}

    def __setstate__(self, state):
        pass
# ----
def f():
    f.calls = 1


f()
# ----
import sys
sys.stdout.write("x")
sys.setrecursionlimit(5000)  # expect: limit-change
# ----
text = "c3lzdGVt"
print(text[::-1], "".join(reversed(text)))
# ----
secret = "".join(chr(ord(c) + 1) for c in "ABC")
# ----
"{0.real} {0.imag} {1[0]}".format(1j, [1])
# ----
getattr(obj, f"visit_{type(node).__name__}")(node)  # expect: computed-attribute
# ----
from collections import ChainMap as globals
globals({})
# ----
def vars(x):
    return x


vars(1)
# ----
import inspect
def f(x: int): pass
print(inspect.signature(f), inspect.get_annotations(f), inspect.signature(f, eval_str=False))
# ----
import functools


def timed(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner


@timed
def work(x):
    return x


print(work(3))
# ----
class Single:
    made = None

    def __new__(cls, *args):
        cls.made = cls.made or super().__new__(cls)
        return cls.made


print(Single().made)
# ----
first, *middle, last = [1, 2, 3]
middle[:] = [last]
