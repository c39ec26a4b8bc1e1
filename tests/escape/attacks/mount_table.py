# SPDX-License-Identifier: Apache-2.0
# source: proc(5): /proc/self/mountinfo names the host's disks and folders
# stopped-by: mountns
# alone: the sources of what is shown must be named; the host's other mounts are not there
# expect: own
# bare: yes
import kit

with open("/proc/self/mountinfo") as f:  # the kernel gives a page at a time
    mounts = [line.split() for line in f]
places = {fields[4] for fields in mounts}
kinds = {fields[fields.index("-") + 1] for fields in mounts}
if places & {"/boot", "/home", "/sys"} or kinds & {"cgroup", "cgroup2", "sysfs"} or \
        any(kit.canary("FOLDER") in field for fields in mounts for field in fields):
    kit.escaped("the host's mounts")
kit.held("own")
