# SPDX-License-Identifier: Apache-2.0
# source: timer_create(2): timers are the kernel's memory, and each end of one is a signal
# stopped-by: rlimits
# alone: RLIMIT_SIGPENDING is all that counts them, beside the memory limit
# expect: EAGAIN ENOMEM bounded
# args: --memory 64m
import ctypes
import kit

timer = ctypes.c_int()
create = {"x86_64": 222, "aarch64": 107}[kit.os.uname().machine]
for count in range(200000):
    if kit.libc.syscall(ctypes.c_long(create), 1, None, ctypes.byref(timer)) < 0:
        kit.held(kit.name_of(ctypes.get_errno()))
kit.held("bounded")
