# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Without end, without measure, in look-alike letters, in texts that are run.
# ----
while 1 == 1:  # expect: endless-loop
    pass
# ----
while not None:  # expect: endless-loop
    x = 1
# ----
while (lambda: True)():  # expect: endless-loop
    pass
# ----
while [1]:  # expect: endless-loop
    pass
# ----
while "x":  # expect: endless-loop
    pass
# ----
while 2 > 1 > 0:  # expect: endless-loop
    pass
# ----
while True or x:  # expect: endless-loop
    pass
# ----
while not (False and x):  # expect: endless-loop
    pass
# ----
while (x := True):  # expect: endless-loop
    pass
# ----
while 1 if True else 0:  # expect: endless-loop
    pass
# ----
while 1 in [1]:  # expect: endless-loop
    pass
# ----
while None is None:  # expect: endless-loop
    pass
# ----
while True is True:  # expect: endless-loop
    pass
# ----
while True is not False:  # expect: endless-loop
    pass
# ----
while len("abc"):  # expect: endless-loop
    pass
# ----
while f"x":  # expect: endless-loop
    pass
# ----
while ...:  # expect: endless-loop
    pass
# ----
while -1:  # expect: endless-loop
    pass
# ----
while ~0:  # expect: endless-loop
    pass
# ----
while 1 + 1:  # expect: endless-loop
    pass
# ----
while print:  # expect: endless-loop
    pass
# ----
while int:  # expect: endless-loop
    pass
# ----
while object():  # expect: endless-loop
    pass
# ----
while all([]):  # expect: endless-loop
    pass
# ----
while any([1]):  # expect: endless-loop
    pass
# ----
def f():
    return True
while f():  # expect: endless-loop
    pass
# ----
while True:  # expect: endless-loop
    continue
    break
# ----
while True:  # expect: endless-loop
    if False:
        break
# ----
while True:  # expect: endless-loop
    for i in range(3):
        break
# ----
while True:  # expect: endless-loop
    while False:
        return_ = 1
    def g():
        return 1
# ----
while True:  # expect: endless-loop
    try:
        pass
    finally:
        continue
# ----
import time
while True:  # expect: endless-loop
    time.sleep(1)
# ----
RUN = True
while RUN:  # expect: endless-loop
    pass
# ----
while True:  # expect: endless-loop
    x = [i for i in range(10)]
else:
    print("never")
# ----
while 1.5:  # expect: endless-loop
    pass
# ----
while True == 1:  # expect: endless-loop
    pass
# ----
for _ in iter(int, 1):  # expect: endless-iteration
    pass
# ----
for _ in iter(lambda: 0, 1):  # expect: endless-iteration
    pass
# ----
import itertools
for i in itertools.count():  # expect: endless-iteration
    pass
# ----
from itertools import cycle as c
for i in c([1]):  # expect: endless-iteration
    pass
# ----
from itertools import repeat
for i in repeat(None):  # expect: endless-iteration
    x = i
# ----
from itertools import count
list(count())  # expect: endless-iteration
# ----
from itertools import count
sum(x for x in count())  # expect: endless-iteration
# ----
from itertools import count
[x for x in count(1)]  # expect: endless-iteration
# ----
from itertools import repeat
"".join(repeat("x"))  # expect: endless-iteration
# ----
from itertools import cycle
set(map(str, cycle("ab")))  # expect: endless-iteration
# ----
from itertools import count
x = [*count()]  # expect: endless-iteration
# ----
from itertools import count
print(*count())  # expect: endless-iteration
# ----
from itertools import count
dict.fromkeys(count())  # expect: endless-iteration
# ----
from itertools import chain, repeat
list(chain([1], repeat(2)))  # expect: endless-iteration
# ----
from itertools import count
from collections import deque
deque(count(), maxlen=0)  # expect: endless-iteration
# ----
from itertools import count
max(count())  # expect: endless-iteration
# ----
from itertools import count
x = []
x.extend(count())  # expect: endless-iteration
# ----
l = [1]
for x in l:  # expect: endless-iteration
    l.append(x)
