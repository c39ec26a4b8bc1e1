# SPDX-License-Identifier: Apache-2.0
# What parses, compiles, and cannot be meant.
# Programs end at lines of dashes.
# ----
def f():
  try: pass
  finally: return
# ----
while 1:
  try: pass
  finally: break
# ----
1 is 1
# ----
x is 'a' is not b'b'
# ----
x is (1,2)
# ----
x is -1
# ----
x is ()
# ----
x is []
# ----
x is not ...
# ----
assert (x,'m')
# ----
assert (1,2)
# ----
1()
# ----
(1,2)(3)
# ----
[1]['a']
# ----
[1][1,2]
# ----
1[2]
# ----
None[1]
# ----
(lambda:1)[1]
# ----
'a'[1.0]
# ----
f'{a}'()
# ----
x is 1+1
# ----
def f():
  try: pass
  except* A:
    try: pass
    finally: return
# ----
x is (a,b)
# ----
x is f"a"
# ----
x is not None
# ----
x is not 1.0
# ----
x is -1j
# ----
x is b"a"
# ----
x is True
# ----
x is "a" "b"
# ----
f"a" is x
# ----
1 is x is 2
# ----
try: pass
finally: continue
# ----
while 1:
 try: pass
 finally: continue
# ----
x: 1 is 2
# ----
def f():
 x: 1 is 2
# ----
def f(x: 1 is 2): pass
# ----
x = 1 if 2 is 3 else 4
# ----
if x is 1: pass
# ----
while x is 1: break
# ----
assert x is 1
# ----
assert (x is 1, 2)
# ----
not x is 1
# ----
x if y is 1 else z
# ----
[x for x in y if x is 1]
# ----
lambda: x is 1
# ----
1 if 1 < x is 2 else 3
# ----
1 is x
# ----
() is x
# ----
(1,) is x
# ----
(1,a) is x
# ----
[] is x
# ----
{} is x
# ----
x is {1}
# ----
None is x
# ----
... is x
# ----
True is 1
# ----
1 is True
# ----
"a"()
# ----
b"a"()
# ----
None()
# ----
True()
# ----
...()
# ----
1.0()
# ----
1j()
# ----
()()
# ----
(a,b)()
# ----
[a](b)
# ----
{}()
# ----
{a}()
# ----
{a for b in c}()
# ----
{a:b for b in c}()
# ----
[a for b in c]()
# ----
(a for b in c)()
# ----
(lambda:1)()
# ----
(1).x()
# ----
"a".x()
# ----
f"{a}"[b]
# ----
f"{a}"["b"]
# ----
1[a]
# ----
1.0[a]
# ----
1j[a]
# ----
None[a]
# ----
True[a]
# ----
...[a]
# ----
{a}[b]
# ----
{a for b in c}[d]
# ----
(a for b in c)[d]
# ----
(lambda:1)[a]
# ----
{}[a]
# ----
"a"["b"]
# ----
"a"[1]
# ----
"a"[True]
# ----
"a"[None]
# ----
"a"[1:2]
# ----
"a"[...]
# ----
b"a"["b"]
# ----
(a,b)["c"]
# ----
()["c"]
# ----
[a]["c"]
# ----
[a for b in c]["d"]
# ----
[1][a,b]
# ----
[1][{}]
# ----
[1][lambda:1]
# ----
[1][{a}]
# ----
[1][[1]]
# ----
[1][f"a"]
# ----
[1][(a for b in c)]
# ----
x = (1)[2]
# ----
-1[2]
# ----
(-1)[2]
# ----
(-1)()
# ----
(1+1)()
# ----
(not 1)()
# ----
(~1)()
# ----
("a"+"b")["c"]
# ----
("a"*2)["c"]
# ----
(1/0)()
# ----
("%s" % a)()
# ----
(1 is 2) is 3
# ----
1 is 2 is 3
1 is 2
# ----
assert (1,)
# ----
assert (a,b), "c"
# ----
try: pass
finally:
 1 is 1
# ----
while 1 is 1: pass
# ----
def f(a=1 is 1): pass
# ----
@(1 is 1)
def f(): pass
# ----
class A(1 is 1): pass
# ----
try: pass
finally:
 for x in y: break
# ----
try: pass
finally:
 for x in y: return
# ----
def f():
 try: pass
 finally:
  for x in y: return
# ----
def f():
 try: pass
 finally:
  def g(): return
# ----
def f():
 try: pass
 finally:
  while 1: continue
  else: return
# ----
for x in y:
 try: pass
 finally:
  if 1: break
# ----
for x in y:
 try: pass
 finally:
  class A:
   for z in w: break
# ----
for x in y:
 try: pass
 finally:
  try: break
  finally: continue
# ----
try: return
finally: 1+
# ----
def f():
 try: pass
 except* A: pass
 finally: return
# ----
not x is not 1
# ----
if not x is 1: pass
# ----
for x in y:
 try:
  continue
 finally:
  pass
# ----
for x in y:
 try:
  break
 finally:
  return
# ----
from .. import (x as y)
# ----
def f():
 x = [1, 2][a, b]
 y = (1)(2)
 return "a" is x
