# SPDX-License-Identifier: Apache-2.0
# source: pidfd_getfd(2): a copy of any descriptor of a process: init's control socket
# stopped-by: seccomp
# expect: EPERM
# then: landlock
# expect-then: EPERM ESRCH EBADF EINVAL
# denied: pidfd_getfd
# bare: yes
import os
import kit

tries = {}
for pid in {1, os.getppid(), int(kit.canary("PID"))}:
    pidfd = kit.call("pidfd_open", pid, 0)
    for fd in range(3 if pid == int(kit.canary("PID")) else 12):
        tries["%d of %d" % (fd, pid)] = kit.call("pidfd_getfd", pidfd, fd, 0)
kit.judge(**tries)
