# SPDX-License-Identifier: Apache-2.0
# source: CVE-2022-29582, CVE-2023-2598: io_uring; and it makes calls that a filter never sees
# stopped-by: seccomp
# expect: ENOSYS
# alone: kernel.io_uring_disabled is the host's choice
# bare: yes
import ctypes
import kit

kit.judge(ring=kit.call("io_uring_setup", 4, (ctypes.c_uint32 * 64)()))
