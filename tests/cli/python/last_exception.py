# SPDX-License-Identifier: Apache-2.0
import atexit
import sys


def show():
    print(sys.last_type.__name__, sys.last_value, sys.last_traceback.tb_lineno)


atexit.register(show)
raise ValueError("kept")
