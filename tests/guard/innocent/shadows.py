# SPDX-License-Identifier: Apache-2.0
# profile: strict
# Names of builtins that are the program's own by the time they are used.
# ----
def f(eval, compile=None):
    return eval(compile(1))


print(f(int, int))
# ----
def eval(x):
    return x


print(eval(3))
# ----
eval = print
eval("1")
# ----
def main():
    return compile("a")


def compile(text):
    return text.split()


print(main())
# ----
import re
from dataclasses import dataclass


def main():
    return compile("a")


PATTERN = re.compile("a+")


@dataclass
class Row:
    name: str


class Other(Row):
    pass


def compile(text):
    return PATTERN.split(text)


if __name__ == "__main__":
    main()
# ----
import sys
if len(sys.argv) > 1:
    compile = sys.argv[1].split
else:
    compile = str.split
compile("a")
# ----
while True:
    exec = print
    if exec:
        break
exec("a")
# ----
for x in range(3):
    eval = x.bit_length
    eval()
# ----
try:
    from fast import compile
except ImportError:
    def compile(x):
        return x
compile("a")
# ----
try:
    eval = print
finally:
    pass
eval("a")
# ----
match [print]:
    case [eval]:
        eval("a")
    case _:
        eval = print
eval("a")
# ----
with open("a.txt") as f:  # expect: file-open
    compile = f.readline
compile()
# ----
def f():
    for eval in [print]:
        eval("a")


f()
# ----
def outer():
    eval = print

    def inner():
        return eval("a")

    return inner()


outer()
# ----
class A:
    def eval(self):
        return 1

    def twice(self):
        return self.eval() * 2

    exec = twice
    run = exec


print(A().eval())
# ----
class A:
    compile = str.split
    parts = compile("a b")
# ----
[eval("a") for eval in [print]]
# ----
(lambda exec: exec("a"))(print)
# ----
def f():
    global eval
    eval = print
    eval("a")


f()
# ----
if (eval := print):
    eval("a")
# ----
import contextlib
with contextlib.ExitStack() as compile:
    compile.close()
