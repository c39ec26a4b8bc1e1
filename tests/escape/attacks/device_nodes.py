# SPDX-License-Identifier: Apache-2.0
# source: container lore: mknod of the host's disk or of /dev/mem, then read it
# stopped-by: seccomp
# expect: EPERM
# then: landlock, capabilities
# expect-then: EACCES; EPERM
# denied: mknodat(device)
import os
import stat
import kit

nodes = {"disk": (stat.S_IFBLK, 254, 0), "sda": (stat.S_IFBLK, 8, 0), "mem": (stat.S_IFCHR, 1, 1),
         "kmsg": (stat.S_IFCHR, 1, 11), "zero": (stat.S_IFCHR, 1, 5),
         "fuse": (stat.S_IFCHR, 10, 229)}
kit.judge(**{name: kit.attempt(os.mknod, "node-" + name, kind | 0o666, os.makedev(major, minor))
             for name, (kind, major, minor) in nodes.items()})
