# SPDX-License-Identifier: Apache-2.0
def gen():
    try:
        yield 1
    finally:
        print("generator closed")


g = gen()
next(g)
print("end")
