# SPDX-License-Identifier: Apache-2.0
# source: namespaces(7): without a uts namespace the guest knows which machine it is on
# stopped-by: utsns
# alone: nothing else hides it; it is no secret on most machines
# expect: guest
# bare: yes
import os
import kit

names = [os.uname().nodename] + [n.decode().strip() for n in
                                (kit.read("/proc/sys/kernel/hostname"), kit.read("/etc/hostname"))
                                if isinstance(n, bytes)]
if any(name == kit.canary("HOSTNAME") for name in names):
    kit.escaped("the host's name")
kit.held("guest")
