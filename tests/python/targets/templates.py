# SPDX-License-Identifier: Apache-2.0
# 3.14: t-strings. Programs end at lines of dashes.
# ----
t'a'
# ----
t''
# ----
t'{x}'
# ----
t'a{x}b{y!r}c{z:>10}d'
# ----
t'{x=}'
# ----
t'{ x + 1 = !r:a}'
# ----
t"{t"{x}"}"
# ----
t'{f'{x}'}'
# ----
f'{t'{x}'}'
# ----
rt'\d{x}' tr'\d' TR'' Rt''
# ----
t'a' t'b{x}'
# ----
t'a' 'b'
# ----
'a' t'b'
# ----
t'a' f'b'
# ----
b'a' t'b'
# ----
t'{}'
# ----
t'{'
# ----
t'}'
# ----
t'{x!z}'
# ----
t'{x'
# ----
t'''{
 x
 }'''
# ----
t'{x:{y}}'
# ----
t'{x:{y:{z}}}'
# ----
bt'a'
# ----
ut'a'
# ----
tf'a'
# ----
ft'{x}'
# ----
t = 1; t 'a'
# ----
T'{ (a ,  b) }'
# ----
t'{x # why
}'
# ----
t'{a b}'
# ----
t'{lambda x: 1}'
# ----
t'a
# ----
t'\N{BULLET}{x}\x41\d'
# ----
t'{x}' = 1
# ----
match x:
    case t'a': pass
# ----
t'{{{x}}}'
# ----
t'{"é"}{y}'
# ----
t'{*a,}'
