# SPDX-License-Identifier: Apache-2.0
# profile: standard
# The same routes, taken more slowly: through functions, containers, loops, scopes and classes.
# ----
import os


def get():
    return os


get().system("ls")  # expect: shell-command
# ----
import os
modules = [os]
modules[0].system("ls")  # expect: shell-command
# ----
import os
a, b = os, 1
a.system("ls")  # expect: shell-command
# ----
import os
if True:
    runner = os.system  # expect: shell-command
runner("ls")  # expect: shell-command
# ----
import os


class Tools:
    shell = os


Tools.shell.system("ls")  # expect: shell-command
# ----
import os
(lambda: os)().system("ls")  # expect: shell-command
# ----
import os
[o.system("ls") for o in [os]]  # expect: shell-command
# ----
import os
for o in (os,):
    o.system("ls")  # expect: shell-command
# ----
import os
(o := os).system("ls")  # expect: shell-command
# ----
import os
with_default = lambda o=os: o.system("ls")  # expect: shell-command
# ----
def f(o=__import__("os")):  # expect: import-call
    o.system("ls")  # expect: shell-command
# ----
try:
    import os as system_module
except ImportError:
    system_module = None
system_module.system("ls")  # expect: shell-command
# ----
def f():
    global o
    import os as o


f()
o.system("ls")  # expect: shell-command
# ----
part = "sys"
part += "tem"
import os
getattr(os, part)("ls")  # expect: shell-command, hidden-name
# ----
import os
names = {"a": "system"}
getattr(os, names["a"])("ls")  # expect: shell-command
# ----
import os
getattr(os, ("sys", "tem")[0] + ("sys", "tem")[1])("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "_".join(["x", "system"])[2:])("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, str(b"system", "ascii"))("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "SYSTEM".casefold())("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "xsystemx".strip("x"))("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "tsysem"[1:4] + "tem")("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "sys" * 1 + "tem")("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "%c%s" % (115, "ystem"))("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "".join(reversed("metsys")))("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "a system b".split()[1])("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "sxystem".translate({120: None}))("ls")  # expect: shell-command, hidden-name
# ----
import binascii, os
getattr(os, binascii.unhexlify("73797374656d").decode())("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "".join([chr(ord(c) - 1) for c in "tztufn"]))("ls")  # expect: hidden-name
# ----
exec(compile("1", "", "exec"))  # expect: exec-call, compile-call
# ----
(exec)("1")  # expect: exec-call
# ----
[exec][0]("1")  # expect: exec-call
# ----
(0, exec)[1]("1")  # expect: exec-call
# ----
(exec if 1 else print)("1")  # expect: exec-call
# ----
(None or eval)("1")  # expect: eval-call
# ----
{"e": eval}["e"]("1")  # expect: eval-call
# ----
print(*map(eval, ["1"]))  # expect: code-reference
# ----
eval.__call__("1")  # expect: eval-call
# ----
import builtins
vars(builtins)["eval"]("1")  # expect: eval-call
# ----
import builtins
builtins.__dict__["ex" + "ec"]("1")  # expect: exec-call
# ----
import builtins
getattr(builtins, bytes([101, 118, 97, 108]).decode())("1")  # expect: eval-call, hidden-name
# ----
__builtins__.__dict__["eval"]("1")  # expect: eval-call
# ----
import sys
sys.modules["builtins"].eval("1")  # expect: sys-modules, eval-call
# ----
from importlib import __import__ as imp  # expect: code-reference
imp("os").system("ls")  # expect: import-call, dynamic-import, shell-command
# ----
importer = __import__  # expect: code-reference
importer("subprocess").call(["ls"])  # expect: import-call, process-start
# ----
def loader(name):
    return __import__(name)  # expect: import-call


loader("os").system("ls")  # expect: shell-command
# ----
from functools import partial
partial(exec, "1")()  # expect: code-reference
# ----
async def f():
    return exec("1")  # expect: exec-call
# ----
class A:
    def __getattr__(self, name):
        return eval(name)  # expect: eval-call
# ----
class A(metaclass=type("M", (type,), {})):  # expect: dynamic-type
    pass
# ----
def f(x: eval("1")) -> exec("2"):  # expect: eval-call, exec-call
    pass
# ----
x: exec("1")  # expect: exec-call
# ----
@(lambda f: eval("1"))  # expect: eval-call
def f():
    pass
# ----
f"{eval('1')}"  # expect: eval-call
# ----
f"{1:{eval('10')}}"  # expect: eval-call
# ----
assert eval("1")  # expect: eval-call
# ----
del (eval("x").y)  # expect: eval-call
# ----
match eval("1"):  # expect: eval-call
    case 1 if exec("2"):  # expect: exec-call
        pass
# ----
type X = eval("1")  # expect: eval-call
# ----
raise eval("x") from exec("y")  # expect: eval-call, exec-call
