# SPDX-License-Identifier: Apache-2.0
def inner(x):
    return 10 / x


def outer():
    return inner(0)


print("before")
outer()
