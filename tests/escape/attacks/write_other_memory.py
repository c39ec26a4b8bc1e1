# SPDX-License-Identifier: Apache-2.0
# source: process_vm_writev(2): writes into others without ptrace, and filters forget it
# stopped-by: seccomp
# expect: EPERM
# then: landlock
# expect-then: EPERM ESRCH
# denied: process_vm_writev, process_vm_readv
# bare: yes
import ctypes
import os
import kit

word = ctypes.create_string_buffer(8)
local = (ctypes.c_uint64 * 2)(ctypes.addressof(word), 8)
nowhere = (ctypes.c_uint64 * 2)(8, 8)  # at address 8 nothing is mapped: only the right is tried


def reach(name, pid):
    """EFAULT means that the kernel would have done it."""
    result = kit.call(name, pid, local, 1, nowhere, 1, 0)
    return 0 if result == -14 else result


kit.judge(**{"%s %d" % (name, pid): reach(name, pid)
             for pid in {1, os.getppid(), int(kit.canary("PID"))}
             for name in ("process_vm_writev", "process_vm_readv")})
