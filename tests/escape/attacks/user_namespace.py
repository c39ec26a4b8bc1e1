# SPDX-License-Identifier: Apache-2.0
# source: CVE-2022-0185, CVE-2023-2640 and many more: a user namespace gives back every capability
#     inside it, and with that most of the kernel's surface
# stopped-by: seccomp
# expect: EPERM
# then: landlock
# denied: unshare(CLONE_NEWUSER)
# bare: yes
import kit

CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x00020000
result = kit.call("unshare", CLONE_NEWUSER | CLONE_NEWNS)
if result == 0:
    # A domain of Landlock's may not change the tree of mounts, whatever its capabilities.
    result = kit.call("mount", b"none", b"/tmp", b"tmpfs", 0, b"")
kit.judge(mounted=result)
