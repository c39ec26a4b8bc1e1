# SPDX-License-Identifier: Apache-2.0
# Scopes: global, nonlocal, parameters, comprehensions, assignment expressions.
# Programs end at lines of dashes.
# ----
'é'; def_ = 1; nonlocal é
# ----
x: (y:=1)
# ----
x: [y:=1 for z in a]
# ----
class A:
  x: [y:=1 for z in a]
# ----
def f() -> (x:=1): pass
# ----
def f():
  for a in b:
    for a in b:
      for a in b:
        for a in b:
          for a in b:
            for a in b:
              for a in b:
                for a in b:
                  for a in b:
                    for a in b:
                      for a in b:
                        for a in b:
                          for a in b:
                            for a in b:
                              for a in b:
                                for a in b:
                                  for a in b:
                                    for a in b:
                                      for a in b:
                                        for a in b:
                                          pass
# ----
def f():
  with a:
    with a:
      with a:
        with a:
          with a:
            with a:
              with a:
                with a:
                  with a:
                    with a:
                      with a:
                        with a:
                          with a:
                            with a:
                              with a:
                                with a:
                                  with a:
                                    with a:
                                      with a:
                                        with a:
                                          pass
# ----
def f():
  for a in b:
    for a in b:
      for a in b:
        for a in b:
          for a in b:
            for a in b:
              for a in b:
                for a in b:
                  for a in b:
                    for a in b:
                      for a in b:
                        for a in b:
                          for a in b:
                            for a in b:
                              for a in b:
                                for a in b:
                                  for a in b:
                                    for a in b:
                                      for a in b:
                                        try: pass
                                        finally: pass
# ----
def f(x): global x
# ----
def f(x): nonlocal x
# ----
def f():
 x=1
 global x
# ----
def f():
 x
 global x
# ----
def f():
 x:int
 global x
# ----
def f():
 global x
 x:int
# ----
def f():
 nonlocal x
# ----
nonlocal x
# ----
class A:
 nonlocal x
# ----
def f():
 nonlocal x
 global x
# ----
def f():
 global x
 nonlocal x
# ----
def f(x,x): pass
# ----
def f(x,*,x): pass
# ----
def f(x,**x): pass
# ----
lambda x,x:1
# ----
[x:=1 for x in y]
# ----
[[x:=1 for z in w] for x in y]
# ----
[z for x in (a:=b)]
# ----
[z for x in y for z in (q:=x)]
# ----
[i := 0 for j in k for i in l]
# ----
def f():
 [y:=1 for z in w]
 nonlocal y
# ----
def f():
 nonlocal y
 [y:=1 for z in w]
# ----
def f():
 global y
 [y:=1 for z in w]
# ----
class A:
 [y:=1 for z in w]
# ----
class A:
 (lambda: [y:=1 for z in w])
# ----
lambda: (x:=1)
# ----
[(lambda: (x:=1)) for x in y]
# ----
def f(a=(x:=1)): pass
# ----
def f():
 def x(): pass
 global x
# ----
def f():
 class x: pass
 global x
# ----
def f():
 for x in y: pass
 global x
# ----
class A:
 x = 1
 global x
# ----
x=1
global x
# ----
def f():
 del x
 global x
# ----
def f():
 global x
 x=1
 global x
# ----
class A:
 def f(self, __x, __x): pass
# ----
class A:
 def f(self):
  global __x
  __x=1
  global __x
# ----
class A:
 def f(self):
  __x=1
  global __x
# ----
class A:
 def f(self):
  nonlocal __x
# ----
def f():
 x: y
 global y
# ----
def f():
 def g(a: y): pass
 global y
# ----
def f():
 global y
 def g(a: y): pass
# ----
def f():
 x: (y)
 nonlocal y
# ----
def f():
 x: a(c=1,c=2)
# ----
def f():
 x.y: a(c=1,c=2)
# ----
def f():
 (x): a(c=1,c=2)
# ----
(a, b): int
# ----
a: int, b = 1
# ----
"a"["b"] = 1
# ----
del "a"["b"]
# ----
1[2] = 3
# ----
"%s" % 1
# ----
assert ()
# ----
assert [1]
# ----
class A:
 f = lambda: [__x := 1 for __x in y]
# ----
class A:
 [__x := 1 for __x in y]
# ----
class A:
 def f():
  global __x
  [__x := 1 for y in z]
# ----
class A:
 def f():
  nonlocal __x
  [__x := 1 for y in z]
# ----
x = 1
# ----
class A:
 def f(self):
  nonlocal __class__
  __class__ = 1
# ----
def f():
 global x
 def g():
  nonlocal x
# ----
def f():
 x = 1
 class A:
  nonlocal x
  x = 2
# ----
def f():
 x = 1
 class A:
  x = 2
  def g(self):
   nonlocal x
# ----
class A:
 x = 1
 def g(self):
  nonlocal x
# ----
[x for x in y if (z := x)]
# ----
x: int = 1
# ----
def f():
 x: int
 x = 1
# ----
class A:
 x: int
 def f(self, x: int = 1) -> int: pass
# ----
def f(a, /, b, *, c): pass
# ----
f(a for a in b)
# ----
global x
# ----
def f():
 global x, y
 x = y = 1
# ----
def f():
 print(x)
 x = 1
# ----
def f():
 x += 1
 nonlocal x
# ----
def f():
 for x in y:
  pass
 nonlocal x
# ----
def f():
 with y as x:
  pass
 global x
# ----
def f():
 match y:
  case x: pass
 global x
# ----
def f():
 (x := 1)
 global x
# ----
def f(x):
 def g(y):
  nonlocal x, y
# ----
def f(**x):
 global x
# ----
def f(*, x):
 nonlocal x
# ----
class A:
 x = [y for y in z if y]
