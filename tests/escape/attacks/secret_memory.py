# SPDX-License-Identifier: Apache-2.0
# source: memfd_secret(2): memory that nobody can look into, and that stops hibernation
# stopped-by: seccomp
# expect: EPERM
# alone: RLIMIT_MEMLOCK bounds it
# denied: memfd_secret
import kit

kit.judge(descriptor=kit.call("memfd_secret", 0))
