# SPDX-License-Identifier: Apache-2.0
# profile: standard
# What refuses, under which profile, at which stage.
# ----
# refused: syntax
x = (  # expect: syntax
# ----
# refused: syntax
def f(:  # expect: syntax
    pass
# ----
# refused: syntax
return 1  # expect: syntax
# ----
# refused: syntax
x = """  # expect: syntax
# ----
# allowed
import os
os.system("ls")  # expect: shell-command
# ----
# profile: strict
# refused: patterns
import os
os.system("ls")  # expect: shell-command
# ----
# profile: strict
# refused: patterns
exec("1")  # expect: exec-call
# ----
# profile: strict
# refused: patterns
().__class__.__base__.__subclasses__()  # expect: subclasses-walk
# ----
# profile: strict
# refused: patterns
import socket  # expect: network-module
# ----
# profile: strict
# allowed
import json
print(json.dumps([1]))
# ----
# profile: strict
# allowed
print(x.__class__.__name__)  # expect: class-name
# ----
# profile: host
# refused: patterns
import subprocess  # expect: process-module
# ----
# profile: kodeagent
# refused: imports
import os  # expect: import-not-allowed
# ----
# profile: kodeagent
# refused: imports
f = eval  # expect: name-forbidden
# ----
# profile: kodeagent
# allowed
import re, random, operator, time, ast
re.compile("x")
# ----
# profile: codeact
# allowed
import datetime, typing, mimetypes, re
# ----
# profile: codeact
# refused: imports
import json  # expect: import-not-allowed
# ----
# profile: chapter
# refused: imports
import sys  # expect: import-forbidden
# ----
# profile: restricted
_x = 1  # expect: name-invalid
# ----
# profile: restricted
x = y._z  # expect: attribute-forbidden
# ----
# profile: restricted
class A(metaclass=B):  # expect: feature-forbidden
    pass
# ----
# profile: restricted
x = getattr(y, "z")  # expect: builtin-not-allowed
# ----
# profile: restricted
# allowed
print(sum([int(x) for x in sorted(["2", "1"])]))
# ----
# profile: agentos
# refused: imports
import shutil  # expect: import-forbidden
# ----
# profile: agentos
# allowed
import os
print(os.path.join("a", "b"))
# ----
# profile: smolagents
# refused: imports
import os  # expect: import-not-allowed
# ----
# profile: smolagents
x = ().__class__  # expect: dunder-forbidden
# ----
# profile: smolagents
# allowed
import math, collections
print(math.sqrt(2), collections.Counter("a"))
# ----
getattr(x, input())  # expect: computed-attribute
# ----
import base64
base64.b64decode("YQ==")  # expect: decode-call
# ----
x = "\d"  # expect: syntax-warning
# ----
x = 1
if x is 1:  # expect: syntax-warning
    pass
# ----
# profile: restricted
# refused: patterns
import sys
try:
    "".nope
except AttributeError:
    print(sys.exc_info()[1].obj)  # expect: attribute-forbidden
# ----
# profile: restricted
# refused: patterns
from sys import exc_info as e
try:
    "".nope
except AttributeError:
    print(e()[1].obj)  # expect: attribute-forbidden
# ----
# profile: restricted
# refused: patterns
import contextlib
def cb(t, v, tb):
    print(v.obj)  # expect: attribute-forbidden
with contextlib.ExitStack() as s:
    s.push(cb)
    "".nope
# ----
# profile: restricted
# refused: patterns
import sys
def hook(t, v, tb): print(v.obj)  # expect: attribute-forbidden
sys.excepthook = hook
"".nope
# ----
# profile: chapter
# refused: patterns
list(map(open, ["x"]))  # expect: file-open
# ----
# profile: agentos
# refused: patterns
from functools import partial
f = partial(open, "x")  # expect: file-open
f()  # expect: file-open
# ----
# profile: kodeagent
# refused: imports
def f(): yield
f().gi_frame.f_builtins["eval"]("1")  # expect: name-forbidden
# ----
# profile: agentos
# refused: patterns
try:
    1 / 0
except Exception as e:
    e.__traceback__.tb_frame.f_builtins["eval"]("1")  # expect: eval-call
# ----
# profile: chapter
# refused: patterns
def f(): yield
f().gi_frame.f_globals["__builtins__"].open("x")  # expect: file-open
