# SPDX-License-Identifier: Apache-2.0
# source: prctl(2): PR_SET_NO_NEW_PRIVS back to 0, also past a filter that looks at 32 bits
# stopped-by: no_new_privs
# expect: EINVAL
# alone: the kernel has no way back
import kit

PR_SET_NO_NEW_PRIVS = 38
tries = {str(value): kit.call("prctl", PR_SET_NO_NEW_PRIVS, value, 0, 0, 0)
         for value in (0, 1 << 32, (1 << 32) | 1)}
with open("/proc/self/status") as f:
    if "NoNewPrivs:\t1\n" not in f.read():
        kit.escaped("it is off")
kit.judge(**tries)
