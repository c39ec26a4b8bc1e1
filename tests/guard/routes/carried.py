# SPDX-License-Identifier: Apache-2.0
# profile: standard
# What classes, containers and calls carry from one place to another.
# ----
import os
class Tool:
    def __init__(self):
        self.os = os
    def go(self):
        self.os.system("ls")  # expect: shell-command
# ----
import os
class Tool:
    run = os.system  # expect: shell-command
Tool().run("ls")  # expect: shell-command
# ----
import os
class Tool:
    run = staticmethod(os.system)  # expect: shell-command
    def go(self):
        self.run("ls")  # expect: shell-command
# ----
import subprocess  # expect: process-module
class A:
    def __init__(self, m=subprocess):
        self.m = m
    def go(self):
        return self.m.run(["ls"])  # expect: process-start
# ----
class A:
    def __init__(self):
        self.f = eval  # expect: code-reference
    def go(self, s):
        return self.f(s)  # expect: eval-call
# ----
class A:
    def helper(self):
        return exec  # expect: code-reference
    def go(self, s):
        self.helper()(s)  # expect: exec-call
# ----
class A:
    @property
    def f(self):
        return eval  # expect: code-reference
A().f("1")  # expect: eval-call
# ----
class A:
    name = "sys" + "tem"
    def go(self):
        import os
        return getattr(os, self.name)("ls")  # expect: hidden-name, shell-command
# ----
class A:
    def __init__(self):
        self.parts = ["sys", "tem"]
    def go(self):
        import os
        getattr(os, "".join(self.parts))("ls")  # expect: hidden-name, shell-command
# ----
def outer():
    import os
    def inner():
        return os.system  # expect: shell-command
    return inner
outer()()("ls")  # expect: shell-command
# ----
def outer():
    f = eval  # expect: code-reference
    def inner(x):
        return f(x)  # expect: eval-call
    return inner
# ----
import os
def make():
    m = os
    return lambda c: m.system(c)  # expect: shell-command
make()("ls")
# ----
import os
[m.system("ls") for m in [os]]  # expect: shell-command
# ----
import os
{k: f("ls") for k, f in {"a": os.system}.items()}  # expect: shell-command
# ----
import os
[(m := os), m.system("ls")]  # expect: shell-command
# ----
if (e := eval):  # expect: code-reference
    e("1")  # expect: eval-call
# ----
import os, sys
first, *rest = [os, sys]
first.system("ls")  # expect: shell-command
# ----
import os, sys
*rest, last = sys, os
last.system("ls")  # expect: shell-command
# ----
import os, sys
first, *rest = (sys, os)
rest[0].system("ls")  # expect: shell-command
# ----
import os
(a, (b, c)) = (1, (2, os))
c.system("ls")  # expect: shell-command
# ----
import os
tools = {"run": os.system}  # expect: shell-command
tools["run"]("ls")  # expect: shell-command
# ----
import os
tools = {}
tools["run"] = os.system  # expect: shell-command
tools["run"]("ls")  # expect: shell-command
# ----
import os
tools = []
tools.append(os)
tools[0].system("ls")  # expect: shell-command
# ----
import os
tools = dict(run=os.system)  # expect: shell-command
tools.get("run")("ls")  # expect: shell-command
# ----
import os
def call(f, **kw):
    return f(kw["cmd"])  # expect: shell-command
call(os.system, cmd="ls")  # expect: shell-command
# ----
import os
def call(**kw):
    return kw["m"].system("ls")  # expect: shell-command
call(m=os)
# ----
import os
def call(*args):
    args[0].system("ls")  # expect: shell-command
call(os)
# ----
import os
opts = {"m": os}
def call(m):
    m.system("ls")  # expect: shell-command
call(**opts)
# ----
from functools import partial
import os
run = partial(os.system, "ls")  # expect: shell-command
run()  # expect: shell-command
# ----
from functools import partial
import os
get = partial(getattr, os)
get("system")("ls")  # expect: shell-command
# ----
from functools import partial
import builtins
partial(getattr, builtins, "ev" + "al")()("1")  # expect: eval-call, hidden-name
# ----
from functools import reduce
import os
reduce(getattr, ["path", "os", "system"], os)("ls")  # expect: shell-command
# ----
from functools import reduce
name = reduce(lambda a, b: a + b, ["e", "v", "a", "l"])
getattr(__builtins__, name)("1")  # expect: builtins-access, eval-call, hidden-name
# ----
import functools, operator, os
getattr(os, functools.reduce(operator.add, ["sy", "st", "em"]))("ls")  # expect: hidden-name, shell-command
# ----
list(map(eval, ["1+1"]))  # expect: code-reference
# ----
import os
list(map(lambda f: f("ls"), [os.system]))  # expect: shell-command
# ----
import os
sorted(["ls"], key=os.system)  # expect: shell-command
# ----
max(["1"], key=eval)  # expect: code-reference
# ----
list(filter(exec, ["print(1)"]))  # expect: code-reference
# ----
import os
(lambda f=os.system: f("ls"))()  # expect: shell-command
# ----
import os
def f(c, *, run=os.system):  # expect: shell-command
    run(c)  # expect: shell-command
