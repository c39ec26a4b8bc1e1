# SPDX-License-Identifier: Apache-2.0
# 3.13: type parameters with defaults. Programs end at lines of dashes.
# ----
def f[T = int](x): pass
# ----
class A[T = int, *Ts = *tuple[int], **P = [int]]: pass
# ----
type X[T: int = bool] = T
# ----
type X[*Ts = *int] = Ts
# ----
type X[*Ts = int] = Ts
# ----
type X[**P = *int] = P
# ----
type X[T = *int] = T
# ----
type X[T = int, U] = T
# ----
type X[T = int, *Ts] = T
# ----
type X[T = int, U = str] = T
# ----
type X[T = (yield)] = T
# ----
type X[T = yield] = T
# ----
type X[T = (x := 1)] = T
# ----
type X[T = await x] = T
# ----
type X[T =] = T
# ----
type X[*Ts: int = int] = T
# ----
def f[T = lambda: T](x): pass
# ----
class A[T = [x for x in T]](B): pass
