# SPDX-License-Identifier: Apache-2.0
import inspect


def f(x):
    # a comment
    return x + 1


class C:
    def m(self):
        return "m"


print(inspect.getsource(f))
print(inspect.getsource(C.m))
print(inspect.getsourcefile(f), inspect.getmodule(f).__name__)
print(inspect.getsourcelines(C)[1])
