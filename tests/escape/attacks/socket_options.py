# SPDX-License-Identifier: Apache-2.0
# source: CVE-2021-22555, CVE-2016-4997: netfilter's tables through setsockopt of a plain socket
# stopped-by: capabilities
# alone: with them the guest would own its own empty network only
# expect: EPERM ENOPROTOOPT EINVAL
import socket
import kit

SOL_IP, SOL_IPV6, IPT_SET_REPLACE, SO_MARK, SO_RCVBUFFORCE, IP_TRANSPARENT, TCP_REPAIR = \
    0, 41, 64, 36, 33, 19, 19
four, six = socket.socket(), socket.socket(socket.AF_INET6)
kit.judge(iptables=kit.attempt(four.setsockopt, SOL_IP, IPT_SET_REPLACE, bytes(2048)),
          ip6tables=kit.attempt(six.setsockopt, SOL_IPV6, IPT_SET_REPLACE, bytes(2048)),
          mark=kit.attempt(four.setsockopt, socket.SOL_SOCKET, SO_MARK, 1),
          force=kit.attempt(four.setsockopt, socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 28),
          transparent=kit.attempt(four.setsockopt, SOL_IP, IP_TRANSPARENT, 1),
          repair=kit.attempt(four.setsockopt, socket.IPPROTO_TCP, TCP_REPAIR, 1))
