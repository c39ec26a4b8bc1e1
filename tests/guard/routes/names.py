# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Names put together, decoded, looked up: what getattr, subscripts and tables lead to.
# ----
import os
getattr(os, "system")("ls")  # expect: shell-command
# ----
import os
getattr(os, "sys" + "tem")("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "sys" "tem")("ls")  # expect: shell-command
# ----
import os
getattr(os, "metsys"[::-1])("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "".join(["sys", "tem"]))("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "".join(chr(c) for c in [115, 121, 115, 116, 101, 109]))("ls")  # expect: hidden-name
# ----
import os
getattr(os, chr(115) + chr(121) + "stem")("ls")  # expect: shell-command, hidden-name
# ----
import os
name = "sys"
getattr(os, f"{name}tem")("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "%s%s" % ("sys", "tem"))("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "{}{}".format("sys", "tem"))("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "sYsTeM".lower())("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "s-y-s-t-e-m".replace("-", ""))("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, bytes([115, 121, 115, 116, 101, 109]).decode())("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, b"system".decode())("ls")  # expect: shell-command
# ----
import base64
import os
getattr(os, base64.b64decode("c3lzdGVt").decode())("ls")  # expect: shell-command, hidden-name
# ----
import codecs
import os
getattr(os, codecs.decode("flfgrz", "rot13"))("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, bytes.fromhex("73797374656d").decode())("ls")  # expect: shell-command, hidden-name
# ----
import os
getattr(os, "\x73ystem")("ls")  # expect: shell-command
# ----
import os
getattr(os, input())("ls")  # expect: computed-module-attribute
# ----
import os
for name in dir(os):
    getattr(os, name)  # expect: computed-module-attribute
# ----
import os
g = getattr
g(os, "system")("ls")  # expect: shell-command
# ----
import os
os.__dict__["system"]("ls")  # expect: shell-command
# ----
import os
vars(os)["sys" + "tem"]("ls")  # expect: shell-command
# ----
import os
os.__getattribute__("system")("ls")  # expect: shell-command
# ----
import os
object.__getattribute__(os, "system")("ls")  # expect: shell-command
# ----
import operator, os
operator.attrgetter("system")(os)("ls")  # expect: shell-command
# ----
import operator, os
operator.methodcaller("system", "ls")(os)  # expect: shell-command
# ----
from operator import attrgetter as ag
ag("__class__.__base__")(())  # expect: attrgetter-walk
# ----
__builtins__["ev" "al"]("1")  # expect: eval-call
# ----
__builtins__["ev" + "al"]("1")  # expect: eval-call
# ----
__builtins__.eval("1")  # expect: eval-call
# ----
getattr(__builtins__, "ev" + "al")("1")  # expect: eval-call
# ----
import builtins
builtins.exec("1")  # expect: exec-call
# ----
import builtins as b
getattr(b, "ex" + "ec")("1")  # expect: exec-call
# ----
from builtins import eval as e  # expect: code-reference
e("1")  # expect: eval-call
# ----
globals()["__imp" + "ort__"]("os")  # expect: import-call
# ----
globals()["__builtins__"]  # expect: builtins-access
# ----
globals()["os"].system("ls")  # expect: namespace-access
# ----
globals()[input()]("1")  # expect: namespace-lookup
# ----
locals()["__builtins__"]["eval"]("1")  # expect: eval-call
# ----
vars()["__builtins__"]  # expect: builtins-access
# ----
import sys
sys.modules["os"].system("ls")  # expect: sys-modules, shell-command
# ----
from sys import modules as m  # expect: sys-modules
m["o" + "s"].system("ls")  # expect: sys-modules, shell-command
# ----
import sys
sys.modules.get("subprocess")  # expect: sys-modules
# ----
import sys
sys.modules["os"] = None  # expect: sys-modules
# ----
import random
random._os.system("ls")  # expect: shell-command
# ----
import os
setattr(os, "path", None)  # expect: module-change
# ----
import json
json.dumps = print  # expect: module-change
# ----
import builtins
builtins.print = None  # expect: builtins-change
# ----
import builtins
del builtins.open  # expect: builtins-change
# ----
import builtins
setattr(builtins, "len", lambda x: 0)  # expect: builtins-change
# ----
import os
ｏｓ.ｓｙｓｔｅｍ("ls")  # expect: shell-command
# ----
ｅｖａｌ("1")  # expect: eval-call
