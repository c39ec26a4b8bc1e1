# SPDX-License-Identifier: Apache-2.0
# source: SSRF to the metadata service of a cloud (169.254.169.254), and plain exfiltration
# stopped-by: landlock
# expect: EACCES ENETUNREACH
# then: netns, seccomp
# expect-then: ENETUNREACH; EAFNOSUPPORT
import socket
import kit


def reach(address, kind, port):
    with socket.socket(socket.AF_INET, kind) as s:
        s.settimeout(1)
        s.connect((address, port))
        s.send(b"x")


# 192.0.2.1 and 203.0.113.1 are for documentation: nobody answers there (RFC 5737).
kit.judge(metadata=kit.attempt(reach, "169.254.169.254", socket.SOCK_STREAM, 80),
          dns=kit.attempt(reach, "192.0.2.1", socket.SOCK_DGRAM, 53),
          web=kit.attempt(reach, "203.0.113.1", socket.SOCK_STREAM, 443))
