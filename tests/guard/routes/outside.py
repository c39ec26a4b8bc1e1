# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Every route once more, written from what the guard promises, not from how it works.
# ----
import os
getattr(os, "syst{}".format("em"))("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, "%(a)stem" % {"a": "sys"})("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, "{a}{b}".format(a="sys", b="tem"))("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, "{0}{1}".format(*["sys", "tem"]))("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, "tsyms"[1:3] + "stem")("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, "metsys"[-1::-1])("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, "".join(reversed("metsys")))("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, "".join(sorted("stsyem", key="system".find)))("ls")  # expect: computed-module-attribute
# ----
import os
getattr(os, "sgstem".translate(str.maketrans("g", "y")))("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, "".join(map(chr, [115, 121, 115, 116, 101, 109])))("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, "".join([chr(x) for x in (115, 121, 115, 116, 101, 109)]))("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, "".join(chr(ord(c) - 1) for c in "tztufn"))("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, "".join(chr(ord(c) ^ 1) for c in "rxrudl"))("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, bytes([x ^ 7 for x in b"t~tsbj"]).decode())("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, (126965465245037).to_bytes(6, "big").decode())("ls")  # expect: hidden-name, shell-command
# ----
import os
getattr(os, int.to_bytes(126965465245037, 6, "big").decode())("ls")  # expect: hidden-name, shell-command
# ----
import os, binascii
getattr(os, binascii.unhexlify("73797374656d").decode())("ls")  # expect: hidden-name, shell-command
# ----
import os, base64
getattr(os, base64.b32decode("ON4XG5DFNU======").decode())("ls")  # expect: hidden-name, shell-command
# ----
import os, base64
getattr(os, base64.b85decode(b"b#-!aWpe").decode())("ls")  # expect: computed-module-attribute
# ----
import os, codecs
getattr(os, codecs.decode(b"73797374656d", "hex").decode())("ls")  # expect: hidden-name, shell-command
# ----
import os, codecs
getattr(os, codecs.getdecoder("rot13")("flfgrz")[0])("ls")  # expect: computed-module-attribute
# ----
import zlib, base64
exec(zlib.decompress(base64.b64decode(b"eJwrKMrMK9EwBAAJ+QJd")))  # expect: exec-call, exec-decoded
# ----
import zlib, base64
data = base64.b85decode("xxxx")
code = zlib.decompress(data)
exec(code.decode("utf-8"))  # expect: exec-call, exec-decoded
# ----
import marshal, base64
exec(marshal.loads(base64.b64decode("4wAAAA==")))  # expect: exec-call, exec-decoded, marshal-load
# ----
import bz2
exec(bz2.decompress(bytes.fromhex("425a68")))  # expect: exec-call, exec-decoded
# ----
import lzma, codecs
eval(compile(lzma.decompress(codecs.decode("ab", "base64")), "x", "eval"))  # expect: compile-call, eval-call, exec-decoded
# ----
import base64
src = "cHJpbnQoMSk="
def load(s):
    return base64.b64decode(s).decode()
exec(load(src))  # expect: exec-call, exec-decoded
# ----
import base64
exec(base64.b64decode(open("x").read()))  # expect: exec-call, exec-decoded
# ----
import os
getattr(os, "system", None)("ls")  # expect: shell-command
# ----
vars()["__builtins__"].eval("1")  # expect: builtins-access, eval-call
# ----
globals()["__builtins__"].__dict__["eval"]("1")  # expect: builtins-access, dunder-attribute, eval-call
# ----
locals()["__builtins__"].exec("1")  # expect: builtins-access, exec-call
# ----
import os
for n in dir(os):
    if n.startswith("sys"):
        getattr(os, n)("ls")  # expect: computed-module-attribute
# ----
import os
[getattr(os, n) for n in dir(os) if "system" in n][0]("ls")  # expect: computed-module-attribute
# ----
import os
[v for k, v in vars(os).items() if k == "system"][0]("ls")  # expect: namespace-lookup
# ----
import os
list(os.__dict__.values())[42]("ls")  # expect: dunder-attribute, namespace-lookup
# ----
import builtins
builtins.eval("1")  # expect: eval-call
# ----
import builtins as b
b.__dict__["exec"]("1")  # expect: dunder-attribute, exec-call
# ----
from builtins import eval as ev  # expect: code-reference
ev("1")  # expect: eval-call
# ----
import builtins
vars(builtins)["e" + "xec"]("1")  # expect: exec-call, hidden-name
# ----
__builtins__.__dict__.get("ev" "al")("1")  # expect: builtins-access, dunder-attribute, eval-call
# ----
__builtins__.__getattribute__("eval")("1")  # expect: builtins-access, dunder-attribute, eval-call
# ----
print.__self__.eval("1")  # expect: dunder-attribute, eval-call
# ----
getattr(print, "__self__").exec("1")  # expect: dunder-attribute, exec-call
# ----
from importlib import import_module as im
im("os").system("ls")  # expect: dynamic-import, shell-command
# ----
import importlib
importlib.__import__("os").system("ls")  # expect: dynamic-import, import-call, shell-command
# ----
import importlib.util
spec = importlib.util.find_spec("os")
m = importlib.util.module_from_spec(spec)  # expect: import-machinery
# ----
import importlib.machinery  # expect: import-machinery
importlib.machinery.SourceFileLoader("x", "/tmp/x.py").load_module()  # expect: import-machinery
# ----
__loader__.load_module("os").system("ls")  # expect: import-machinery
# ----
__spec__.loader.load_module("os").system("ls")  # expect: import-machinery
# ----
import sys
sys.modules["os"].system("ls")  # expect: shell-command, sys-modules
# ----
import sys
sys.modules.get("o" + "s").system("ls")  # expect: hidden-name, shell-command, sys-modules
# ----
from sys import modules as m  # expect: sys-modules
m["subprocess"].run(["ls"])  # expect: process-start, sys-modules
# ----
import sys
for name, mod in sys.modules.items():  # expect: sys-modules
    print(name)
# ----
import sys
getattr(sys, "mod" + "ules")["os"].system("ls")  # expect: hidden-name, shell-command, sys-modules
# ----
import random
random._os.system("ls")  # expect: shell-command
# ----
import logging
logging.os.system("ls")  # expect: shell-command
# ----
import json
json.codecs.builtins.exec("1")  # expect: exec-call
# ----
import collections
collections._sys.modules["os"].system("ls")  # expect: shell-command, sys-modules
# ----
import contextlib
contextlib.sys.modules  # expect: sys-modules
# ----
().__class__.__base__.__subclasses__()  # expect: dunder-attribute, subclasses-walk
# ----
"".__class__.__mro__[1].__subclasses__()[100].__init__.__globals__["sys"].modules["os"].system("ls")  # expect: dunder-attribute, function-internals, shell-command, subclasses-walk, sys-modules
# ----
[c for c in object.__subclasses__() if c.__name__ == "_wrap_close"][0].__init__.__globals__["system"]("ls")  # expect: function-internals, subclasses-walk
# ----
type.__subclasses__(object)  # expect: subclasses-walk
# ----
getattr(object, "__subcl" + "asses__")()  # expect: hidden-name, subclasses-walk
# ----
type(()).__mro__[-1].__subclasses__()  # expect: dunder-attribute, subclasses-walk
# ----
type.mro(int)[-1].__subclasses__()  # expect: subclasses-walk
# ----
def f(): pass
f.__globals__["__builtins__"].eval("1")  # expect: builtins-access, eval-call, function-internals
# ----
(lambda: 0).__globals__["__builtins__"]["exec"]("1")  # expect: builtins-access, exec-call, function-internals
# ----
def g():
    yield
x = g()
x.gi_frame.f_back.f_globals  # expect: frame-access, generator-frame
# ----
g = (g.gi_frame.f_back for _ in [1])  # expect: frame-access, generator-frame
# ----
async def c(): pass
k = c()
k.cr_frame.f_builtins  # expect: frame-access, generator-frame
# ----
async def c():
    yield 1
c().ag_frame.f_globals  # expect: frame-access, generator-frame
# ----
import sys
sys._getframe(0).f_globals  # expect: frame-access
# ----
import inspect
inspect.currentframe().f_back.f_locals  # expect: frame-access, inspect-stack
# ----
try:
    1 / 0
except Exception as e:
    f = e.__traceback__.tb_frame.f_builtins  # expect: frame-access, traceback-frame
# ----
import sys
try:
    1 / 0
except Exception:
    sys.exc_info()[2].tb_frame  # expect: traceback-frame
# ----
try:
    1 / 0
except Exception as e:
    getattr(getattr(e, "__trace" + "back__"), "tb_" + "frame")  # expect: hidden-name, traceback-frame
# ----
"{0.__class__.__init__.__globals__}".format(x)  # expect: format-walk
# ----
"{x.__class__.__mro__[1]}".format(x=1)  # expect: format-walk
# ----
"{x.__globals__}".format_map({"x": f})  # expect: format-walk
# ----
str.format("{0.__globals__}", f)  # expect: format-walk
# ----
import string
string.Formatter().format("{0.__class__}", 1)  # expect: string-formatter
# ----
from string import Formatter as F  # expect: string-formatter
F().get_field("0.__class__", (1,), {})  # expect: string-formatter
# ----
tmpl = "{0.__cl" + "ass__}"
tmpl.format(1)  # expect: format-walk
# ----
fmt = "{0.__init__.__globals__[os].environ}"
print(fmt.format(obj))  # expect: format-walk
# ----
"{:{w}}".format("a", w=10**10)  # expect: huge-format
# ----
f = "{0." + "__class__" + "}"
print(f.format(3))  # expect: format-walk
# ----
from string import Formatter  # expect: string-formatter
class SF(Formatter):  # expect: string-formatter
    pass
# ----
import pickle
pickle.loads(b"cos\nsystem\n(S'ls'\ntR.")  # expect: unpickle
# ----
from pickle import Unpickler  # expect: unpickle
Unpickler(open("f", "rb")).load()  # expect: unpickle
# ----
import pickle, os
class P:
    def __reduce__(self):
        return os.system, ("ls",)  # expect: reduce-payload, shell-command
# ----
class P:
    def __reduce_ex__(self, p):
        return (eval, ("1",))  # expect: code-reference, reduce-payload
# ----
class P:
    def __reduce__(self):
        import subprocess  # expect: process-module
        if True:
            return subprocess.Popen, (["ls"],)  # expect: process-start, reduce-payload
# ----
import os
class P:
    __reduce__ = lambda self: (os.system, ("ls",))  # expect: reduce-payload, shell-command
# ----
import copyreg, os
copyreg.pickle(int, lambda x: (os.system, ("ls",)))  # expect: shell-command
# ----
import dill  # expect: unpickle
dill.loads(b"")  # expect: unpickle
# ----
import shelve
shelve.open("x")  # expect: unpickle
# ----
import yaml
yaml.load("x", Loader=yaml.Loader)  # expect: unsafe-yaml
# ----
X = type("X", (), {"run": lambda self: exec("1")})  # expect: dynamic-type, exec-call
# ----
t = type
Y = t("Y", (object,), dict(a=1))  # expect: dynamic-type
# ----
Z = type(int)("Z", (), {})  # expect: dynamic-type
# ----
import signal
signal.signal(signal.SIGALRM, lambda *a: None)  # expect: signal-handler
# ----
import signal as s
getattr(s, "alarm")(0)  # expect: signal-handler
# ----
import os, signal
os.kill(os.getppid(), signal.SIGKILL)  # expect: process-kill
# ----
import os
os.killpg(0, 9)  # expect: process-kill
# ----
import faulthandler
faulthandler.dump_traceback_later(1)  # expect: trace-hook
# ----
import _thread
_thread.interrupt_main()  # expect: process-kill
# ----
import ctypes  # expect: native-code
ctypes.CDLL(None).system(b"ls")  # expect: native-code
# ----
from ctypes import cdll  # expect: native-code
cdll.LoadLibrary("libc.so.6").mprotect(0, 4096, 7)  # expect: native-code
# ----
import ctypes  # expect: native-code
ctypes.pythonapi.PyRun_SimpleString(b"1")  # expect: native-code
# ----
from ctypes import *  # expect: native-code
memmove(0, 1, 2)  # expect: native-code
# ----
from ctypes import c_int  # expect: native-code
x = c_int.from_address(id(1))
# ----
import ctypes  # expect: native-code
ctypes.cast(id(1), ctypes.POINTER(ctypes.c_int)).contents
