# SPDX-License-Identifier: Apache-2.0
# source: proc(5): /proc/self/mountinfo names the host's disks and folders
# stopped-by: mountns
# alone: the sources of what is shown must be named; the host's other mounts are not there
# expect: own
# bare: yes
import kit

table = kit.read("/proc/self/mountinfo").decode()
if any(word in table for word in (" /boot ", " /home ", " /sys ", " cgroup", kit.canary("FOLDER"))):
    kit.escaped("the host's mounts")
kit.held("own")
