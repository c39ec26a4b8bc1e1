# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Looking behind objects: classes, functions, frames, format strings.
# ----
().__class__.__base__.__subclasses__()  # expect: subclasses-walk
# ----
"".__class__.__mro__[1].__subclasses__()  # expect: subclasses-walk
# ----
[c for c in object.__subclasses__() if c.__name__ == "Popen"]  # expect: subclasses-walk
# ----
type.__subclasses__(object)  # expect: subclasses-walk
# ----
getattr(object, "__sub" + "classes__")()  # expect: subclasses-walk
# ----
x = ().__class__  # expect: dunder-attribute
# ----
print.__self__  # expect: dunder-attribute
# ----
x = [].__class__.__bases__  # expect: dunder-attribute
# ----
class A:
    pass


A.__dict__  # expect: dunder-attribute
# ----
class A:
    pass


A().__class__ = int  # expect: dunder-attribute
# ----
def f():
    pass


f.__globals__["x"]  # expect: function-internals
# ----
def f():
    pass


f.__closure__[0].cell_contents  # expect: function-internals
# ----
(lambda: 0).__code__.co_consts  # expect: function-internals
# ----
(lambda: 0).__globals__["__builtins__"]["eval"]("1")  # expect: function-internals
# ----
(lambda: 0).__builtins__  # expect: builtins-access
# ----
print(__builtins__)  # expect: builtins-access
# ----
class A:
    def __init__(self):
        pass


A.__init__.__globals__  # expect: function-internals
# ----
"{0.__class__}".format(1)  # expect: format-walk
# ----
"{0.__class__.__bases__[0].__subclasses__}".format("a")  # expect: format-walk
# ----
"{x.__init__.__globals__[secret]}".format(x=print)  # expect: format-walk
# ----
template = "{0.__class__}"
template.format(1)  # expect: format-walk
# ----
("{0.__cl" + "ass__}").format(1)  # expect: format-walk
# ----
str.format("{0.__class__}", 1)  # expect: format-walk
# ----
"{a.__class__}".format_map({"a": 1})  # expect: format-walk
# ----
import string
string.Formatter().format("{0.__class__}", 1)  # expect: string-formatter
# ----
from string import Formatter as F  # expect: string-formatter
F().get_field("0.__class__", (1,), {})  # expect: string-formatter
# ----
import string
string.Formatter().vformat("{0.x}", (1,), {})  # expect: string-formatter
# ----
f"{().__class__.__base__.__subclasses__()}"  # expect: subclasses-walk
# ----
import sys
sys._getframe(1).f_globals  # expect: frame-access
# ----
from sys import _getframe as g  # expect: frame-access
g().f_back.f_locals  # expect: frame-access
# ----
import sys
sys._current_frames()  # expect: frame-access
# ----
def f():
    yield g.gi_frame.f_back  # expect: generator-frame


g = f()
# ----
(x for x in []).gi_frame  # expect: generator-frame
# ----
(x for x in []).gi_code  # expect: generator-frame
# ----
async def f():
    pass


f().cr_frame  # expect: generator-frame
# ----
async def f():
    yield


f().ag_frame  # expect: generator-frame
# ----
try:
    1 / 0
except Exception as e:
    e.__traceback__.tb_frame.f_back.f_globals  # expect: traceback-frame
# ----
import sys
try:
    1 / 0
except Exception:
    sys.exc_info()[2].tb_frame  # expect: traceback-frame
# ----
import inspect
inspect.stack()[1]  # expect: inspect-stack
# ----
from inspect import currentframe as c  # expect: inspect-stack
c().f_back  # expect: inspect-stack, frame-access
# ----
getattr((x for x in []), "gi_" + "frame")  # expect: generator-frame
# ----
class Meta(type):
    def __instancecheck__(cls, other):
        return other.__class__.__base__.__subclasses__()  # expect: subclasses-walk
# ----
try:
    raise AttributeError(obj=print)
except AttributeError as e:
    e.obj.__self__  # expect: dunder-attribute
# ----
match print:
    case object(__self__=m):  # expect: dunder-attribute
        pass
# ----
import random
a, b, c, d = open("names.txt").read().split()  # expect: file-open
x = getattr(getattr(random.Random(), a), b)  # expect: computed-attribute, made-name
x[c].system("ls")  # expect: shell-command
# ----
import random
import functools
a, b, c = open("names.txt").read().split()  # expect: file-open
functools.reduce(getattr, (a, b), random.Random())[c].system("ls")  # expect: shell-command
# ----
import random
import operator
a, b, c = open("names.txt").read().split()  # expect: file-open
x = operator.attrgetter(a)(random.Random())
operator.methodcaller(c, "ls")(x[b])  # expect: made-name
# ----
import random
g = [].append.__reduce__()[0]  # expect: function-internals
