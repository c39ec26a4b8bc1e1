# SPDX-License-Identifier: Apache-2.0
# source: proc(5): /proc/cmdline and the like tell of the machine: keys, disks, the hypervisor
# stopped-by: proc
# alone: nothing else hides it
# expect: masked ENOENT EACCES
# bare: yes
import kit

line = kit.read("/proc/cmdline")
if isinstance(line, bytes) and line.strip():
    kit.escaped("the kernel's command line")
kit.held("masked")
