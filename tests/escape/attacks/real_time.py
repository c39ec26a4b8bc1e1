# SPDX-License-Identifier: Apache-2.0
# source: sched(7): a real-time process starves all others of a processor
# stopped-by: seccomp
# expect: EPERM
# then: capabilities, rlimits
import ctypes
import os
import kit

FIFO, RR, DEADLINE = 1, 2, 6
one = ctypes.byref(ctypes.c_int(1))
kit.judge(fifo=kit.call("sched_setscheduler", 0, FIFO, one),
          rr=kit.call("sched_setscheduler", 0, RR, one),
          high=kit.call("sched_setscheduler", 0, FIFO | 1 << 40, one),
          nice=kit.attempt(os.nice, -5))
