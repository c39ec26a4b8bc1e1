# SPDX-License-Identifier: Apache-2.0
# source: setns(2), nsenter(1): join the namespaces of pid 1, of a host's process, or by pidfd
# stopped-by: seccomp
# expect: EPERM EACCES ENOENT ESRCH
# then: capabilities
# denied: setns
import os
import kit

tries = {}
for pid in (1, os.getppid() or 1, int(kit.canary("PID"))):
    for kind in ("mnt", "pid", "user", "net"):
        fd = kit.attempt(os.open, "/proc/%d/ns/%s" % (pid, kind), os.O_RDONLY)
        tries["%s of %d" % (kind, pid)] = kit.call("setns", fd, 0) if fd > 2 else min(fd, -1)
    fd = kit.call("pidfd_open", pid, 0)
    tries["pidfd of %d" % pid] = kit.call("setns", fd, 0x20020000) if fd >= 0 else fd
tries["own"] = kit.call("setns", os.open("/proc/self/ns/mnt", os.O_RDONLY), 0)
kit.judge(**tries)
