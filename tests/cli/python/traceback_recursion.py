# SPDX-License-Identifier: Apache-2.0
def f(n):
    return f(n + 1)


f(0)