# ----
import os
@os.system  # expect: shell-command
def ls():
    pass
# ----
@exec  # expect: exec-call
@lambda f: "print(1)"
def x(): pass
# ----
def deco(name):
    def wrap(f):
        return eval(name)  # expect: eval-call
    return wrap
@deco("1")
def f(): pass
# ----
@eval  # expect: eval-call
@str
class X: pass
# ----
import contextlib, os
@contextlib.contextmanager
def m():
    yield os
with m() as o:
    o.system("ls")  # expect: shell-command
# ----
import os
class CM:
    def __enter__(self):
        return os
    def __exit__(self, *a):
        pass
with CM() as o:
    o.system("ls")  # expect: shell-command
# ----
import contextlib, os
with contextlib.nullcontext(os) as o:
    o.system("ls")  # expect: shell-command
# ----
import asyncio
async def main():
    p = await asyncio.create_subprocess_shell("ls")  # expect: shell-command
asyncio.run(main())
# ----
import os
async def get():
    return os
async def main():
    (await get()).system("ls")  # expect: shell-command
# ----
class M(type):
    __getitem__ = lambda cls, x: exec(x)  # expect: exec-call
class X(metaclass=M): pass
X["print(1)"]
# ----
class M(type):
    __getitem__ = exec  # expect: code-reference
class X(metaclass=M): pass
X["print(1)"]
# ----
class E(Exception):
    __add__ = eval  # expect: code-reference
try:
    raise E
except E as e:
    e + "1"
# ----
class E(BaseException):
    def __new__(cls, *a):
        return __import__("os").system("ls")  # expect: dynamic-import, import-call, shell-command
# ----
class X:
    exec("print(1)")  # expect: exec-call
# ----
class X:
    __getattr__ = __import__  # expect: code-reference
# ----
import os
class D:
    def __get__(self, obj, owner):
        return os
class X:
    d = D()
X().d.system("ls")  # expect: shell-command
# ----
import os
os.system.__get__(None)  # expect: shell-command
# ----
import operator, os
operator.methodcaller("system", "ls")(os)  # expect: shell-command
# ----
import operator, os
operator.itemgetter(0)([os]).system("ls")  # expect: shell-command
# ----
import operator
operator.call(eval, "1")  # expect: code-reference
# ----
import operator, os
operator.itemgetter("system")(vars(os))("ls")  # expect: shell-command
# ----
import operator, os
operator.attrgetter("path.os.system")(os)("ls")  # expect: shell-command
# ----
import types
f = types.FunctionType(compile("print(1)", "", "exec"), {})  # expect: code-object, compile-call
f()
# ----
(lambda: 0).__class__((lambda: 1).__code__, {})()  # expect: dunder-attribute, function-internals
# ----
type(lambda: 0)(compile("1", "", "eval"), {})()  # expect: code-object, compile-call
# ----
(exec if 1 else print)("1")  # expect: exec-call
# ----
(None or eval)("1")  # expect: eval-call
# ----
(print and eval)("1")  # expect: eval-call
# ----
[eval][0]("1")  # expect: code-reference, eval-call
# ----
[print, exec][True]("1")  # expect: code-reference, exec-call
# ----
(lambda: exec)()("1")  # expect: code-reference, exec-call
# ----
(lambda f: f("1"))(exec)  # expect: code-reference, exec-call
# ----
{"e": eval}.get("e")("1")  # expect: code-reference, eval-call
# ----
{"e": eval}.pop("e")("1")  # expect: code-reference, eval-call
# ----
next(iter([eval]))("1")  # expect: code-reference, eval-call
# ----
[*map(lambda x: x, [eval])][0]("1")  # expect: code-reference, eval-call
# ----
max([eval], key=id)("1")  # expect: code-reference, eval-call
# ----
(x for x in [eval]).__next__()("1")  # expect: code-reference, eval-call
# ----
def g():
    yield eval  # expect: code-reference
next(g())("1")  # expect: eval-call
# ----
def g():
    yield eval  # expect: code-reference
for f in g():
    f("1")  # expect: eval-call
# ----
match eval:  # expect: code-reference
    case f:
        f("1")  # expect: eval-call
# ----
import os
match os:
    case m:
        m.system("ls")  # expect: shell-command
# ----
import os
match {"m": os}:
    case {"m": m}:
        m.system("ls")  # expect: shell-command
