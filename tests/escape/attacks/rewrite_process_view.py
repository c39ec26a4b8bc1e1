# SPDX-License-Identifier: Apache-2.0
# source: prctl(2), PR_SET_MM, PR_SET_PTRACER: what /proc says of a process, who may trace it
# stopped-by: seccomp
# expect: EPERM EINVAL
# alone: they concern the guest's own processes
# denied: prctl(PR_SET_MM), prctl(PR_SET_PTRACER)
import kit

PR_SET_MM, PR_SET_PTRACER, PR_SET_MDWE = 35, 0x59616d61, 0x7fffffff
kit.judge(mm=kit.call("prctl", PR_SET_MM, 1, 4096, 0, 0),
          tracer=kit.call("prctl", PR_SET_PTRACER, 1, 0, 0, 0),
          unknown=kit.call("prctl", PR_SET_MDWE, 0, 0, 0, 0))
