# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Things of the library that the patterns of a match take out of modules.
# ----
import random
match random:
    case object(_os=o):
        o.system("id")  # expect: shell-command
# ----
import os
match os:
    case object(system=run):
        run("id")  # expect: shell-command
# ----
import logging
match logging:
    case object(sys=s):
        m = s.modules  # expect: sys-modules
        match m["os"]:  # expect: sys-modules
            case object(system=run):
                run("id")  # expect: shell-command
# ----
import sys
match sys:
    case object(modules={"os": object(system=run)}):
        run("id")  # expect: shell-command
# ----
import os
match [os]:
    case [object(system=run) as o]:
        run("id")  # expect: shell-command
        o.popen("id")  # expect: shell-command
# ----
import os
match os:
    case object(popen=run) | object(system=run):
        run("id")  # expect: shell-command
# ----
import os
match [1, os.system]:  # expect: shell-command
    case [_, *rest]:
        rest[0]("id")  # expect: shell-command
# ----
import os
match {"a": os.system}:  # expect: shell-command
    case {"a": run}:
        run("id")  # expect: shell-command
# ----
import os


class Any(type):
    def __instancecheck__(cls, x):
        return True


class A(metaclass=Any):
    __match_args__ = ("system",)


match os:
    case A(run):
        run("id")  # expect: shell-command
# ----
match __builtins__:  # expect: builtins-access
    case object(eval=f):
        f("1")  # expect: eval-call
# ----
import builtins
match builtins:
    case object(exec=f):
        list(map(f, ["1"]))  # expect: code-reference
# ----
# profile: chapter
# refused: imports
import random
match random:
    case object(_os=o):  # expect: builtin-not-allowed
        o.listdir()  # expect: import-forbidden
