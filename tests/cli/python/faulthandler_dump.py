# SPDX-License-Identifier: Apache-2.0
import faulthandler
import sys


def f():
    faulthandler.dump_traceback(file=sys.stdout, all_threads=False)


f()
