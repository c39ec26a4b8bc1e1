# SPDX-License-Identifier: Apache-2.0
# source: CVE-2022-32250 (netfilter), CVE-2017-7308 (packet), CVE-2017-6074 (DCCP): a socket of
#     a rare family loads and reaches code that nobody looks at
# stopped-by: seccomp
# expect: EAFNOSUPPORT
# alone: what a family lets one do is guarded by capabilities, what its code does wrong by nothing
# denied: socket(AF_PACKET), socket(AF_ALG), socket(AF_VSOCK), socket(AF_NETLINK), socket(AF_KEY),
#     socket(AF_RDS), socket(AF_TIPC), socket(AF_CAN), socket(AF_BLUETOOTH), socket(AF_XDP)
# bare: yes
import socket
import kit

ORDINARY = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
tries = {}
for family in [f for f in range(3, 46) if f not in ORDINARY] + [1 << 20, -1]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        fd = kit.libc.socket(family, kind, 0)
        tries["family %d" % family] = fd if fd >= 0 else -kit.ctypes.get_errno()
        if fd >= 0:
            kit.escaped("family", family)
for protocol in range(1, 23):  # all but NETLINK_ROUTE: netfilter, xfrm, audit, generic, crypto
    fd = kit.libc.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
    tries["netlink %d" % protocol] = fd if fd >= 0 else -kit.ctypes.get_errno()
kit.judge(**tries)
