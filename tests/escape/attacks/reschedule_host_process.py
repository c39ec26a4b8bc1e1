# SPDX-License-Identifier: Apache-2.0
# source: sched_setaffinity(2), sched_setscheduler(2), setpriority(2): slow others of the same
#     user down
# stopped-by: pidns
# then: seccomp
# expect: ESRCH EPERM
# expect-then: EPERM
# bare: yes
import ctypes
import os
import kit

pid = int(kit.canary("PID"))
BATCH = 3
none = ctypes.byref(ctypes.c_int(0))
kit.judge(affinity=kit.attempt(os.sched_setaffinity, pid, os.sched_getaffinity(0)),
          scheduler=kit.call("sched_setscheduler", pid, BATCH, none),
          priority=kit.attempt(os.setpriority, os.PRIO_PROCESS, pid, 1))
