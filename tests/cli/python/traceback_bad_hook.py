# SPDX-License-Identifier: Apache-2.0
import sys


def hook(kind, value, tb):
    raise TypeError("the hook fails")


sys.excepthook = hook
raise ValueError("original")
