# SPDX-License-Identifier: Apache-2.0
# 3.12: `type X = ...`. Programs end at lines of dashes.
# ----
type X = int
# ----
type X[T] = list[T]
# ----
type X[T: int, *Ts, **P] = dict[T, tuple[*Ts], P]
# ----
type type = type
# ----
type match = case
# ----
type _ = 1
# ----
type = 1
# ----
type(x)
# ----
type (x) = 1
# ----
type.x = 1
# ----
type[0] = 1
# ----
type: int = 1
# ----
type X = (yield)
# ----
type X = yield
# ----
type X = await y
# ----
async def f():
    type X = await y
# ----
type X = (y := 1)
# ----
type X = lambda: X
# ----
type X = 1, 2
# ----
type X = *a
# ----
type X: int = 1
# ----
type X
# ----
type X =
# ----
type X.y = 1
# ----
type X, Y = 1
# ----
type 1 = 1
# ----
type X = type Y = 1
# ----
type X[T] = [T for T in X]; type Y = X
# ----
class A:
    type X = A
    type Y[T] = (X, T, __class__)
# ----
def f():
    x = 1
    type X = x
    return X
# ----
type X = print "a"
# ----
type in x
# ----
type not in x
# ----
type is x
# ----
type if x else y
# ----
type X \
  = 3
# ----
type X[T] [U] = 1
# ----
type X() = 1
# ----
type -x
# ----
type *x
# ----
type, x = 1, 2
