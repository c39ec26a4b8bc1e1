# SPDX-License-Identifier: Apache-2.0
"""
>>> add(1, 2)
3
>>> add(1, "a")
Traceback (most recent call last):
TypeError: unsupported operand type(s) for +: 'int' and 'str'
>>> add(2, 2)
5
"""
import doctest


def add(a, b):
    return a + b


print(doctest.testmod())
