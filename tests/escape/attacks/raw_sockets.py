# SPDX-License-Identifier: Apache-2.0
# source: CVE-2020-14386's kind, packet(7), raw(7): forged packets and sniffing
# stopped-by: seccomp
# expect: EAFNOSUPPORT
# then: capabilities
# expect-then: EPERM EPROTONOSUPPORT EAFNOSUPPORT EACCES ESOCKTNOSUPPORT
# denied: socket(SOCK_RAW), socket(AF_PACKET)
import socket
import kit

kit.judge(icmp=kit.attempt(socket.socket, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
          raw=kit.attempt(socket.socket, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW),
          six=kit.attempt(socket.socket, socket.AF_INET6, socket.SOCK_RAW, 58),
          packet=kit.attempt(socket.socket, socket.AF_PACKET, socket.SOCK_RAW, 0x300),
          cooked=kit.attempt(socket.socket, socket.AF_PACKET, socket.SOCK_DGRAM, 0x300))
