# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Wherever an expression may stand, and routes in combination.
# ----
import os
class A:
    def __init__(self):
        self.tools = {"run": os.system}  # expect: shell-command
    def go(self, name):
        self.tools[name]("ls")  # expect: shell-command
# ----
class A:
    def __init__(self):
        self._f = getattr(__builtins__, "ev" + "al")  # expect: builtins-access, code-reference, hidden-name
    def go(self):
        return self._f("1")  # expect: eval-call, hidden-name
# ----
def get(name):
    if name == "e":
        return eval  # expect: code-reference
    return print
get("e")("1")  # expect: eval-call
# ----
import os
f = os.system if True else print  # expect: shell-command
f("ls")  # expect: shell-command
# ----
import os
for name in ("system",):
    getattr(os, name)("ls")  # expect: shell-command
# ----
import os
f, g = getattr(os, "system"), 1  # expect: shell-command
f("ls")  # expect: shell-command
# ----
import os
x = os
del os
x.system("ls")  # expect: shell-command
# ----
import os as a, sys as b
c = a
d = c
d.system("ls")  # expect: shell-command
# ----
def f():
    import os
    return os
f().system("ls")  # expect: shell-command
# ----
def f(x=__import__("os")):  # expect: dynamic-import, import-call
    x.system("ls")  # expect: shell-command
# ----
async def f():
    import os
    async with g() as x, h(os.system) as y:  # expect: shell-command
        pass
# ----
import os
try:
    raise Exception(os.system)  # expect: shell-command
except Exception as e:
    e.args[0]("ls")
# ----
import os
setattr(__builtins__, "run", os.system)  # expect: builtins-access, shell-command
# ----
import builtins
builtins.print = eval  # expect: builtins-change, code-reference
print("1")
# ----
import builtins
def my(name): return getattr(builtins, name)  # expect: code-reference, computed-module-attribute
my("eval")("1")  # expect: eval-call
# ----
exec("".join(["pri", "nt(1)"]))  # expect: exec-call
# ----
exec(input())  # expect: exec-call
# ----
eval(open("x").read())  # expect: eval-call
# ----
exec(bytes([112, 114]))  # expect: exec-call
# ----
[exec][0]("x=1")  # expect: code-reference, exec-call
# ----
x = eval  # expect: code-reference
y = x  # expect: code-reference
def g():
    return y("1")  # expect: eval-call
# ----
with open("x.py") as f:
    exec(compile(f.read(), "x.py", "exec"))  # expect: compile-call, exec-call
# ----
import functools
@functools.lru_cache
def f(s):
    return eval(s)  # expect: eval-call
# ----
import functools
g = functools.wraps(print)(eval)  # expect: code-reference
# ----
from functools import partialmethod
class A:
    run = partialmethod(eval, "1")  # expect: code-reference
# ----
import functools
class A:
    @functools.cached_property
    def f(self):
        return exec  # expect: code-reference
A().f("1")  # expect: exec-call
# ----
import operator
operator.methodcaller("__subclasses__")(object)  # expect: attrgetter-walk
# ----
import operator
operator.attrgetter("__class__.__base__")(())  # expect: attrgetter-walk
# ----
import os, operator
operator.attrgetter("sys" + "tem")(os)("ls")  # expect: attrgetter-walk, hidden-name, shell-command
# ----
f"{().__class__.__base__.__subclasses__()}"  # expect: dunder-attribute, subclasses-walk
# ----
"{}".format(().__class__.__bases__)  # expect: dunder-attribute
# ----
object.__getattribute__((), "__class__")  # expect: dunder-attribute
# ----
class X:
    def __getattribute__(self, n):
        return object.__getattribute__(self, n)  # expect: dunder-attribute
