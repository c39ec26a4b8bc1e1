# SPDX-License-Identifier: Apache-2.0
import weakref


class A:
    pass


a = A()
weakref.finalize(a, print, "finalized a")
b = A()
r = weakref.ref(b, lambda r: print("ref of b"))
print("end")
