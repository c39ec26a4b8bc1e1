# SPDX-License-Identifier: Apache-2.0
def f():
    try:
        int("x")
    except ValueError:
        undefined_name


f()
