# SPDX-License-Identifier: Apache-2.0
# What changed from version to version without a chapter of its own: warnings, errors, words.
# Programs end at lines of dashes.
# ----
'\d'
# ----
b'\d'
# ----
'\777'
# ----
b'\400'
# ----
'''
\d'''
# ----
x = 1if y else 2
# ----
x = 0or 1
# ----
x = 0x1for x in y
# ----
[0x1for x in y]
# ----
1and 2
# ----
1_
# ----
0777
# ----
1__0
# ----
0b2
# ----
0o8
# ----
0xg
# ----
1e
# ----
1.5abc
# ----
1a
# ----
x is 1
# ----
x is 'a'
# ----
x is not ()
# ----
assert (x, 'y')
# ----
1()
# ----
(1, 2)(3)
# ----
[1, 2]['a']
# ----
'a'[1.5]
# ----
[1](2)
# ----
{}[0](1)
# ----
return 1
# ----
yield 1
# ----
await x
# ----
class A: return 1
# ----
class A: (yield)
# ----
def f(): await x
# ----
async def f(): yield from x
# ----
async def f():
    yield 1
    return 2
# ----
break
# ----
continue
# ----
for x in y: pass
else: break
# ----
nonlocal x
# ----
def f(): nonlocal x
# ----
def f(x): global x
# ----
def f():
    x = 1
    global x
# ----
def f():
    print(x)
    global x
# ----
def f(a, a): pass
# ----
lambda a, a: 1
# ----
f(a=1, a=2)
# ----
f(**a, *b)
# ----
f(a=1, 2)
# ----
f(**a, 2)
# ----
f(x for x in y, 1)
# ----
def f(a=1, b): pass
# ----
def f(*): pass
# ----
def f(*, **k): pass
# ----
def f(a, /, b, /): pass
# ----
def f(*a, *b): pass
# ----
def f(*a, /): pass
# ----
def f((a, b)): pass
# ----
lambda (a, b): 1
# ----
None = 1
# ----
True += 1
# ----
__debug__ = 1
# ----
def f(__debug__): pass
# ----
f(__debug__=1)
# ----
f(True=1)
# ----
f(a.b=1)
# ----
x = 1 = y
# ----
f() = 1
# ----
f() += 1
# ----
(a, b) += 1
# ----
a + 1 = 2
# ----
[a, 1] = 2
# ----
(x): int = 1
# ----
(x, y): int
# ----
[x]: int
# ----
*a = 1
# ----
*a, *b = c
# ----
a, *b
# ----
*a
# ----
(*a)
# ----
print x
# ----
exec 'x'
# ----
print(x) y
# ----
if x = 1: pass
# ----
while x = 1: pass
# ----
if x
    pass
# ----
if x:
pass
# ----
  x
# ----
if x:
    y
  z
# ----
if x:
	y
        z
# ----
else: pass
# ----
elif x: pass
# ----
for x y: pass
# ----
for 1 in x: pass
# ----
for f() in x: pass
# ----
with x as 1: pass
# ----
with x as f(): pass
# ----
with (x as y, z as w): pass
# ----
with (x as y), z: pass
# ----
with (x, y) as z: pass
# ----
with x as y
    pass
# ----
del f()
# ----
del 1
# ----
del x + 1
# ----
del (x, [y, 1])
# ----
import a.b as c.d
# ----
import a as 1
# ----
from a import
# ----
from a import b,
# ----
from a import (b, c
# ----
from . import *
# ----
def f(): from a import *
# ----
from __future__ import braces
# ----
from __future__ import nothing
# ----
x; from __future__ import annotations
# ----
from __future__ import annotations; x: (yield)
# ----
1 <> 2
# ----
(
# ----
[1, 2
x
# ----
)
# ----
(]
# ----
(1
]
# ----
'a
# ----
'''a
# ----
"a' b
# ----
x = $
# ----
x = ?
# ----
x = a!
# ----
x = €
# ----
x = “a”
# ----
x\y
# ----
x \
# ----
{1: 2, 3}
# ----
{1:}
# ----
{1: *a}
# ----
{**a for x in y}
# ----
[*a for x in y]
# ----
(a, b for a in c)
# ----
[a, b for a in c]
# ----
{a: b, **c for d in e}
# ----
a b
# ----
(a b)
# ----
[a b, c]
# ----
f(a b)
# ----
f(a, b c)
# ----
a = b c
# ----
x if y
# ----
x if y else
# ----
(x if y)
# ----
x := 1
# ----
(x.y := 1)
# ----
(x[0] := 1)
# ----
[x := 1 for x in y]
# ----
[x for x in (y := z)]
# ----
class A: [x := 1 for y in z]
# ----
lambda: (x := 1)
# ----
f(x := 1, y=(z := 2))
# ----
x[a:=1]
# ----
x[a:=1, b:=2]
# ----
x[*a]
# ----
x[*a:b]
# ----
not
# ----
a not b
# ----
a in not b
# ----
a ** -b ** c
# ----
- 1 ** 2
# ----
async x
# ----
async def f(): [await x async for x in y]
# ----
def f(): [x async for x in y]
# ----
def f(): [[x async for x in y] for z in w]
# ----
async def f(): [[x async for x in y] for z in w]
# ----
async with x: pass
# ----
match x:
    case 1: pass
    case _: pass
    case 2: pass
# ----
match x:
    case y: pass
    case 1: pass
# ----
match x:
    case a | b: pass
# ----
match x:
    case [a, a]: pass
# ----
match x:
    case {1: a, 1: b}: pass
# ----
match x:
    case A(b=1, b=2): pass
# ----
match x:
    case {**a, 'b': c}: pass
# ----
match x:
    case [*a, *b]: pass
# ----
match x:
    case a.b: pass
    case -1 + 2j: pass
    case 1 + 2: pass
# ----
match x:
    case 1 as a.b: pass
# ----
match x:
    case 1 as _: pass
# ----
match x:
case 1: pass
# ----
match x:
    case 1
        pass
# ----
match x
    case 1: pass
# ----
match = case; match (x); match [y]; match - 1
# ----
def f():
    """doc"""
    "not doc"
# ----
class A:
    x: int
    y: 'str' = 1
    (z): int
# ----
def f() -> (yield): pass
# ----
def f(x: (yield)): pass
# ----
def f(x: (y := 1)): pass
# ----
x: (y := 1) = 2
# ----
x: await y
# ----
class A:
    x = 1
    [x for y in z]
# ----
class A:
    def f(self): return __class__, super()
# ----
class __A:
    __b = 1
    def __c(__d): return __d.__e, __f__
# ----
global x; x = 1
# ----
x = 1; global x
# ----
try: pass
finally: pass
else: pass
# ----
try: pass
else: pass
# ----
def f
# ----
def f()
# ----
def f(): x
    y
# ----
class
# ----
class A(
# ----
class A(b=1, *c, **d, e): pass
# ----
import
# ----
raise x, y
# ----
raise x from
# ----
assert
# ----
assert x, y, z
# ----
assert (x := 1)
# ----
assert x = 1
# ----
pass x
# ----
while
# ----
while x:
# ----
lambda
# ----
lambda x=1, y: z
# ----
lambda *: x
# ----
@
def f(): pass
# ----
@x
y
# ----
0_7
# ----
00
# ----
1_000.0_1e1_0j
# ----
ª = ﬁ = 𝔘
# ----
def f(ﬁ, fi): pass
# ----
from a import * as b
# ----
match x:
    case A(b, _=1): pass
# ----
match x:
    case A(_=1): pass
