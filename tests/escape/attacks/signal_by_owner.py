# SPDX-License-Identifier: Apache-2.0
# source: fcntl(2), F_SETOWN: the kernel sends SIGIO (or any F_SETSIG) in the name of a descriptor
# stopped-by: pidns
# expect: ESRCH EPERM
# then: landlock, seccomp
# expect-then: EPERM silent; EPERM
# denied-then: ; fcntl(F_SETOWN)
# bare: yes
import fcntl
import os
import signal
import socket
import time
import kit

F_SETSIG = 10
ours, theirs = socket.socketpair()
try:
    fcntl.fcntl(ours, fcntl.F_SETOWN, int(kit.canary("PID")))
    fcntl.fcntl(ours, F_SETSIG, signal.SIGUSR2)
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
except OSError as e:
    kit.held(kit.name_of(e.errno))
theirs.send(b"x")
time.sleep(0.05)
# Landlock looks when the signal is sent: the runner sees whether one came.
if kit.canary("WITHOUT") == "pidns":
    kit.held("silent")
kit.escaped("a signal on its way")
