# SPDX-License-Identifier: Apache-2.0
# profile: strict
# The names of builtins, assigned where that need not come first: the builtin is what may run.
# ----
eval = eval  # expect: code-reference
eval("6*7")  # expect: eval-call
# ----
for exec in ():
    pass
exec("1")  # expect: exec-call
# ----
if 0:
    eval = 3
eval("1")  # expect: eval-call
# ----
eval("1")  # expect: eval-call
eval = 3
# ----
eval = 3
del eval
eval("1")  # expect: eval-call
# ----
try:
    pass
except Exception as eval:
    pass
eval("1")  # expect: eval-call
# ----
try:
    1 / 0
    eval = 3
except ZeroDivisionError:
    eval("1")  # expect: eval-call
# ----
import contextlib
with contextlib.suppress(ZeroDivisionError):
    1 / 0
    eval = 3
eval("1")  # expect: eval-call
# ----
import contextlib
with contextlib.suppress(TypeError) as (eval, x):
    pass
eval("1")  # expect: eval-call
# ----
match 3:
    case 4 as eval:
        pass
eval("1")  # expect: eval-call
# ----
match [3]:
    case {"a": eval}:
        pass
    case [3, *eval]:
        pass
    case {**eval}:
        pass
eval("1")  # expect: eval-call
# ----
class A:
    def eval(self):
        pass
eval("1")  # expect: eval-call
# ----
if 0:
    class exec:
        pass
exec("1")  # expect: exec-call
# ----
def f():
    global eval
    eval = 3
eval("1")  # expect: eval-call
# ----
def f():
    global eval
    if 0:
        eval = 3
    return eval("1")  # expect: eval-call
f()
# ----
def f():
    return eval("1")  # expect: eval-call
f()
eval = 3
# ----
import atexit
@atexit.register  # expect: exit-hook
def f():
    return eval("1")  # expect: eval-call
1 / 0
eval = 3
# ----
f = lambda: eval("1")  # expect: eval-call
f()
eval = 3
# ----
class A:
    def __init__(self):
        eval("1")  # expect: eval-call
A()
eval = 3
# ----
class A:
    if 0:
        eval = 3
    x = eval("1")  # expect: eval-call
# ----
eval = 3
class A:
    if 0:
        del eval
    eval("1")  # expect: eval-call
# ----
class M(type):
    def __init_subclass__(cls):
        eval("1")  # expect: eval-call
class A(M):
    pass
eval = 3
# ----
def f():
    eval = print
    class A:
        if 0:
            eval = 3
        x = eval("1")  # expect: eval-call
f()
# ----
import os
f = os.system  # expect: shell-command
class A:
    if 0:
        f = print
    f("ls")  # expect: shell-command
# ----
[(eval := 3) for x in ()]
eval("1")  # expect: eval-call
# ----
0 and (eval := 3)
eval("1")  # expect: eval-call
# ----
1 if 1 else (eval := 3)
eval("1")  # expect: eval-call
# ----
2 < 1 < (eval := 3)
eval("1")  # expect: eval-call
# ----
while 0:
    eval = 3
eval("1")  # expect: eval-call
# ----
for x in [1]:
    if x:
        break
    eval = 3
eval("1")  # expect: eval-call
# ----
while True:
    if 1:
        break
    eval = 3
eval("1")  # expect: eval-call
# ----
eval: int
eval("1")  # expect: eval-call
# ----
assert 1, (eval := 3)
eval("1")  # expect: eval-call
# ----
(lambda: (eval := 3))
eval("1")  # expect: eval-call
# ----
from math import *
eval("1")  # expect: eval-call
# ----
try:
    import eval
except ImportError:
    pass
eval("1")  # expect: eval-call
# ----
try:
    from m import x as eval
except ImportError:
    pass
eval("1")  # expect: eval-call
# ----
eval = print
globals().pop("eval")  # expect: namespace-access
eval("1")  # expect: eval-call
# ----
eval = print
import __main__
delattr(__main__, "eval")
eval("1")  # expect: eval-call
# ----
for eval in ():
    pass
list(map(eval, ["1"]))  # expect: code-reference
# ----
for eval in [print]:
    pass
list(map(eval, ["1"]))  # expect: code-reference
# ----
for eval in ():
    pass
f = eval  # expect: code-reference
f("1")  # expect: eval-call
# ----
for exec in ():
    pass
@exec  # expect: exec-call
def f():
    pass
# ----
for __import__ in ():
    pass
__import__("os").system("id")  # expect: import-call, shell-command
# ----
for compile in ():
    pass
compile("1", "", "exec")  # expect: compile-call
# ----
try:
    pass
finally:
    if 0:
        eval = 3
eval("1")  # expect: eval-call
# ----
async def f():
    async for eval in g():
        pass
    eval("1")
def h():
    return eval("1")  # expect: eval-call
# ----
if 0:
    __builtins__ = None
__builtins__.eval("1")  # expect: eval-call
# ----
def outer():
    def inner():
        return eval("1")  # expect: eval-call
    return inner()
outer()
eval = outer
# ----
type eval = int
del eval
eval("1")  # expect: eval-call
