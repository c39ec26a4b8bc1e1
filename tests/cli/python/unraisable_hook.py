# SPDX-License-Identifier: Apache-2.0
import sys

sys.unraisablehook = lambda u: print("unraisable:", type(u.exc_value).__name__, u.exc_value)


class A:
    def __del__(self):
        raise ValueError("late")


a = A()
del a
b = A()
