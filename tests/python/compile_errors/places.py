# SPDX-License-Identifier: Apache-2.0
# Statements and expressions in places where they mean nothing; calls and blocks.
# Programs end at lines of dashes.
# ----
'é'; return
# ----
return
def f():
  async with x: pass
# ----
return
def f():
  await x
# ----
return
yield
# ----
return
f(a=1,a=2)
# ----
x: (yield)
# ----
def f():
  x: (yield)
# ----
async def f():
  x: (await b)
# ----
def f(a: (yield)): pass
# ----
def f(a: (await b)): pass
# ----
def f(a: [x async for x in y]): pass
# ----
async def f(a: [x async for x in y]): pass
# ----
async def f():
  def g(a: [x async for x in y]): pass
# ----
async def f():
  yield 1
  return 2
# ----
def f():
  try: pass
  except* A: return
# ----
for x in y:
  try: pass
  except* A:
    for z in x: continue
    break
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
                                          for a in b:
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
                                        for a in b:
                                          for a in b:
                                            for a in b:
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
                                                                                for a in b:
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
                                        for a in b:
                                          try: pass
                                          finally: pass
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
                                          for a in b:
                                            try: pass
                                            finally: pass
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
                                      try: pass
                                      except: pass
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
                                        except: pass
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
                                          try: pass
                                          except: pass
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
                                          for a in b:
                                            try: pass
                                            except: pass
# ----
def f():
  try: pass
  except* A:
    try: pass
    except: return
# ----
def f():
  try: pass
  except* A:
    return (1,
       2)
# ----
def f():
  def g(): return 1
  break
yield
# ----
yield
return
# ----
def f():
  yield from 1
yield 1
# ----
async def f():
  yield from x
# ----
async def f():
  [(yield) for x in y]
# ----
f(**a, **b, x=1, x=2)
# ----
class A(x=1,x=2): pass
# ----
f(x=1,
 y=2, x=3)
# ----
def f():
 from x import *
# ----
class A:
 from x import *
# ----
def f():
 import x
 global x
# ----
def f():
 (yield)
yield
# ----
class A:
 yield
# ----
class A:
 return
# ----
class A:
 await x
# ----
await x
# ----
async def f(): await x
# ----
def f(): await x
# ----
lambda: await x
# ----
async def f(): lambda: await x
# ----
[await x for x in y]
# ----
(await x for x in y)
# ----
def f(): [await x for x in y]
# ----
async def f(): [await x for x in y]
# ----
async def f(): [x for x in await y]
# ----
def f(): [x for x in await y]
# ----
[x async for x in y]
# ----
(x async for x in y)
# ----
def f(): (x async for x in y)
# ----
def f(): [[x async for x in y] for z in w]
# ----
async def f(): [[x async for x in y] for z in w]
# ----
def f(): {x async for x in y}
# ----
def f(): {x:1 async for x in y}
# ----
lambda: [x async for x in y]
# ----
async def f(): lambda: [x async for x in y]
# ----
class A: [x async for x in y]
# ----
async with x: pass
# ----
async for x in y: pass
# ----
def f():
 async with x: pass
# ----
def f():
 async for x in y: pass
# ----
async def f():
 class A:
  async with x: pass
# ----
break
# ----
continue
# ----
if 1: break
# ----
while 1:
 def f(): break
# ----
while 1: pass
else: break
# ----
for x in y:
 class A: continue
# ----
try: pass
except: pass
except A: pass
# ----
try: pass
except A: pass
except: pass
else: pass
# ----
def f():
 return 1
 yield
# ----
async def f():
 return 1
 yield
# ----
async def f():
 return
 yield
# ----
async def f():
 yield
 return None
# ----
lambda: (yield)
# ----
[(yield) for x in y]
# ----
{(yield) for x in y}
# ----
{(yield):1 for x in y}
# ----
((yield) for x in y)
# ----
[x for x in (yield)]
# ----
def f(): [x for x in (yield)]
# ----
def f(): [(yield from x) for x in y]
# ----
def f(): [lambda: (yield) for x in y]
# ----
x = lambda: await y
# ----
def f(a=(yield)): pass
# ----
def f(a=await x): pass
# ----
@(yield)
def f(): pass
# ----
class A((yield)): pass
# ----
def f():
 class A((yield)): pass
# ----
async def f():
 class A([y async for z in w]): pass
# ----
async def f():
 def g(x: [y async for z in w]): pass
# ----
x: (lambda: (yield))
# ----
x: [(yield) for a in b]
# ----
def f(a: lambda: (yield)): pass
# ----
x: [await y for z in w]
# ----
async def f():
 x: [await y for z in w]
# ----
async def f():
 x: [y async for z in w]
# ----
class A:
 x: [y async for z in w]
# ----
x: a(c=1,c=2)
# ----
x.y: a(c=1,c=2)
# ----
(x): a(c=1,c=2)
# ----
(yield): int
# ----
x[(yield)]: int
# ----
def f():
 x[(yield)]: int
# ----
x[a(b=1,b=2)]: int
# ----
x[a(b=1,b=2):1]: int
# ----
def f():
 try: pass
 except* A: pass
 else: return
# ----
def f():
 try: return
 except* A: pass
# ----
for x in y:
 try: pass
 except* A: break
# ----
for x in y:
 try: pass
 except* A: continue
# ----
try: pass
except* A: break
# ----
try: pass
except* A:
 def f(): return
# ----
try: pass
except* A:
 for x in y: return
# ----
def f():
 try: pass
 except* A:
  while 1:
   return
# ----
def f():
 try: pass
 except* A:
  return 1
# ----
def f():
 try: pass
 except* A:
  return x
# ----
def f():
 try: pass
 except* A:
  return (
 1)
# ----
def f(): return x
# ----
class A:
 def f(self): return __class__
# ----
def f():
 x = 1
 def g():
  nonlocal x
  x = 2
 return g
# ----
def f(a, b=lambda: a): return b
# ----
def f():
 return [w for v in u if (w := v)]
# ----
async def f():
 async with a as b, c as d:
  async for e in g:
   yield [h async for h in i]
# ----
async def f():
 return [await x for x in y]
# ----
async def f():
 return (await x async for x in y)
# ----
while 1:
 with x:
  break
# ----
while 1:
 try: pass
 except A:
  break
 else:
  continue
# ----
def f():
 try: pass
 except* A:
  pass
 return 1
# ----
import a.b, c.d as e
# ----
from . import x
# ----
def f():
 x = 1
 del x
 def g(): return x
# ----
def f():
 import os.path
 return os
# ----
def f(x):
 try: pass
 except A as x: pass
 return lambda: x
# ----
def f():
 try: pass
 except A as x: pass
 global x
# ----
def f():
 import x.y as z
 nonlocal z
# ----
def f():
 from m import x
 nonlocal x
# ----
lambda: (yield (yield))
# ----
class A:
 x = [(yield) for y in z]
# ----
class A:
 x = (lambda: (yield))
# ----
def f():
 class A:
  return 1
