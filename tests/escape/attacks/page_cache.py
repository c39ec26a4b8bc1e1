# SPDX-License-Identifier: Apache-2.0
# source: CVE-2019-5489 and its followers: which pages of a file are in memory tells what others read; who can also
#     drop them has a channel, and keeps the host's disk busy
# stopped-by: seccomp
# alone: files of the system may be read
# expect: ENOTSUP EINVAL
import mmap
import os
import kit

RWF_NOWAIT, RWF_DONTCACHE, MADV_COLD, MADV_PAGEOUT = 8, 0x80, 20, 21
path = os.path.realpath("/usr/bin/env")
fd = os.open(path, os.O_RDONLY)
room = [bytearray(4096)]
os.preadv(fd, room, 0)
tries = {"nowait": kit.attempt(os.preadv, fd, room, 0, RWF_NOWAIT),
         "uncached": kit.attempt(os.preadv, fd, room, 0, RWF_DONTCACHE)}
area = mmap.mmap(fd, 0, prot=mmap.PROT_READ)
tries["cold"] = kit.attempt(area.madvise, MADV_COLD)
tries["pageout"] = kit.attempt(area.madvise, MADV_PAGEOUT)
kit.judge(**tries)
