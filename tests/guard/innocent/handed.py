# SPDX-License-Identifier: Apache-2.0
# profile: strict
# allowed
# What people do with modules and with names, and the guard must let pass.
# ----
import os, sys
here = os
print(os, here.path.join("a", "b"), file=sys.stderr)
if sys is not None and hasattr(os, "fork") and "x" not in dir(os):
    print(len(dir(sys)), f"{os}", repr(sys), sorted(dir(os.path)))
# ----
import os, sys
if os and not sys:
    os
assert sys
while sys: break
# ----
try:
    import json
except ImportError:
    json = None
print(json and json.dumps([1]))
# ----
import logging


def level(name):
    return getattr(logging, name.upper(), logging.INFO)  # expect: computed-attribute


logging.basicConfig(level=level("info"))
# ----
import math, operator
for name in dir(math):
    print(name, getattr(math, name))  # expect: computed-attribute
# ----
class Handler:
    def handle(self, kind, parts):
        return getattr(self, "on_" + "_".join(parts))(kind)  # expect: computed-attribute


Handler()
# ----
name, place = "a", "b"
print("%(name)s %(place)s" % locals(), "{name}".format(**locals()))  # expect: namespace-access
# ----
import random


def check(a, b):
    return all(isinstance(v, int) for v in locals().values())  # expect: namespace-access


print(check(random.random(), 1))
# ----
def shown(**kinds):
    return kinds


print(shown(os=1, sys=2)["os"])
# ----
class Machine:
    def __init__(self, os, obj):
        self.os, self.obj = os, obj

    def __str__(self):
        return "%s %s" % (self.os, self.obj.name)


print(Machine("linux", Machine))
# ----
try:
    1 / 0
except ZeroDivisionError as e:
    print(e, e.args[0], e.__cause__, type(e).__name__)
# ----
word = "".join(chr(ord(c) + 1) for c in "ab")
print(word[::-1], {word: 1}[word], "".join(reversed(word)))
