# SPDX-License-Identifier: Apache-2.0
# source: capabilities(7), CVE-2023-2640: security.capability written by who may not
# stopped-by: capabilities
# expect: EPERM EROFS EOPNOTSUPP ENOTSUP
# then: root
import os
import shutil
import struct
import kit

shutil.copy("/usr/bin/env", "tool")
everything = struct.pack("<IIIII", 0x02000001, 0xffffffff, 0, 0xffffffff, 0)
kit.judge(file=kit.attempt(os.setxattr, "tool", "security.capability", everything),
          usr=kit.attempt(os.setxattr, "/usr/bin/env", "security.capability", everything))
