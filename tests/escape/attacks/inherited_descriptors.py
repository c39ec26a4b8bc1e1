# SPDX-License-Identifier: Apache-2.0
# source: CVE-2024-21626 (runc): a descriptor of the host's, left open, leads out through ".."
# stopped-by: descriptors
# alone: all above 2 are closed before the program starts; the next test is what else could be there
# expect: none
# leaks-descriptor: yes
import os
import kit

for name in os.listdir("/proc/self/fd"):
    fd = int(name)
    if fd > 2 and os.path.lexists("/proc/self/fd/%d" % fd):
        kit.escaped("descriptor", fd, os.readlink("/proc/self/fd/%d" % fd))
kit.held("none")
