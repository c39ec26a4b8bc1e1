# SPDX-License-Identifier: Apache-2.0
# source: landlock(7), "Current limitations": chmod, chown, utime and setxattr are not mediated
# stopped-by: root
# alone: Landlock does not know these calls: where the private root cannot be had, files of the
#     caller's can be made readable to others, or unreadable to all (see README.md)
# expect: ENOENT
# bare: yes
import os
import kit

target = kit.canary("WRITABLE")
kit.judge(chmod=kit.attempt(os.chmod, target, 0o600), utime=kit.attempt(os.utime, target, (1, 1)),
          setxattr=kit.attempt(os.setxattr, target, "user.canary", b"1"),
          chown=kit.attempt(os.chown, target, os.getuid(), os.getgid()),
          folder=kit.attempt(os.chmod, os.path.dirname(kit.canary("SECRET")), 0o777))
