# SPDX-License-Identifier: Apache-2.0
# 3.14: `except A, B:`, and what leaves a `finally`. Programs end at lines of dashes.
# ----
try: pass
except A, B: pass
# ----
try: pass
except A, B, C: pass
# ----
try: pass
except A,: pass
# ----
try: pass
except A, B as e: pass
# ----
try: pass
except (A, B) as e: pass
# ----
try: pass
except* A, B: pass
# ----
try: pass
except* A, B as e: pass
# ----
try: pass
except* (A, B) as e: pass
# ----
try: pass
except*: pass
# ----
try: pass
except A: pass
except* B: pass
# ----
try: pass
except* A: pass
except B: pass
# ----
try: pass
except: pass
except A: pass
# ----
try: pass
except A as b.c: pass
# ----
try: pass
except A as 1: pass
# ----
try: pass
except a.b, f(x), c[d]: pass
# ----
try: pass
except A, *B: pass
# ----
try: pass
except *A, B: pass
# ----
try: pass
except A
    pass
# ----
try: pass
except
    pass
# ----
try:
    pass
x
# ----
try: pass
except A B: pass
# ----
def f():
    try: pass
    finally: return 1
# ----
while x:
    try: pass
    finally: break
# ----
while x:
    try: pass
    finally:
        continue
# ----
def f():
    try: pass
    finally:
        def g(): return 1
        while x: break
# ----
def f():
    try: pass
    except* A: return
# ----
while x:
    try: pass
    except* A: break
# ----
while x:
    try: pass
    except* A:
        while y: continue
