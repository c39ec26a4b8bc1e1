# SPDX-License-Identifier: Apache-2.0
# source: fsopen, open_tree, move_mount, mount_setattr (Linux 5.2 to 5.12): filters that only know
#     mount(2) let them pass; CVE-2022-0185 was in fsconfig
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# denied: fsopen, open_tree, move_mount, mount_setattr, fsmount
import ctypes
import kit

OPEN_TREE_CLONE, AT_RECURSIVE, AT_FDCWD = 1, 0x8000, -100
attributes = (ctypes.c_uint64 * 4)(0, 1, 0, 0)  # clear MOUNT_ATTR_RDONLY
# A tree without OPEN_TREE_CLONE is a mere O_PATH descriptor, so that is no try.
kit.judge(fsopen=kit.call("fsopen", b"tmpfs", 0),
          open_tree=kit.call("open_tree", AT_FDCWD, b"/usr", OPEN_TREE_CLONE | AT_RECURSIVE),
          move_mount=kit.call("move_mount", AT_FDCWD, b"/usr", AT_FDCWD, b"/tmp", 0),
          fsmount=-1 if kit.call("fsmount", 0, 0, 0) < 0 else 0,
          mount_setattr=kit.call("mount_setattr", AT_FDCWD, b"/usr", 0, attributes, 32))
