# SPDX-License-Identifier: Apache-2.0
# 3.12: type parameters of functions, classes and aliases. Programs end at lines of dashes.
# ----
def f[T](x: T) -> T: return x
# ----
def f[T, U](x: T, y: U) -> dict[T, U]: ...
# ----
def f[T,](x): pass
# ----
def f[](x): pass
# ----
def f[T: int](x: T): pass
# ----
def f[T: (int, str)](x: T): pass
# ----
def f[*Ts](*args: *Ts): pass
# ----
def f[**P](*args: P.args, **kwargs: P.kwargs): pass
# ----
def f[T, *Ts, **P](x): pass
# ----
async def f[T](x: T) -> T: await x
# ----
class A[T]: pass
# ----
class A[T](B[T], metaclass=M): x: T
# ----
class A[T: int, *Ts, **P](): pass
# ----
class A[T, T]: pass
# ----
def f[T](T): pass
# ----
def f[T, T](x): pass
# ----
def f[*Ts: int](x): pass
# ----
def f[**P: int](x): pass
# ----
def f[T: yield](x): pass
# ----
def f[T: (yield)](x): pass
# ----
def f[T: (y := 1)](x): pass
# ----
def f[T: await x](x): pass
# ----
class A[T: (await x)]: pass
# ----
def f[T](x = (yield)): pass
# ----
def f[T](x: (y := 3)): pass
# ----
class A[T]((y := int)): pass
# ----
class A:
    def f[T](self, x: T) -> __class__: return __class__
# ----
class A:
    __T = 1
    def f[__T](self, x: __T): return __T
# ----
def f[T]():
    nonlocal T
# ----
def f[T]():
    def g():
        nonlocal T
        T = 1
# ----
def f[T]():
    global T
    T = 1
# ----
class A[T]:
    def g(self):
        nonlocal T
# ----
@decorator[T]
def f[T](x): pass
# ----
lambda[T]: x
# ----
def f [T] (x): pass
# ----
def f[
    T,  # one
    *Ts,
](x): pass
# ----
def f[T: lambda: T](x): pass
# ----
def f[T: [x for x in T]](x): pass
# ----
class A[T: (x for x in [1])]: pass
# ----
def f[1](x): pass
# ----
def f[None](x): pass
# ----
def f[a.b](x): pass
# ----
def f[*](x): pass
# ----
def f[T U](x): pass
# ----
def f[T](x)
    pass
# ----
class A[T]
    pass
# ----
class A[T](
# ----
def f[T:](x): pass
# ----
for f[T] in x: pass