# ----
9**9**9  # expect: huge-power
# ----
x = 10 ** 10 ** 10  # expect: huge-power
# ----
pow(9, 9 ** 9)  # expect: huge-power
# ----
import operator
operator.pow(9, 9 ** 9)  # expect: huge-power
# ----
x = 9
x **= 999999999  # expect: huge-power
# ----
n = 99999999999
2 ** n  # expect: huge-power
# ----
1 << 10**12  # expect: huge-shift
# ----
x = 1
x <<= 99999999999  # expect: huge-shift
# ----
import math
math.factorial(10**9)  # expect: huge-power
# ----
"x" * 10**10  # expect: huge-repetition
# ----
[0] * (1 << 40)  # expect: huge-repetition
# ----
s = "ab"
s *= 10**11  # expect: huge-repetition
# ----
(None,) * 10**12  # expect: huge-repetition
# ----
bytearray(10**12)  # expect: huge-repetition
# ----
bytes(10**12)  # expect: huge-repetition
# ----
[0] * 100000 * 100000  # expect: huge-repetition
# ----
import numpy as np
np.zeros(10**12)  # expect: huge-repetition
# ----
import numpy
numpy.ones((10**6, 10**6))  # expect: huge-repetition
# ----
list(range(10**12))  # expect: huge-range
# ----
for i in range(10**15):  # expect: huge-range
    pass
# ----
[0 for _ in range(10**6) for _ in range(10**6)]  # expect: huge-range
# ----
for i in range(10**5):
    for j in range(10**5):
        for k in range(10**5):  # expect: huge-range
            pass
# ----
sum(range(10**13))  # expect: huge-range
# ----
"%99999999999d" % 1  # expect: huge-format
# ----
"{:99999999999}".format(1)  # expect: huge-format
# ----
f"{1:99999999999}"  # expect: huge-format
# ----
f"{1:{10**11}}"  # expect: huge-format
# ----
format(1, "99999999999")  # expect: huge-format
# ----
"%*d" % (10**11, 1)  # expect: huge-format
# ----
"a".ljust(10**12)  # expect: huge-repetition
# ----
"a".center(10**12)  # expect: huge-repetition
# ----
"%.*f" % (10**10, 1.0)  # expect: huge-format
# ----
"{:{w}}".format("a", w=10**10)  # expect: huge-format
# ----
"x".replace("x", "y" * 10**9)  # expect: huge-repetition
# ----
import time
time.sleep(10**9)  # expect: long-sleep
# ----
import threading
while True:  # expect: endless-loop
    threading.Thread(target=print).start()  # expect: thread-start
# ----
import os
while True:  # expect: endless-loop
    os.fork()  # expect: fork-call, fork-loop
# ----
import os
[os.fork() for _ in range(100)]  # expect: fork-call, fork-loop
# ----
import multiprocessing  # expect: process-module
def f():
    while 1:  # expect: endless-loop
        multiprocessing.Process(target=f).start()  # expect: fork-loop, process-start
# ----
ｅｖａｌ("1")  # expect: disguised-name, eval-call
# ----
import os
os.ｓｙｓｔｅｍ("ls")  # expect: disguised-name, shell-command
# ----
𝓮𝔁𝓮𝓬("1")  # expect: disguised-name, exec-call
# ----
import ᵒs
ᵒs.system("ls")  # expect: shell-command
# ----
().__ｃlass__  # expect: disguised-name, dunder-attribute
# ----
from os import ｓystem  # expect: shell-command
ｓystem("ls")  # expect: disguised-name, shell-command
# ----
def f():
    def g():
        exec("import os")  # expect: exec-call
    g()
# ----
exec("import os; os.system('ls')")  # expect: exec-call, shell-command
# ----
eval("__import__('os').system('ls')")  # expect: dynamic-import, eval-call, import-call, shell-command
# ----
code = "import subprocess\nsubprocess.run(['ls'])"
exec(code)  # expect: exec-call, process-module, process-start
# ----
exec("exec(\"import os; os.system('ls')\")")  # expect: exec-call, shell-command
# ----
import base64
exec(base64.b64decode("aW1wb3J0IG9zOyBvcy5zeXN0ZW0oJ2xzJyk="))  # expect: exec-call, exec-decoded, shell-command
# ----
exec(compile("import os\nos.system('ls')", "x", "exec"))  # expect: compile-call, exec-call, shell-command
# ----
exec("whi" + "le True: pass")  # expect: endless-loop, exec-call
# ----
import timeit
timeit.timeit("__import__('os').system('ls')")  # expect: dynamic-import, exec-by-library, import-call, shell-command
