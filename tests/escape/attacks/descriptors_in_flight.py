# SPDX-License-Identifier: Apache-2.0
# source: CVE-2021-0920's kind: descriptors sent over a socket and never received are open,
#     yet nobody's
# stopped-by: rlimits
# alone: the kernel counts those in flight per user against RLIMIT_NOFILE
# expect: ETOOMANYREFS EMFILE EAGAIN
# args: --open-files 100
import array
import socket
import kit

pairs = [socket.socketpair() for _ in range(20)]
message = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 50))]
sent = 0
try:
    for _ in range(200):
        for ours, theirs in pairs:
            ours.setblocking(False)
            ours.sendmsg([b"x"], message)
            sent += 50
except OSError as e:
    kit.held(kit.name_of(e.errno))
kit.escaped(sent, "descriptors in flight")
