# SPDX-License-Identifier: Apache-2.0
# source: CVE-2020-29374: vmsplice shares pages behind the back of copy-on-write
# stopped-by: seccomp
# alone: mended in the kernel; the call has few users
# expect: EPERM
# denied: vmsplice
# bare: yes
import ctypes
import os
import kit

page = ctypes.create_string_buffer(4096)
vector = (ctypes.c_uint64 * 2)(ctypes.addressof(page), 4096)
result = kit.libc.vmsplice(os.pipe()[1], vector, 1, 0)
kit.judge(vmsplice=result if result >= 0 else -ctypes.get_errno())
