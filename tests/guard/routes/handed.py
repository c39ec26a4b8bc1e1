# SPDX-License-Identifier: Apache-2.0
# profile: strict
# refused: patterns
# Modules that go out of sight, or are found by what they have; names that are not written; what the
# library's own modules hold and run. bypasses.py has 500 of the kind.
# ----
import re
re.enum.bltns.exec("import posix")  # expect: exec-call
# ----
from enum import bltns
bltns.exec("import posix")  # expect: exec-call
# ----
import json
json.scanner.re.enum.bltns.exec("import posix")  # expect: exec-call
# ----
import os.path as p
p.genericpath.os.system("ls")  # expect: shell-command
# ----
import numpy
numpy.os.system("ls")  # expect: shell-command
# ----
import contextvars, os
contextvars.ContextVar("x", default=os).get()  # expect: module-handed-on
# ----
import random
box = [random]
box[0]._os.system("ls")  # expect: shell-command
# ----
import os


def get():
    return os  # expect: module-handed-on
# ----
import os


class A:
    m = os  # expect: module-handed-on
# ----
class A:
    import os as q  # expect: module-handed-on


vars(A)["q"].system("ls")
# ----
import os


class A:
    def __eq__(self, other):
        return other.system("ls")  # expect: shell-command


A() == os  # expect: module-handed-on
# ----
import os
m = 1; m = 2; m = 3; m = 4; m = 5; m = 6; m = 7; m = 8; m = 9; m = 10; m = 11; m = 12; m = 13
m = 1; m = 2; m = 3; m = 4; m = 5; m = 6; m = 7; m = 8; m = 9; m = 10; m = 11; m = 12; m = 13
m = os  # expect: module-handed-on
m.system("ls")  # expect: shell-command
# ----
import os


def go():
    z14.system("ls")  # expect: shell-command


z1 = os; z2 = z1; z3 = z2; z4 = z3; z5 = z4; z6 = z5; z7 = z6; z8 = z7
z9 = z8; z10 = z9; z11 = z10; z12 = z11; z13 = z12; z14 = z13
go()
# ----
import os
{**vars(os)}["sys" + "tem"]("ls")  # expect: module-handed-on
# ----
import os
vars(os).copy()["system"]("ls")  # expect: module-handed-on
# ----
import os
list(map(vars(os).get, ["system"]))[0]("ls")  # expect: module-handed-on
# ----
import random
list(map(random.__getattribute__, ["_os"]))[0].system("ls")  # expect: dunder-attribute, shell-command
# ----
class A:
    def __mod__(self, other):
        return other


import os
(A() % vars(os))["system"]("ls")  # expect: module-handed-on
# ----
def f():
    import os as q
    return locals()  # expect: module-handed-on


f()["q"].system("ls")
# ----
import random
next(v for v in vars(random).values() if hasattr(v, "popen")).system("ls")  # expect: namespace-lookup
# ----
import os
[v for v in list(globals().values()) if hasattr(v, "popen")][0].system("ls")  # expect: namespace-lookup
# ----
import random
for n in dir(random):
    if len(n) == 3:
        getattr(random, n).system("ls")  # expect: made-name, shell-command
# ----
import inspect, random
inspect.getmembers(random, inspect.ismodule)  # expect: namespace-lookup
# ----
def get(m, codes):
    return getattr(m, "".join(map(chr, codes)))  # expect: made-name
# ----
def get(m, text):
    return getattr(m, "".join(reversed(text)))  # expect: made-name
# ----
def get(m, text):
    return getattr(m, text[::-1])  # expect: made-name
# ----
def get(m, codes):
    return getattr(m, bytes(codes).decode())  # expect: made-name
# ----
import operator


def get(m, codes):
    name = ""
    for c in codes:
        name += chr(c)
    return operator.attrgetter(name)(m)  # expect: made-name
# ----
name = ""
for c in (115, 121):
    name += "%c" % c
getattr(thing, name)  # expect: made-name
# ----
def spell(n):
    while len(n) > 6:
        n = n[1:]
    return n


import os
getattr(os, spell("xsystem"))("ls")  # expect: computed-module-attribute
# ----
import os
try:
    os.nothing
except AttributeError as e:
    e.obj.system("ls")  # expect: module-handed-on
# ----
import os


class A:
    def __exit__(self, kind, e, traceback):
        getattr(e.obj, "system")("ls")  # expect: shell-command
# ----
import __main__, random as q
__main__.q._os.system("ls")  # expect: shell-command
# ----
import os
os.getcwd.__self__.system("ls")  # expect: dunder-attribute, shell-command
# ----
import time
time.__spec__.loader.load_module("posix")  # expect: import-machinery
# ----
import uuid
uuid._get_command_stdout("ls")  # expect: process-start
# ----
import dataclasses
dataclasses._create_fn("f", ["x=1"], ["pass"])  # expect: exec-by-library
# ----
import unittest.mock
unittest.mock._get_target("os.system")  # expect: import-machinery
# ----
import unittest.mock
unittest.mock.patch("os.system").getter()  # expect: import-machinery
# ----
import webbrowser
webbrowser.Galeon("ls").open("x")  # expect: process-start
# ----
import asyncio


async def main():
    with asyncio.Runner() as r:
        await r.get_loop().subprocess_shell(print, "ls")  # expect: shell-command
# ----
# profile: kodeagent
# refused: imports
import re
re.enum.bltns.exec("import posix")  # expect: import-not-allowed, name-forbidden
# ----
# profile: codeact
# refused: imports
import re
re.enum.bltns.exec("import posix")  # expect: import-not-allowed, name-forbidden
# ----
# profile: smolagents
# refused: imports
from re import enum
enum.bltns.exec("import posix")  # expect: import-not-allowed, name-forbidden
# ----
# profile: restricted
# refused: patterns
import re
re.enum.bltns.exec("import posix")  # expect: exec-call
# ----
# profile: agentos
# refused: patterns
import re
re.enum.bltns.exec("import posix")  # expect: exec-call
# ----
# profile: chapter
# refused: patterns
from enum import bltns
bltns.exec("import posix")  # expect: exec-call
# ----
# profile: kodeagent
# refused: imports
from random import _os  # expect: import-not-allowed
