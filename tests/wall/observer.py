# SPDX-License-Identifier: Apache-2.0
"""What the host looks like: two looks, before and after, and what is different between them that guests must not change."""

import ctypes
import glob
import os
import re
import resource
import socket
import time

# Figures that the host itself changes all the time.
RESTLESS = re.compile(r"random/|-nr$|-state$|ns_last_pid|/pty/nr|perf_cpu|sched_domain|/nf_conntrack_count$|cdrom|"
                      r"sysctl_writes|quota/syncs|/stable_secret$|max_lb_bytes|/neigh/|usermodehelper|/binfmt_misc/|user_reserve|"
                      r"/net/ipv[46]/conf/|drop_caches|compact_memory|stat_refresh|/flush$|netdev_rss|/mount-nr")
# What a kernel says when it meets a fault of its own.
FAULT = re.compile(r"BUG:|WARNING:|Oops|general protection fault, (?!ip:)|KASAN|UBSAN|refcount_t|use-after-free|soft lockup|"
                   r"hung task|list_(add|del) corruption|kernel NULL pointer")
UNPRIVILEGED = 61958  # nobody's: an ordinary user who starts guests
GUEST_IDS = range(0x60000000, 0x70000000)


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read(1 << 20).decode(errors="replace")
    except OSError as e:
        return "errno %d" % (e.errno or 0)


def settings():
    found = {}
    for folder, _, names in os.walk("/proc/sys"):
        for name in names:
            path = os.path.join(folder, name)
            if not RESTLESS.search(path):
                found[path] = read(path)
    return found


def mounts():
    """Without the numbers. The namespace is our own (own_mounts): other programs mount elsewhere."""
    return sorted(line.split(" ", 3)[3] for line in read("/proc/self/mountinfo").splitlines())


def modules():
    return sorted(line.split()[0] for line in read("/proc/modules").splitlines() if " " in line)


def folders():
    """Names, owners and modes of what lies where everybody may write, and of what nobody may change."""
    found = {}
    for folder in ("/", "/etc", "/tmp", "/var/tmp", "/dev/shm", "/run", "/usr", "/usr/bin", "/usr/lib", "/root", "/home"):
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            try:
                st = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            shared = folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/root", "/home")
            if not shared or st.st_uid in GUEST_IDS or st.st_uid == UNPRIVILEGED:
                found[entry.path] = (st.st_mode, st.st_uid, st.st_gid, st.st_nlink if st.st_mode & 0o100000 else 0)
    return found


def guests():
    """Processes with an id that only guests have."""
    found = []
    for path in glob.glob("/proc/[0-9]*/status"):
        m = re.search(r"^Uid:\s+(\d+)", read(path), re.M)
        if m and int(m.group(1)) in GUEST_IDS:
            found.append(path.split("/")[2])
    return found


def kernel_faults():
    """Lines of the kernel's log that tell of a fault of its own."""
    return [line for line in read_log().splitlines() if FAULT.search(line)]


def read_log():
    buffer = ctypes.create_string_buffer(4 << 20)
    size = ctypes.CDLL(None).klogctl(3, buffer, len(buffer))
    return buffer.raw[:max(size, 0)].decode(errors="replace")


def clock_offset():
    return time.time() - time.monotonic()


def memory():
    found = {m[0]: int(m[1]) for m in re.findall(r"^(\w+):\s+(\d+) kB", read("/proc/meminfo"), re.M)}
    return {"available": found["MemAvailable"] // 1024, "unreclaimable slab": found["SUnreclaim"] // 1024,
            "huge pages in use": (found.get("HugePages_Total", 0) - found.get("HugePages_Free", 0))}


def counters():
    """What the kernel counts for the user that starts the guests."""
    status = read("/proc/self/status")
    tcp = re.search(r"^TCP:.* mem (\d+)", read("/proc/net/sockstat"), re.M)
    return {"queued signals": int(re.search(r"^SigQ:\s+(\d+)/", status, re.M).group(1)),
            "file locks": len(read("/proc/locks").splitlines()),
            "pages of TCP": int(tcp.group(1)) if tcp else 0,
            "segments": len(read("/proc/sysvipc/shm").splitlines())}


def own_state():
    return {"priority": os.getpriority(os.PRIO_PROCESS, 0), "processors": sorted(os.sched_getaffinity(0)),
            "scheduler": os.sched_getscheduler(0), "open files": resource.getrlimit(resource.RLIMIT_NOFILE),
            "host name": socket.gethostname(), "domain": read("/proc/sys/kernel/domainname")}


class Look:
    EXACT = ("settings", "mounts", "modules", "folders", "own_state")

    def __init__(self):
        self.settings, self.mounts, self.modules, self.folders = settings(), mounts(), modules(), folders()
        self.faults, self.tainted = kernel_faults(), read("/proc/sys/kernel/tainted")
        self.offset, self.memory, self.counters, self.own_state = clock_offset(), memory(), counters(), own_state()

    def changed(self, now):
        for name in self.EXACT:
            yield from differences(name, getattr(self, name), getattr(now, name))

    def kernel_says(self, now):
        if now.tainted != self.tainted:
            yield "the kernel is tainted: %s, was %s" % (now.tainted.strip(), self.tainted.strip())
        yield from [line for line in now.faults if line not in self.faults][:20]


def differences(name, before, after):
    if isinstance(before, list):
        before, after = dict.fromkeys(before), dict.fromkeys(after)
    for key in sorted(set(before) | set(after)):
        if before.get(key, "absent") != after.get(key, "absent"):
            yield "%s: %s: %s, was %s" % (name, key, after.get(key, "absent"), before.get(key, "absent"))