# ----
type.__getattribute__(object, "__subclasses__")()  # expect: dunder-attribute, subclasses-walk
# ----
().__getattribute__("__class__")  # expect: dunder-attribute
# ----
def f(): pass
f.__code__ = (lambda: 1).__code__  # expect: code-object, function-internals
# ----
def f(): pass
f.__code__.replace(co_code=b"")  # expect: function-internals
# ----
import dis, types
types.CodeType(0, 0, 0, 0, 0, 0, b"", (), (), (), "", "", 0, b"")  # expect: code-object
# ----
import marshal, types
types.FunctionType(marshal.loads(b""), globals())()  # expect: code-object, marshal-load
# ----
import codecs
exec(codecs.decode("cevag(1)", "rot13"))  # expect: exec-call, exec-decoded
# ----
import codecs
eval(codecs.decode(b"cHJpbnQoMSk=", "base64"))  # expect: eval-call, exec-decoded
# ----
import base64
b = base64
d = b.b64decode
exec(d("cHJpbnQoMSk="))  # expect: exec-call, exec-decoded
# ----
from base64 import b64decode as q
z = q("X19pbXBvcnRfXygnb3MnKS5zeXN0ZW0oJ2xzJyk=")
eval(z)  # expect: dynamic-import, eval-call, exec-decoded, import-call, shell-command
# ----
import binascii
exec(binascii.a2b_base64("cHJpbnQoMSk="))  # expect: exec-call, exec-decoded
# ----
import urllib.parse
exec(urllib.parse.unquote("print%281%29"))  # expect: exec-call, exec-decoded
# ----
exec("cevag".translate(str.maketrans("cevag", "print")) + "(1)")  # expect: exec-call
# ----
exec("\x70\x72\x69\x6e\x74(1)")  # expect: exec-call
# ----
m = __import__("o" "s")  # expect: dynamic-import, import-call
m.system("ls")  # expect: shell-command
# ----
__import__("os", fromlist=["path"]).path.os.system("ls")  # expect: dynamic-import, import-call, shell-command
# ----
__import__("importlib").import_module("os").system("ls")  # expect: dynamic-import, import-call, shell-command
# ----
import importlib as i
i.import_module("sub" + "process").run(["ls"])  # expect: dynamic-import, hidden-name, process-module, process-start
# ----
import importlib
m = importlib.import_module(name="os")  # expect: dynamic-import
m.system("ls")  # expect: shell-command
# ----
import pkgutil
pkgutil.resolve_name("os:system")("ls")  # expect: import-machinery
# ----
import sys
sys.modules[__name__].__dict__["__builtins__"].eval("1")  # expect: builtins-access, dunder-attribute, eval-call
# ----
import sys
setattr(sys.modules["builtins"], "print", 1)  # expect: builtins-change, sys-modules
# ----
import sys
sys.meta_path.insert(0, None)  # expect: import-machinery
# ----
import sys
sys.settrace(lambda *a: None)  # expect: trace-hook
# ----
import threading, os
t = threading.Thread(target=os.system, args=("ls",))  # expect: shell-command
# ----
import os
os.posix_spawnp("ls", ["ls"], {})  # expect: process-start
# ----
import os
getattr(os, "spa" "wnl")(0, "ls")  # expect: process-start
# ----
from os import *
system("ls")  # expect: shell-command
# ----
from subprocess import *  # expect: process-module
check_output("ls", shell=True)  # expect: process-start, shell-command
# ----
import subprocess as s  # expect: process-module
kw = {"shell": True}
s.run("ls", **kw)  # expect: process-start, shell-command
# ----
import asyncio.subprocess as p
p.create_subprocess_shell("ls")  # expect: shell-command
# ----
import pty as terminal  # expect: process-module
terminal.spawn("sh")  # expect: process-start
# ----
import multiprocessing as mp  # expect: process-module
mp.Process(target=print).start()  # expect: process-start
# ----
import shutil
rm = shutil.rmtree  # expect: tree-remove
rm("/")  # expect: tree-remove
# ----
from pathlib import Path
Path("x").unlink()  # expect: file-remove
# ----
import os
list(map(os.remove, ["a"]))  # expect: file-remove
# ----
import os
os.environ.copy()  # expect: env-access
# ----
from os import environ as e  # expect: env-access
e["SECRET"]  # expect: env-access
# ----
import os
dict(vars(os)["environ"])  # expect: env-access
# ----
import socket as s  # expect: network-module
c = s.socket()  # expect: network-use
# ----
from urllib import request as r  # expect: network-module
r.urlopen("http://x")  # expect: network-use
# ----
import requests as rq  # expect: network-module
rq.Session().get("http://x")  # expect: network-use
# ----
import http.server  # expect: network-module
http.server.HTTPServer(("", 80), None).serve_forever()  # expect: network-use
# ----
while True:  # expect: endless-loop
    try:
        x = 1
    except Exception:
        pass
