# SPDX-License-Identifier: Apache-2.0
# source: mount(2), the way out of every container that keeps CAP_SYS_ADMIN
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# denied: mount
import kit

MS_BIND, MS_REMOUNT, MS_MOVE = 4096, 32, 8192
kit.judge(tmpfs=kit.call("mount", b"none", b"/tmp", b"tmpfs", 0, b""),
          proc=kit.call("mount", b"none", b"/tmp", b"proc", 0, b""),
          sysfs=kit.call("mount", b"none", b"/tmp", b"sysfs", 0, b""),
          bind=kit.call("mount", b"/proc/1/root", b"/tmp", b"", MS_BIND, b""),
          move=kit.call("mount", b"/usr", b"/tmp", b"", MS_MOVE, b""),
          disk=kit.call("mount", b"/dev/vda", b"/tmp", b"ext4", 1, b""))
