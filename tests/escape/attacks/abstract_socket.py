# SPDX-License-Identifier: Apache-2.0
# source: CVE-2020-15257 (containerd): abstract Unix sockets live in the network namespace only
# stopped-by: netns
# expect: ECONNREFUSED
# then: landlock
# expect-then: EPERM
# bare: yes
import socket
import kit


def reach(name):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("\0" + name)


kit.judge(host=kit.attempt(reach, kit.canary("ABSTRACT")))
