# SPDX-License-Identifier: Apache-2.0
# source: ioctl_list(2): requests on files tell where they lie on the disk, change flags, lock encrypted folders
# stopped-by: seccomp
# alone: what the file system answers then is its own matter
# expect: ENOTTY EPERM
# denied: ioctl(FS_IOC_REMOVE_ENCRYPTION_KEY)
import fcntl
import os
import kit

fd = os.open("/usr/bin", os.O_RDONLY)
requests = {"fiemap": 0xc020660b, "uuid": 0x80111500, "path": 0x80811501, "xattr": 0x801c581f, "version": 0x80087601,
            "remove_key": 0xc0406618, "policy": 0xc0096616, "setflags": 0x40086602, "fibmap": 1}
kit.judge(**{name: kit.attempt(fcntl.ioctl, fd, number, bytes(192)) for name, number in requests.items()})
