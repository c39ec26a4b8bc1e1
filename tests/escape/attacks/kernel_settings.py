# SPDX-License-Identifier: Apache-2.0
# source: container lore, CVE-2022-0811 (CRI-O): core_pattern, modprobe, uevent_helper,
#     binfmt_misc: programs that the kernel starts as root outside; sysrq-trigger; all of /proc/sys
# stopped-by: proc
# expect: EROFS ENOENT EACCES EPERM
# then: root, landlock
# expect-then: ENOENT; EACCES ENOENT EROFS EPERM
import glob
import os
import kit

paths = ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger",
         "/proc/sys/kernel/hotplug", "/proc/sys/vm/drop_caches", "/proc/sys/kernel/panic",
         "/proc/sys/kernel/ns_last_pid", "/proc/sys/fs/binfmt_misc/register",
         "/proc/sys/kernel/hostname", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/fs/suid_dumpable",
         "/proc/self/oom_score_adj", "/proc/self/mem", "/proc/self/timerslack_ns",
         "/proc/self/coredump_filter", "/proc/1/oom_score_adj", "/proc/self/clear_refs",
         "/sys/kernel/uevent_helper", "/sys/power/state",
         *glob.glob("/sys/kernel/mm/*/*")[:5]]
if kit.canary("WITHOUT") == "proc,root":
    # In the host's /proc what is one's own may be written.
    paths = [path for path in paths if "/self/" not in path]
kit.judge(**{path: kit.attempt(os.open, path, os.O_WRONLY) for path in paths})
