# SPDX-License-Identifier: Apache-2.0
# __debug__ is a constant, wherever it would be bound.
# Programs end at lines of dashes.
# ----
return
__debug__ = 1
# ----
return
import a as __debug__
# ----
return
f(__debug__=1)
# ----
return
x.__debug__ = 1
# ----
del x.__debug__
# ----
return
def f(__debug__): pass
# ----
match x:
  case A(__debug__=1): pass
# ----
match x:
  case __debug__: pass
# ----
x.__debug__ += 1
# ----
x.
 __debug__ = 1
# ----
x\
  .__debug__ = 1
# ----
__debug__ += 1
# ----
(__debug__ := 1)
# ----
for __debug__ in x: pass
# ----
with x as __debug__: pass
# ----
try: pass
except A as __debug__: pass
# ----
def __debug__(): pass
# ----
class __debug__: pass
# ----
@x
def __debug__(): pass
# ----
lambda __debug__: 1
# ----
lambda *__debug__: 1
# ----
del __debug__
# ----
global __debug__
# ----
import __debug__
# ----
import __debug__.x
# ----
from x import __debug__
# ----
from x import y as __debug__
# ----
class A(__debug__=1): pass
# ----
__debug__: int
# ----
x.__debug__: int
# ----
__debug__: int = 3
# ----
[__debug__ for __debug__ in x]
# ----
match x:
  case [__debug__]: pass
# ----
match x:
  case {**__debug__}: pass
# ----
match x:
  case 1 as __debug__: pass
# ----
match x:
  case [*__debug__]: pass
# ----
def f(a, *, __debug__=3): pass
# ----
x is __debug__
# ----
x.__debug__: int = 1
# ----
__debug__()
# ----
__debug__[1]
# ----
(__debug__): int
# ----
(__debug__): int = 1
# ----
(__debug__): int
return
# ----
return
(__debug__): int
# ----
(__debug__): int
def f(a,a):pass
# ----
__debug__: int
def f(a,a):pass
# ----
def f():
 try:
  return 1
 finally:
  __debug__ = 1
 break
