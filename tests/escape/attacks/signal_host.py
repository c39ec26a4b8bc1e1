# SPDX-License-Identifier: Apache-2.0
# source: kill(2): a signal to a process of the host's, through every call that sends one
# stopped-by: pidns
# expect: ESRCH EPERM EINVAL EBADF
# then: landlock, seccomp
# expect-then: EPERM EBADF EINVAL; EPERM EBADF EINVAL
# denied-then: ; kill, tgkill, tkill, rt_sigqueueinfo
# bare: yes
import ctypes
import os
import signal
import kit

syscall = {"x86_64": (62, 234, 200, 129), "aarch64": (129, 131, 130, 138)}[os.uname().machine]
kill, tgkill, tkill, sigqueue = syscall
tries = {}


def send(name, number, *args):
    result = kit.libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in args])
    tries[name] = result if result >= 0 else -ctypes.get_errno()


for who in ("PID", "NEIGHBOUR_PID"):
    pid = int(kit.canary(who))
    send("kill " + who, kill, pid, signal.SIGUSR1)
    send("tgkill " + who, tgkill, pid, pid, signal.SIGUSR1)
    send("tkill " + who, tkill, pid, signal.SIGUSR1)
    info = (ctypes.c_int * 32)(signal.SIGUSR1, 0, -1)
    result = kit.libc.syscall(ctypes.c_long(sigqueue), pid, signal.SIGUSR1, info)
    tries["sigqueue " + who] = result if result >= 0 else -ctypes.get_errno()
    pidfd = kit.call("pidfd_open", pid, 0)
    tries["pidfd " + who] = kit.call("pidfd_send_signal", pidfd, signal.SIGUSR1, None, 0)
kit.judge(**tries)
