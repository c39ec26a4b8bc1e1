# SPDX-License-Identifier: Apache-2.0
import sys

seen = []


def tracer(frame, event, arg):
    seen.append((frame.f_code.co_name, event))
    return tracer


def f():
    return 1


sys.settrace(tracer)
f()
sys.settrace(None)
print(seen)
