# SPDX-License-Identifier: Apache-2.0
# source: prlimit(2): our pid 1 is of the guest's user; with less it would be killed, with more a fork of a session
#     would not be counted (inside_check.c). Here only RLIMIT_CORE
# stopped-by: seccomp
# alone: who is of the same user may limit it
# expect: EPERM
# denied: prlimit64
import resource
import kit

kit.judge(init=kit.attempt(resource.prlimit, 1, resource.RLIMIT_CORE, (0, 0)),
          ourselves=kit.attempt(resource.prlimit, 2, resource.RLIMIT_CORE))
