# SPDX-License-Identifier: Apache-2.0
class A:
    def __del__(self):
        print("local gone")


def f():
    local = A()
    raise ValueError("holds it")


f()
