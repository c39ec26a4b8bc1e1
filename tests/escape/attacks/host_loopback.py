# SPDX-License-Identifier: Apache-2.0
# source: CVE-2025-49596 (MCP Inspector)'s kind: services on 127.0.0.1 that trust their machine
# stopped-by: netns
# expect: ECONNREFUSED EADDRNOTAVAIL ENETUNREACH
# then: seccomp, landlock
# expect-then: EAFNOSUPPORT; EACCES
# denied-then: socket(AF_INET);
# bare: yes
import socket
import kit


def reach(address, family=socket.AF_INET):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(2)
        s.connect((address, int(kit.canary("PORT"))))


kit.judge(**{a: kit.attempt(reach, a) for a in ("127.0.0.1", "0.0.0.0", "127.1.2.3")},
          six=kit.attempt(reach, "::ffff:127.0.0.1", socket.AF_INET6))
