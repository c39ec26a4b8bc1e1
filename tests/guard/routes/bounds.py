# SPDX-License-Identifier: Apache-2.0
# profile: standard
# What never ends and what grows without bound.
# ----
while True:  # expect: endless-loop
    pass
# ----
while 1:  # expect: endless-loop
    pass
# ----
while "x":  # expect: endless-loop
    x = 1
# ----
while not False:  # expect: endless-loop
    x = 1
# ----
while 2 > 1:  # expect: endless-loop
    x = 1
# ----
while [0]:  # expect: endless-loop
    x = 1
# ----
while True or x:  # expect: endless-loop
    x = 1
# ----
while (n := 1):  # expect: endless-loop
    x = 1
# ----
while not None:  # expect: endless-loop
    x = 1
# ----
while -1:  # expect: endless-loop
    x = 1
# ----
while ...:  # expect: endless-loop
    x = 1
# ----
while 0.1:  # expect: endless-loop
    x = 1
# ----
while 1 == 1:  # expect: endless-loop
    x = 1
# ----
while True:  # expect: endless-loop
    for x in y:
        break
# ----
while True:  # expect: endless-loop
    def f():
        return 1
# ----
while True:  # expect: endless-loop
    continue
    break
# ----
while True:  # expect: endless-loop
    try:
        x = 1
    except Exception:
        continue
# ----
ON = True
while ON:  # expect: endless-loop
    x = 1
# ----
import itertools
for i in itertools.count():  # expect: endless-iteration
    x = i
# ----
from itertools import count, repeat, cycle
list(count())  # expect: endless-iteration
list(repeat(1))  # expect: endless-iteration
# ----
import itertools
for x in itertools.cycle([1]):  # expect: endless-iteration
    y = x
# ----
for x in iter(int, 1):  # expect: endless-iteration
    y = x
# ----
for i in range(10**12):  # expect: huge-range
    x = i
# ----
for i in range(1000000000):  # expect: huge-range
    x = i
# ----
list(range(10**11))  # expect: huge-range
# ----
x = "a" * 10**10  # expect: huge-repetition
# ----
x = 10**10 * "a"  # expect: huge-repetition
# ----
x = [0] * (1 << 40)  # expect: huge-repetition
# ----
x = bytes(10**11)  # expect: huge-repetition
# ----
x = bytearray(1 << 40)  # expect: huge-repetition
# ----
x = "a".ljust(10**11)  # expect: huge-repetition
# ----
N = 10**10
x = "a" * N  # expect: huge-repetition
# ----
x = 9**9**9  # expect: huge-power
# ----
x = 10**10**8  # expect: huge-power
# ----
x = pow(9, 9**9)  # expect: huge-power
# ----
import math
math.factorial(10**9)  # expect: huge-power
# ----
x = 1 << 10**11  # expect: huge-shift
# ----
x = "%1000000000d" % 1  # expect: huge-format
# ----
x = "{:1000000000}".format(1)  # expect: huge-format
# ----
x = f"{1:10000000000}"  # expect: huge-format
# ----
x = format(1, "1000000000")  # expect: huge-format
# ----
import time
time.sleep(10**6)  # expect: long-sleep
