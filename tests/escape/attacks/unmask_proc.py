# SPDX-License-Identifier: Apache-2.0
# source: CVE-2025-31133 (runc): what a mask covers comes back when the mask goes
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# expect-then: EPERM EINVAL
# denied: umount2
import kit

MNT_DETACH = 2
kit.judge(keys=kit.call("umount2", b"/proc/keys", MNT_DETACH),
          bus=kit.call("umount2", b"/proc/bus", MNT_DETACH),
          proc=kit.call("umount2", b"/proc", MNT_DETACH),
          work=kit.call("umount2", b"/box/work", MNT_DETACH))
