# SPDX-License-Identifier: Apache-2.0
# source: proc(5): the kernel's memory, its symbols, its log, other people's pages
# stopped-by: proc
# expect: ENOENT EACCES EPERM nothing
# then: root
import os
import kit

errors = set()
for path in ("/proc/kcore", "/proc/kallsyms", "/proc/kmsg", "/proc/keys", "/proc/timer_list",
             "/proc/vmallocinfo", "/proc/slabinfo", "/proc/kpagecount", "/proc/kpageflags",
             "/proc/sched_debug", "/proc/interrupts", "/proc/bus/pci/devices", "/proc/scsi/scsi", "/proc/1/stack",
             "/sys/kernel/notes", "/sys/firmware/acpi/tables/DSDT", "/boot/System.map"):
    found = kit.read(path, 4096)
    if isinstance(found, bytes) and found.strip():
        kit.escaped("read", path)
    errors.add("nothing" if isinstance(found, bytes) else kit.name_of(-found))
kit.held(*errors)
