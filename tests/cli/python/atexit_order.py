# SPDX-License-Identifier: Apache-2.0
import atexit

for i in range(3):
    atexit.register(print, "exit", i)


@atexit.register
def last():
    print("registered last, runs first")


print("end")
