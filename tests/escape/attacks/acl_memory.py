# SPDX-License-Identifier: Apache-2.0
# source: posix_acl(5): the kernel keeps an ACL of up to 64 KiB, two for a folder, and charges it to no group
# stopped-by: seccomp
# alone: without the filter, the file system takes them
# expect: ENOTSUP
# bare: yes
import ctypes
import os
import struct
import kit

ENTRIES = 4000
TREE = struct.pack("<I", 2) + struct.pack("<HHI", 1, 7, 0xffffffff)
TREE += b"".join(struct.pack("<HHI", 2, 7, os.getuid()) for i in range(ENTRIES))
TREE += b"".join(struct.pack("<HHI", tag, 7, 0xffffffff) for tag in (4, 16, 32))

os.mkdir("d")
fd = os.open("d", os.O_RDONLY)
value = ctypes.create_string_buffer(TREE, len(TREE))
tries = {}
for kind in ("access", "default"):
    name = "system.posix_acl_" + kind
    args = (name.encode(), value, len(TREE), 0)
    tries[kind] = kit.attempt(os.setxattr, "d", name, TREE)
    tries[kind + "_l"] = kit.attempt(os.setxattr, "d", name, TREE, follow_symlinks=False)
    tries[kind + "_f"] = kit.attempt(os.setxattr, fd, name, TREE)
    described = struct.pack("=QII", ctypes.addressof(value), len(TREE), 0)
    tries[kind + "_at"] = kit.call("setxattrat", kit.AT_FDCWD, b"d", 0, name.encode(), described, 16)
kit.judge(**tries, user=kit.attempt(os.setxattr, "d", "user.text", b"1"),
          remove=kit.attempt(os.removexattr, "d", "user.text"))
