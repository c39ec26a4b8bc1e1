# SPDX-License-Identifier: Apache-2.0
# source: mlock(2): memory that cannot be swapped is memory that others cannot have
# stopped-by: rlimits
# alone: the limits of the kernel's own are always set
# expect: ENOMEM EPERM EAGAIN
# args: --memory 96m
import ctypes
import mmap
import kit

area = mmap.mmap(-1, 256 << 20)
at = ctypes.addressof(ctypes.c_char.from_buffer(area))
MCL_CURRENT, MCL_FUTURE = 1, 2
tries = {}
if kit.libc.mlock(ctypes.c_void_p(at), ctypes.c_size_t(256 << 20)) == 0:
    kit.escaped("256 MiB")
tries["mlock"] = -ctypes.get_errno()
if kit.libc.mlockall(MCL_CURRENT | MCL_FUTURE) == 0:
    kit.escaped("everything")
tries["mlockall"] = -ctypes.get_errno()
kit.judge(**tries)
