# SPDX-License-Identifier: Apache-2.0
# from __future__ import.
# Programs end at lines of dashes.
# ----
from __future__ import braces
# ----
import x; from __future__ import annotations
# ----
import x
from __future__ import annotations
# ----
return
from __future__ import annotations
# ----
from __future__ import annotations
x: (y:=1)
# ----
from __future__ import annotations
x: (yield)
# ----
from __future__ import annotations
x: [y:=1 for z in a]
# ----
from __future__ import annotations
def f():
 x: y
 global y
# ----
from __future__ import annotations
def f():
 def g(a: y, b:(yield)): pass
# ----
from __future__ import annotations
def f(a:(await b)): pass
# ----
from __future__ import annotations
x: a.b(c=1,c=2)
# ----
from __future__ import annotations
x: 1 is 2
# ----
import __future__
# ----
from __future__ import nested_scopes, generators, division, absolute_import, with_statement, print_function, unicode_literals, generator_stop, annotations
# ----
"""d"""
from __future__ import division
from __future__ import annotations
import x; from __future__ import division
# ----
"d"; from __future__ import division
# ----
b"d"; from __future__ import division
# ----
f"d"
from __future__ import division
# ----
1
from __future__ import division
# ----
from __future__ import division; import x; from __future__ import division
# ----
from __future__ import *
# ----
from __future__ import (division as x)
# ----
from __future__ import division, foo, bar
# ----
if 1:
 from __future__ import division
# ----
def f(): from __future__ import division
# ----
x = 1; from __future__ import division
# ----
from .__future__ import division
# ----
from .. import __future__
# ----
def f():
 from __future__ import division
