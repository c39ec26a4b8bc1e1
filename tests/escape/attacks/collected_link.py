# SPDX-License-Identifier: Apache-2.0
# source: CVE-2019-14271's kind (docker cp): whoever copies out must not follow the guest's links
# stopped-by: collector
# alone: no layer of the kernel's: the supervisor reads with the caller's own rights
# expect: planted
import os
import kit

for number, target in enumerate((kit.canary("SECRET"), kit.canary("OPEN"), kit.canary("FOLDER"),
                                 "/etc/shadow", "/proc/self/environ", "/", "..", "/dev/zero",
                                 os.path.dirname(kit.canary("SECRET")))):
    os.symlink(target, "link%d" % number)
os.makedirs("deep/er")
os.symlink(os.path.dirname(kit.canary("OPEN")), "deep/er/folder")
os.symlink("loop", "loop")
kit.held("planted")
