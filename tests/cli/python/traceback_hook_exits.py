# SPDX-License-Identifier: Apache-2.0
import sys


def hook(kind, value, tb):
    print("leaving")
    sys.exit(8)


sys.excepthook = hook
raise ValueError("original")
