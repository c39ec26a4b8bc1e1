# SPDX-License-Identifier: Apache-2.0
class A:
    def __del__(self):
        print("gone")


a = A()
a = None
print("after")
x = A()
raise ValueError("with an object alive")
