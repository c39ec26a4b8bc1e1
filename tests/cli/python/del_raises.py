# SPDX-License-Identifier: Apache-2.0
class A:
    def __del__(self):
        raise ValueError("in del")


a = A()
b = A()
del b
print("end")
