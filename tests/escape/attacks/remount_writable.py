# SPDX-License-Identifier: Apache-2.0
# source: mount(2), MS_REMOUNT: make the read-only views writable again
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# denied: mount
import kit

MS_REMOUNT, MS_BIND, MS_SHARED = 32, 4096, 1 << 20
kit.judge(usr=kit.call("mount", b"none", b"/usr", b"", MS_REMOUNT | MS_BIND, b""),
          root=kit.call("mount", b"none", b"/", b"", MS_REMOUNT | MS_BIND, b""),
          proc=kit.call("mount", b"none", b"/proc", b"", MS_REMOUNT, b""),
          shared=kit.call("mount", b"none", b"/", b"", MS_SHARED, b""))
