# SPDX-License-Identifier: Apache-2.0
import sys

sys.tracebacklimit = 1


def f():
    raise ValueError("short")


f()
