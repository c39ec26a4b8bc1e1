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
result = kit.libc.mlock(ctypes.c_void_p(at), ctypes.c_size_t(256 << 20))
kit.judge(mlock=result if result >= 0 else -ctypes.get_errno(),
          all=kit.attempt(lambda: -kit.libc.mlockall(3) and
                          (_ for _ in ()).throw(OSError(ctypes.get_errno(), ""))))
