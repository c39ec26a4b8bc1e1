# SPDX-License-Identifier: Apache-2.0
def even(n):
    return odd(n + 1)


def odd(n):
    return even(n + 1)


even(0)
