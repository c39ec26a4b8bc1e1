# SPDX-License-Identifier: Apache-2.0
# source: sched(7): our pid 1 is of the guest's user, and who slows it down has its own end reported late
# stopped-by: seccomp
# alone: who is of the same user may do that
# expect: EPERM
# denied: sched_setaffinity, sched_setscheduler, sched_setparam
import ctypes
import os
import kit

INIT, PROCESS, USER, IO_PROCESS, IO_USER = 1, 0, 2, 1, 3
own = os.sched_getaffinity(0)
nicer = min(19, os.getpriority(os.PRIO_PROCESS, 0) + 1)
kit.attempt(os.sched_setaffinity, os.getpid(), own)  # programs name themselves
if os.sched_getaffinity(os.getpid()) != own or kit.attempt(os.setpriority, os.PRIO_PROCESS, os.getpid(), nicer) < 0:
    kit.escaped("its own number is refused")
zero = ctypes.byref(ctypes.c_int(0))
numbers = {"x86_64": 251, "aarch64": 30}[os.uname().machine]


def ioprio(which, who):
    result = kit.libc.syscall(ctypes.c_long(numbers), which, who, 3 << 13)
    return result if result >= 0 else -ctypes.get_errno()


kit.judge(affinity=kit.attempt(os.sched_setaffinity, INIT, own),
          scheduler=kit.attempt(os.sched_setscheduler, INIT, os.SCHED_IDLE, os.sched_param(0)),
          param=kit.attempt(os.sched_setparam, INIT, os.sched_param(0)),
          priority=kit.attempt(os.setpriority, PROCESS, INIT, 19),
          all=kit.attempt(os.setpriority, USER, 0, 19),
          io=ioprio(IO_PROCESS, INIT), io_all=ioprio(IO_USER, 0))
