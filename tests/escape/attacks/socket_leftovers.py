# SPDX-License-Identifier: Apache-2.0
# source: ipv6.rst: a flow label stays when its socket is gone, for all of the network namespace to read; filters, keys
#     and multicast groups of sockets are kernel memory that is charged to nobody
# stopped-by: seccomp
# alone: sockets of one's own network
# expect: EPERM ENOPROTOOPT ENOBUFS
# denied: setsockopt(IPV6_FLOWLABEL_MGR), setsockopt(SO_ATTACH_FILTER), setsockopt(IP_ADD_MEMBERSHIP)
import ctypes
import socket
import struct
import kit

SOL_IPV6, FLOWLABEL_MGR, PKTOPTIONS, ATTACH_FILTER, ZEROCOPY, MD5SIG, ULP = 41, 32, 6, 26, 60, 14, 31
six, tcp = socket.socket(socket.AF_INET6), socket.socket()
label = socket.inet_pton(socket.AF_INET6, "::1") + struct.pack("!I", 0x12345) + struct.pack("BBHHHI", 0, 255, 1, 6, 60, 0)
code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0xffff))
program = struct.pack("HxxxxxxP", 1, ctypes.addressof(code))
key = struct.pack("=H126sBBHiI80s", socket.AF_INET, bytes(126), 0, 0, 4, 0, 0, b"abcd" + bytes(76))


def join_many():
    for n in range(5000):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        group = struct.pack("!I", 0xe1000000 + n)
        s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group + socket.inet_aton("127.0.0.1"))
        s.close()


kit.judge(label=kit.attempt(six.setsockopt, SOL_IPV6, FLOWLABEL_MGR, label),
          packets=kit.attempt(six.setsockopt, SOL_IPV6, PKTOPTIONS, bytes(4096)),
          filter=kit.attempt(tcp.setsockopt, socket.SOL_SOCKET, ATTACH_FILTER, program),
          zerocopy=kit.attempt(tcp.setsockopt, socket.SOL_SOCKET, ZEROCOPY, 1),
          key=kit.attempt(tcp.setsockopt, socket.IPPROTO_TCP, MD5SIG, key),
          ulp=kit.attempt(tcp.setsockopt, socket.IPPROTO_TCP, ULP, b"tls"),
          groups=kit.attempt(join_many))
