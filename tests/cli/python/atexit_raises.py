# SPDX-License-Identifier: Apache-2.0
import atexit


def bad():
    raise ValueError("in atexit")


atexit.register(print, "runs after")
atexit.register(bad)
print("end")
