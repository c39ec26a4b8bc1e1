# SPDX-License-Identifier: Apache-2.0
# source: capabilities(7): ambient and inheritable sets, securebits, keepcaps: all ways to get some
# stopped-by: capabilities
# expect: EPERM EINVAL
# alone: with capabilities the guest would have its namespace's, which seccomp and Landlock hold
import ctypes
import kit

PR_CAP_AMBIENT, RAISE, PR_SET_SECUREBITS, CAPS = 47, 2, 28, range(0, 41)
with open("/proc/self/status") as f:
    sets = [line.split() for line in f if line.startswith("Cap")]
if any(int(value, 16) for _, value in sets):
    kit.escaped("capabilities", sets)
tries = {"securebits": kit.call("prctl", PR_SET_SECUREBITS, 0x2f, 0, 0, 0)}
for capability in CAPS:
    tries["ambient %d" % capability] = kit.call("prctl", PR_CAP_AMBIENT, RAISE, capability, 0, 0)
header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(1, 1, 1, 0, 0, 0)
tries["capset"] = kit.call("capset", header, data)
kit.judge(**tries)
