# SPDX-License-Identifier: Apache-2.0
# source: hugetlbpage.rst: the host's reserve of huge pages is charged to no memory group without the hugetlb one
# stopped-by: seccomp
# alone: where the host has no reserve there is nothing to take
# expect: ENOMEM EINVAL EPERM
import ctypes
import os
import kit

MAP_HUGETLB, MFD_HUGETLB, SHM_HUGETLB, SHM_LOCK = 0x40000, 4, 0o4000, 11
kit.libc.mmap.restype = ctypes.c_long
tries = {}
for name, flags in (("plain", 0), ("2M", 21 << 26), ("high", 1 << 32)):
    at = kit.libc.mmap(None, ctypes.c_size_t(0), 3, ctypes.c_long(0x22 | MAP_HUGETLB | flags), -1, 0)
    tries[name] = at if at != -1 else -ctypes.get_errno()
tries["memfd"] = kit.attempt(os.memfd_create, "huge", MFD_HUGETLB)
segment = kit.libc.shmget(0, 2 << 20, SHM_HUGETLB | 0o600)
tries["segment"] = segment if segment >= 0 else -ctypes.get_errno()
own = kit.libc.shmget(0, 4096, 0o600)
locked = kit.libc.shmctl(own, SHM_LOCK, None)
tries["lock"] = locked if locked >= 0 else -ctypes.get_errno()
kit.libc.shmctl(own, 0, None)
kit.judge(**tries)
