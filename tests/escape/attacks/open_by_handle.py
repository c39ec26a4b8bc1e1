# SPDX-License-Identifier: Apache-2.0
# source: "Shocker" (2014), CAP_DAC_READ_SEARCH: a file handle opens any file of a disk by number
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# expect-then: EPERM EOPNOTSUPP ESTALE EACCES
# denied: open_by_handle_at
import ctypes
import os
import kit

# Inode 2 is the root folder of an ext4 disk; /usr lies on the host's.
handle = (ctypes.c_uint32 * 4)(8, 1, 2, 0)
disk = os.open("/usr", os.O_RDONLY)
mount_id = ctypes.c_int()
tries = {"root of the disk": kit.call("open_by_handle_at", disk, handle, os.O_RDONLY)}
if kit.call("name_to_handle_at", disk, b"bin", handle, ctypes.byref(mount_id), 0) >= 0:
    tries["by its own handle"] = kit.call("open_by_handle_at", disk, handle, os.O_RDONLY)
kit.judge(**tries)