# ----
while True:  # expect: endless-loop
    with open("x") as f:
        f.read()
# ----
x = True
while x:  # expect: endless-loop
    y = 1
# ----
while not False:  # expect: endless-loop
    print(1)
# ----
while "a" == "a":  # expect: endless-loop
    pass
# ----
while (1,):  # expect: endless-loop
    pass
# ----
while True and True:  # expect: endless-loop
    pass
# ----
while bool("x"):  # expect: endless-loop
    pass
# ----
while 0 == 0 and 1:  # expect: endless-loop
    pass
# ----
while lambda: 0:  # expect: endless-loop
    pass
# ----
while True: pass  # expect: endless-loop
# ----
x = "a" * (10 ** 9)  # expect: huge-repetition
# ----
n = 10 ** 10
x = [0] * n  # expect: huge-repetition
# ----
x = b"\0" * 2 ** 34  # expect: huge-repetition
# ----
[1] * 10 ** 9  # expect: huge-repetition
# ----
2 ** 10 ** 8  # expect: huge-power
# ----
x = 9 ** (9 ** 9)  # expect: huge-power
# ----
(1 << 10 ** 9)  # expect: huge-shift
# ----
"{:>1000000000}".format("x")  # expect: huge-format
# ----
"%1000000000s" % "x"  # expect: huge-format
# ----
f"{'x':>1000000000}"  # expect: huge-format
# ----
"x".zfill(10 ** 10)  # expect: huge-repetition
# ----
set(range(10 ** 11))  # expect: huge-range
# ----
tuple(i for i in range(10 ** 12))  # expect: huge-range
# ----
max(range(10 ** 12))  # expect: huge-range
# ----
bytearray(2 ** 40)  # expect: huge-repetition
# ----
memoryview(bytearray(10 ** 11))  # expect: huge-repetition
# ----
"a" * 99999 * 99999  # expect: huge-repetition
# ----
import math
math.factorial(99999999)  # expect: huge-power
# ----
int("9" * 10 ** 9)  # expect: huge-repetition
# ----
def f():
    x = yield
    return eval(x)  # expect: eval-call
# ----
lambda: exec("1")  # expect: exec-call
# ----
print(*map(eval, ["1"]))  # expect: code-reference
# ----
assert eval("1")  # expect: eval-call
# ----
x: int = eval("1")  # expect: eval-call
# ----
def f(a: eval("1") = 2): pass  # expect: eval-call
# ----
@(lambda f: eval("1"))  # expect: eval-call
def f(): pass
# ----
class A(eval("object")): pass  # expect: eval-call
# ----
class A(metaclass=eval("type")): pass  # expect: eval-call
# ----
raise eval("ValueError")  # expect: eval-call
# ----
d = {eval("1"): exec("2")}  # expect: eval-call, exec-call
# ----
x[eval("1")] = 1  # expect: eval-call
# ----
del x[eval("1")]  # expect: eval-call
# ----
f"{eval('1')}"  # expect: eval-call
# ----
f"{1:{eval('1')}}"  # expect: eval-call
# ----
match eval("1"):  # expect: eval-call
    case 1 if exec("1"):  # expect: exec-call
        pass
# ----
async def f():
    async for x in eval("1"):  # expect: eval-call
        await exec("1")  # expect: exec-call
