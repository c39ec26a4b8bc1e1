# SPDX-License-Identifier: Apache-2.0
# source: namespaces(7): what another jail has in its queues, segments and abstract sockets
# stopped-by: ipcns
# expect: ENOENT EACCES ECONNREFUSED ESRCH ENOSYS
# alone: without an ipc namespace of our own the neighbour's still has one
import os
import socket
import kit


def reach(name):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("\0" + name)


tries = {}
for who in ("NEIGHBOUR", "ROOTLESS"):
    name = kit.canary(who + "_NAME")
    identifier = kit.libc.shmget(int(kit.canary(who + "_SHM_KEY")), 0, 0)
    tries[who + " segment"] = identifier if identifier >= 0 else -kit.ctypes.get_errno()
    tries[who + " queue"] = kit.call("mq_open", name.encode(), os.O_RDWR, 0, None)
    tries[who + " socket"] = kit.attempt(reach, name)
    tries[who + " process"] = kit.attempt(os.kill, int(kit.canary(who + "_PID")), 0)
kit.judge(**tries)
