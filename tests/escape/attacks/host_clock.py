# SPDX-License-Identifier: Apache-2.0
# source: settimeofday(2) and its kin: the clock is the machine's
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# expect-then: EPERM EINVAL
# denied: settimeofday, clock_settime, adjtimex
import ctypes
import kit

# Out of range: where nothing stood in the way it would still be refused.
impossible = (ctypes.c_long * 2)(-1, 2000000000)
timex = (ctypes.c_uint32 * 64)(0x4000, 0, 1)  # ADJ_TICK to an impossible length
kit.judge(settimeofday=kit.call("settimeofday", impossible, None),
          clock_settime=kit.call("clock_settime", 0, impossible),
          adjtimex=kit.call("adjtimex", timex))
