# SPDX-License-Identifier: Apache-2.0
# source: ptrace(2): take over pid 1, the parent, or a process of the host's
# stopped-by: seccomp
# expect: EPERM
# then: landlock
# expect-then: EPERM ESRCH
# denied: ptrace
# bare: yes
import os
import kit

ATTACH, SEIZE, DETACH = 16, 0x4206, 17


def take(pid):
    """Only seized, never stopped, and let go at once."""
    result = kit.call("ptrace", SEIZE, pid, 0, 0)
    if result >= 0:
        kit.call("ptrace", DETACH, pid, 0, 0)
    return result


pids = {1, os.getppid(), int(kit.canary("PID")), int(kit.canary("NEIGHBOUR_PID"))}
kit.judge(**{"process %d" % pid: take(pid) for pid in pids})
