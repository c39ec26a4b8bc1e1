# SPDX-License-Identifier: Apache-2.0
import atexit


class A:
    def __del__(self):
        print("del")


a = A()
atexit.register(print, "atexit comes first")