# ----
import os
match [1, os]:
    case [_, m]:
        m.system("ls")  # expect: shell-command
# ----
global_eval = eval  # expect: code-reference
def f():
    global global_eval
    global_eval("1")  # expect: eval-call
# ----
try:
    f = eval  # expect: code-reference
finally:
    f("1")  # expect: eval-call
# ----
e = [eval]  # expect: code-reference
e2 = e
for i in e2:
    i("1")  # expect: eval-call
# ----
import copy
copy.deepcopy(eval)("1")  # expect: code-reference, eval-call
# ----
from types import SimpleNamespace
import os
ns = SimpleNamespace(run=os.system)  # expect: shell-command
ns.run("ls")  # expect: shell-command
# ----
from collections import namedtuple
import os
T = namedtuple("T", "m")
t = T(os)
t.m.system("ls")  # expect: shell-command
# ----
from dataclasses import dataclass
import os
@dataclass
class T:
    m: object = os
T().m.system("ls")  # expect: shell-command
# ----
import os
class A:
    pass
a = A()
a.m = os
a.m.system("ls")  # expect: shell-command
# ----
import os
class A:
    pass
A.m = os
A().m.system("ls")  # expect: shell-command
# ----
import os
def f():
    pass
f.m = os
f.m.system("ls")  # expect: shell-command
# ----
import os
class A:
    @classmethod
    def set(cls):
        cls.m = os
    @classmethod
    def go(cls):
        cls.m.system("ls")  # expect: shell-command
# ----
import os
class Base:
    m = os
class Child(Base):
    def go(self):
        self.m.system("ls")  # expect: shell-command
# ----
import os
class Base:
    def get(self):
        return os
class Child(Base):
    def go(self):
        super().get().system("ls")  # expect: shell-command
# ----
import os
class A:
    def go(self, f):
        f("ls")  # expect: shell-command
A().go(os.system)  # expect: shell-command
# ----
import os
class A:
    def __call__(self):
        return os
A()().system("ls")  # expect: shell-command
# ----
import os
class A:
    def __getitem__(self, k):
        return os
A()[0].system("ls")  # expect: shell-command
# ----
import os
class A:
    def __getattr__(self, name):
        return getattr(os, name)  # expect: computed-module-attribute
A().system("ls")
# ----
import os
getattr(os, "".join([*"sys", *"tem"]))("ls")  # expect: shell-command, hidden-name
# ----
import os
[*[1, 2], os.system][2]("ls")  # expect: shell-command
# ----
{**{"e": eval}, "p": print}["e"]("1")  # expect: eval-call
# ----
a = {"f": exec}  # expect: code-reference
b = {**a}
b["f"]("1")  # expect: exec-call
# ----
import itertools
x = [0, *itertools.count()]  # expect: endless-iteration
# ----
first, *rest = [print, exec]  # expect: code-reference
rest[0]("1")  # expect: exec-call
# ----
import os
getattr(os, "%(a)stem" % {"a": "sys"})("ls")  # expect: shell-command, hidden-name
# ----
import sys, os
a, *b = [sys, os]
b[0].system("ls")  # expect: shell-command
# ----
import sys
sys.modules[__name__].__dict__["__builtins__"].eval("1")  # expect: builtins-access, eval-call
# ----
import os
@lambda f: os
def m(): pass
m.system("ls")  # expect: shell-command
# ----
import os
def put(f): return os
@put
class m: pass
m.system("ls")  # expect: shell-command
# ----
import os
class put:
    def __new__(cls, f): return os
@put
def m(): pass
m.system("ls")  # expect: shell-command
# ----
import os
def put(f):
    def inner(): return os
    return inner
@put
def m(): pass
m().system("ls")  # expect: shell-command
# ----
import os
*a, b = 1, 2, os
b.system("ls")  # expect: shell-command
# ----
import os
[*a, b], c = [[1, os], 2]
b.system("ls")  # expect: shell-command
# ----
import os
l = [None]
l[:] = [os]
l[0].system("ls")  # expect: shell-command
# ----
import os
from collections import deque
deque([os]).pop().system("ls")  # expect: shell-command
# ----
import os
class P: pass
p = P()
setattr(p, "b", os)
p.b.system("ls")  # expect: shell-command
# ----
import os
class P:
    def __init__(self, b):
        setattr(self, "b", b)
    def go(self):
        setattr(self, "c", os)
P(1).c.system("ls")  # expect: shell-command
# ----
import os, asyncio
async def f(): return os
asyncio.run(f()).system("ls")  # expect: shell-command
# ----
import inspect
def f(x: "1"): pass
inspect.signature(f, eval_str=True)  # expect: exec-by-library
# ----
import inspect as i
def f(x: "1"): pass
i.get_annotations(f, globals(), None, eval_str=f)  # expect: exec-by-library, namespace-access
