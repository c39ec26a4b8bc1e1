# SPDX-License-Identifier: Apache-2.0
# Type parameters, aliases and annotations: what 3.12 and later refuse in them.
# Programs end at lines of dashes.
# ----
def f[T](): pass
# ----
def f[T,T](): pass
# ----
class A[T,T]: pass
# ----
type X[T,T] = 1
# ----
type X = (yield)
# ----
type X = await y
# ----
type X = (a:=1)
# ----
type X = [a:=1 for b in c]
# ----
def f[T:(yield)](): pass
# ----
def f[T:(a:=1)](): pass
# ----
def f[T:await x](): pass
# ----
def f[T:(int,(yield))](): pass
# ----
def f[T:(int,(a:=1))](): pass
# ----
def f[T](x:(yield)): pass
# ----
def f[T](x:(a:=1)): pass
# ----
def f[T]()->(yield): pass
# ----
class A[T]((yield)): pass
# ----
class A[T]((a:=1)): pass
# ----
class A[T](await x): pass
# ----
class A[T](x=(yield)): pass
# ----
def f[T:[a:=1 for b in c]](): pass
# ----
class A[T]([a:=1 for b in c]): pass
# ----
def f[T](x:[a:=1 for b in c]): pass
# ----
def f[T](x=(yield)): pass
# ----
def f():
 def g[T](x=(yield)): pass
# ----
async def f():
 def g[T](x=await y): pass
# ----
@(yield)
def f[T](): pass
# ----
def f[__debug__](): pass
# ----
class A[__debug__]: pass
# ----
type __debug__ = 1
# ----
type X[__debug__] = 1
# ----
def f[T]():
 nonlocal T
 T=1
# ----
class A[T]:
 def f(self):
  nonlocal T
# ----
def f[T]():
 def g():
  nonlocal T
  T=1
# ----
class A[T]:
 nonlocal T
# ----
def f[T]():
 global T
# ----
def f[T]():
 T=1
 nonlocal T
# ----
def f[T](T): pass
# ----
def f[T=int](): pass
# ----
def f[T=(yield)](): pass
# ----
def f[*T=(yield)](): pass
# ----
def f[**T=(yield)](): pass
# ----
def f[T=(a:=1)](): pass
# ----
def f[T=await x](): pass
# ----
def f[*T=*x](): pass
# ----
def f[T=int, U](): pass
# ----
class A[T=int, *U]: pass
# ----
type X[T: (a:=1)] = 1
# ----
type X[T: (yield)] = 1
# ----
type X[T] = (yield)
# ----
type X[T] = T
# ----
def f[T](): return T
return
# ----
class A:
 type X[T] = [a:=1 for b in c]
# ----
async def f():
 type X = [await y for z in w]
# ----
async def f():
 type X = [y async for z in w]
# ----
async def f():
 def g[T: [y async for z in w]](): pass
# ----
async def f():
 class A[T]([y async for z in w]): pass
# ----
async def f():
 def g[T](x: [y async for z in w]): pass
# ----
class A[T](x=1,x=2): pass
# ----
class A[T](__debug__=1): pass
# ----
def f[T](__debug__): pass
# ----
type X = lambda: (yield)
# ----
type X = lambda: (a:=1)
# ----
type X = lambda: await y
# ----
type X = [(yield) for a in b]
# ----
def f[T:(int,[a:=1 for b in c])](): pass
# ----
def f[T=[a:=1 for b in c]](): pass
# ----
def f[**T=[a:=1 for b in c]](): pass
# ----
class A:
 def f[T: (lambda: 1)](self): pass
# ----
class A:
 def f[T](self, x: [a for a in b]): pass
# ----
class A:
 def f[T](self, x: lambda: 1): pass
# ----
class A:
 type X = lambda: 1
# ----
class A[T]([a for a in b]): pass
# ----
class B:
 class A[T]([a for a in b]): pass
