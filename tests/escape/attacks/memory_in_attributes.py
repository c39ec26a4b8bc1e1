# SPDX-License-Identifier: Apache-2.0
# source: xattr(7) on tmpfs: small, many, and in the kernel's memory
# stopped-by: memory
# alone: where there are no cgroups nothing counts them but the size of the file system
# expect: ENOSPC EDQUOT E2BIG EOPNOTSUPP
# ends: oom_killed | exit 0
# args: --memory 48m --disk 32m --timeout 8s
import os
import kit

total = 0
try:
    for file in range(4000):
        with open("f%d" % file, "w"):
            pass
        for number in range(8):
            os.setxattr("f%d" % file, "user.a%d" % number, bytes(60000))
            total += 60000
            if total > 200 << 20:
                kit.escaped(total >> 20, "MiB of attributes")
except OSError as e:
    kit.held(kit.name_of(e.errno))
kit.escaped("attributes without end")
