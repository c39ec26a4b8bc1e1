# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Words that look like danger and are none: names, methods, strings, comments.
# ----
def reopen(x):
    return x


reopen("a")
# ----
retrieval = {"a": 1}
x = retrieval ["a"]
# ----
def retrieval(x):
    return x


retrieval (1)
# ----
# from https://example.org: import os; os.system("rm -rf .")
x = 1
# ----
text = "eval(x) and exec(y) are builtins, and so is __import__"
# ----
"""import subprocess
subprocess.run("ls")
"""
# ----
import re
pattern = re.compile(r"\d+")
# ----
from re import compile
compile("a+").match("aaa")
# ----
import re as r
r.compile("x")
# ----
b"abc".decode("utf-8")
# ----
data = bytes([104, 105])
print(data.decode())
# ----
class Model:
    def eval(self):
        return 1


Model().eval()
# ----
class Model:
    def exec(self, statement):
        return statement

    def compile(self):
        return self.exec("x")


Model().compile()
# ----
model = object()
model.eval()
model.compile(optimizer="adam", loss="mse")
# ----
import pandas as pd
df = pd.DataFrame({"a": [1, 2]})
df.eval("b = a + 1")
df.query("a > 1")
# ----
def eval(x):
    return x


eval("1")
# ----
def f(eval, exec):
    return eval(exec(1))
# ----
os = {"system": len}
os["system"]("ls")
# ----
class os:
    def system(text):
        return text


os.system("ls")
# ----
def f(os):
    os.system("ls")
    return os.environ
# ----
def f():
    os = Robot()
    return os.system("status")


class Robot:
    def system(self, what):
        return what
# ----
for subprocess in ["first", "second"]:
    subprocess.run
# ----
class Process:
    def popen(self):
        return self.system

    def system(self):
        return self.popen()
# ----
class Player:
    system = "retina"


print(Player.system)
# ----
class Solver:
    def solve(self):
        self.system("x")

    def system(self, name):
        return name
# ----
solar = Player = type("x")
print(solar, type(3))
# ----
def spawn(x):
    return x


spawn("monster")
# ----
open_files = []
opened = len(open_files)
# ----
def is_open(door):
    return door.open


is_open(None)
# ----
door = object()
door.open()
# ----
image.open("x")
# ----
environ = 1
getenv = str
print(environ, getenv)
# ----
settings.environ["x"]
# ----
globals_of_the_game = {"score": 1}
locals_ = [1]
# ----
evaluate = execute = compiled = importer = 1
# ----
print("import os")
print('__import__("os")')
# ----
print("().__class__ is tuple")
# ----
message = "Do not use pickle.loads() on data you do not trust."
# ----
help_text = """
Remove a folder: rm -r folder
"""
# ----
path = "../sibling/file.txt"
# ----
path = "../../data.csv"
# ----
url = "https://example.org/a/b?x=eval(1)"
# ----
sql = "SELECT * FROM users WHERE name = 'exec'"
# ----
import os.path
print(os.path.join("a", "b"))
# ----
from os import path
path.exists("x")
# ----
from os.path import join, basename
join("a", basename("b"))
# ----
import os
os.getcwd()
os.listdir(".")  # expect: file-open
os.makedirs("x", exist_ok=True)  # expect: file-write
# ----
import sys
print(sys.argv, sys.version_info, file=sys.stderr)
sys.exit(0)
# ----
sys = "system"
sys.modules = 1
# ----
class Frame:
    f_back = None


Frame()
# ----
frame = {"tb_frame": 1, "gi_frame": 2}
print(frame["tb_frame"])
# ----
"{0} and {name}".format(1, name=2)
# ----
"{0.name} is {0.age}".format(person)
# ----
"{:>10} {!r}".format(1, 2)
# ----
f"{person.name!r:>{width}}"
# ----
"%s %(x)s" % 1
# ----
from string import Template
Template("$x").substitute(x=1)
# ----
from operator import attrgetter, itemgetter
sorted([], key=attrgetter("name"))
sorted([], key=itemgetter(1))
# ----
getattr(person, "name", None)
hasattr(person, "name")
setattr(person, "name", 1)
# ----
class Compiler:
    def __init__(self, compile):
        self.compile = compile

    def run(self):
        return self.compile("x")
# ----
from mylibrary import eval, system, loads
eval("1"), system("x"), loads("y")
# ----
import json
json.loads("{}")
json.load(open)
# ----
signal = [1, 2, 3]
signal.alarm = None
# ----
thread = "a thread of messages"
socket = "wall socket"
print(thread, socket)
# ----
import ast
ast.literal_eval("[1, 2]")
tree = ast.parse("x = 1")
# ----
import timeit
timeit.default_timer()
# ----
import types
types.SimpleNamespace(a=1)
# ----
import importlib.metadata
importlib.metadata.version("x")
# ----
import base64
print(base64.b64encode(b"x"))
# ----
import hashlib
hashlib.sha256(b"x").hexdigest()
# ----
import copy
copy.deepcopy({}), copy.copy([])
# ----
import logging
logging.getLogger(__name__).info("eval")
