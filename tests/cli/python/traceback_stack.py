# SPDX-License-Identifier: Apache-2.0
import inspect
import sys
import traceback


def f():
    traceback.print_stack()
    print([s.function for s in inspect.stack()])
    print(sys._getframe(1).f_back)


f()
