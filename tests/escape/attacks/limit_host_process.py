# SPDX-License-Identifier: Apache-2.0
# source: prlimit(2): RLIMIT_CPU of somebody else's process kills it; here only RLIMIT_CORE
# stopped-by: seccomp
# expect: EPERM
# then: pidns
# expect-then: ESRCH EPERM
# denied: prlimit64
# bare: yes
import resource
import kit

kit.judge(**{who: kit.attempt(resource.prlimit, int(kit.canary(who)), resource.RLIMIT_CORE, (0, 0))
             for who in ("PID", "NEIGHBOUR_PID")})
