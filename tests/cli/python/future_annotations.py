# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations


def f(x: nowhere) -> nothing:
    return x


print(f(1), f.__annotations__)
