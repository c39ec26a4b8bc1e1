# SPDX-License-Identifier: Apache-2.0
# source: CVE-2024-21626 (runc): a descriptor of the host's, left open, leads out through ".."
# stopped-by: descriptors
# alone: all above 2 are closed before the program starts; the next test is what else could be there
# expect: none
# leaks-descriptor: yes
import os
import kit

# Who imports more than the standard library may show something: a text of ours to read, a pipe to us (docs/security-details.md).
ours = ["/memfd:glovebox-rich (deleted)", "pipe:"]
for name in os.listdir("/proc/self/fd"):
    fd = int(name)
    if fd <= 2 or not os.path.lexists("/proc/self/fd/%d" % fd):
        continue
    target = os.readlink("/proc/self/fd/%d" % fd)
    expected = [known for known in ours if target.startswith(known)]
    if not expected:
        kit.escaped("descriptor", fd, target)
    ours.remove(expected[0])
kit.held("none")
