# SPDX-License-Identifier: Apache-2.0
# match: unreachable patterns, names bound twice or not always, keys that repeat.
# Programs end at lines of dashes.
# ----
match x:
  case a: pass
  case b: pass
# ----
match x:
  case {1:a, 1:b}: pass
# ----
match x:
  case {-0:a, 0:b}: pass
# ----
match x:
  case {0:a, False:b}: pass
# ----
match x:
  case {'a':a, 'a':b}: pass
# ----
match x:
  case {1.0:a, 1:b}: pass
# ----
match x:
  case {1+1j:a, 1+1j:b}: pass
# ----
match x:
  case {2j:a, 2j:b}: pass
# ----
match x:
  case {99999999999999999999:a, 99999999999999999999:b}: pass
# ----
match x:
  case a | b: pass
# ----
match x:
  case [a, a]: pass
# ----
match x:
  case [*a, *b]: pass
# ----
match x:
  case A(x=1,x=2): pass
# ----
match x:
  case (a|b): pass
# ----
match x:
  case [a|1]: pass
# ----
match x:
  case (1|a): pass
# ----
match x:
  case (1|a): pass
  case _: pass
# ----
match x:
  case _ | 1: pass
# ----
match x:
  case _: pass
  case 1: pass
# ----
match x:
  case _ if y: pass
  case 1: pass
# ----
match x:
  case (a): pass
  case 1: pass
# ----
match x:
  case [a] | [b]: pass
# ----
match x:
  case [a,b] | [b,a]: pass
# ----
match x:
  case [a] | 1: pass
# ----
match x:
  case [a, ([b]|[c])]: pass
# ----
match x:
  case [a, ([a]|{1:a})]: pass
# ----
match x:
  case {1:a,**a}: pass
# ----
match x:
  case a as a: pass
# ----
match x:
  case 1 as a as b: pass
# ----
match x:
  case [1 as a, 2 as a]: pass
# ----
match x:
  case _ as a: pass
# ----
match x:
  case [*_, *_]: pass
# ----
match x:
  case [*a, 1, *b]: pass
# ----
match x:
  case A(a, a): pass
# ----
match x:
  case A(x=a, y=a): pass
# ----
match x:
  case A(x=a, x=a): pass
# ----
match x:
  case A(_, x=_, x=_): pass
# ----
match x:
  case {"a":1, "a":2, **r}: pass
# ----
match x:
  case {b"a":1, "a":2}: pass
# ----
match x:
  case {None:1, None:2}: pass
# ----
match x:
  case {a.b:1, a.b:2}: pass
# ----
match x:
  case {-1:1, -1:2}: pass
# ----
match x:
  case {-1.5:1, -1.5:2}: pass
# ----
match x:
  case {1-2j:1, 1-2j:2}: pass
# ----
match x:
  case {-1.5+2.5j:1, -1.5+2.5j:2}: pass
# ----
match x:
  case {-2j:1, -2j:2}: pass
# ----
match x:
  case {1e20:1, 1e20:2}: pass
# ----
match x:
  case {0xffffffffffffffffff:1, 0xffffffffffffffffff:2}: pass
# ----
match x:
  case {1:1, True:2}: pass
# ----
match x:
  case {0.0:1, -0.0:2}: pass
# ----
match x:
  case {"\n":1, "\n":2}: pass
# ----
match x:
  case {"é":1, "é":2}: pass
# ----
match x:
  case {b"\xff":1, b"\xff":2}: pass
# ----
match x:
  case {"a" "b":1, "ab":2}: pass
# ----
match x:
  case f"a": pass
# ----
match x:
  case {f"a":1}: pass
# ----
match x:
  case [a, b, *_, a]: pass
# ----
match x:
  case [[[a]]], a: pass
# ----
match x:
  case a.b: pass
  case c: pass
# ----
match (yield):
  case 1: pass
# ----
match x:
  case 1 if (yield): pass
# ----
match x:
  case 1: return
# ----
match x:
  case 1: break
# ----
for z in w:
 match x:
  case 1: break
# ----
match x:
  case 1: pass
break
# ----
match x:
 case (a, b) | (b, c): pass
# ----
match x:
 case [1, *_, 2]: pass
 case {"a": 1, **r}: pass
 case A(1, b=2) | B(): pass
 case a.b | None | True: pass
 case (1 | 2) as c if c: pass
 case _: pass
