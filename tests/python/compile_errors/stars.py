# SPDX-License-Identifier: Apache-2.0
# Where stars may stand.
# Programs end at lines of dashes.
# ----
a = *b
# ----
*a
# ----
*a = b
# ----
*a, *b = c
# ----
for *a in b: pass
# ----
[*a for a in b]
# ----
print(*a for a in b)
# ----
del *a
# ----
del (*a,)
# ----
*a,
# ----
x = (*a)
# ----
return *a
# ----
def f(): return *a
# ----
yield *a
# ----
def f(): yield *a
# ----
a[*b]
# ----
x: *a
# ----
def f(*a: *b): pass
# ----
*a: int
# ----
*a += 1
# ----
with x as *a: pass
# ----
with x as (*a,): pass
# ----
[*a] = 1
# ----
(*a,) = 1
# ----
[a, *b, *c] = 1
# ----
for x in *a, *b: pass
# ----
assert *a
# ----
a if *b else c
# ----
x[*a]: int
# ----
x[*a] = 1
# ----
del x[*a]
# ----
lambda *a, b=1, **c: (a, b, c)
# ----
a, *b = c
# ----
[a, *b], (c, *d) = e
# ----
*a, b[c], d.e = f
# ----
for a, *b in c: pass
# ----
f(*a, *b, c=1, **d, **e)
# ----
with a as (b, [c, *d]): pass
# ----
def f(*x):
 global x
