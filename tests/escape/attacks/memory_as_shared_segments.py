# SPDX-License-Identifier: Apache-2.0
# source: System V segments outlive who made them, and no process's own limit counts them
# stopped-by: memory
# alone: where there are no cgroups the supervisor counts them while they are mapped
# ends: oom_killed | exit 0
# args: --memory 64m --timeout 8s
import ctypes
import kit

kit.libc.shmat.restype = ctypes.c_void_p
for number in range(40):
    segment = kit.libc.shmget(0, 16 << 20, 0o1600)
    if segment < 0:
        kit.held(kit.name_of(ctypes.get_errno()))
    at = kit.libc.shmat(segment, None, 0)
    ctypes.memset(at, 1, 16 << 20)
kit.escaped("640 MiB of segments")
