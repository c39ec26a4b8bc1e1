# SPDX-License-Identifier: Apache-2.0
# source: reboot(2) with numbers that mean nothing: EPERM comes before the look at them
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# expect-then: EPERM EINVAL
# denied: reboot
import kit

kit.judge(nonsense=kit.call("reboot", 0x11111111, 0x22222222, 0x33333333, None))
