# SPDX-License-Identifier: Apache-2.0
# source: hidepid and pid_namespaces(7): who else runs here, and with which arguments
# stopped-by: proc
# then: pidns
# expect: own
# bare: yes
import os
import kit

names = {n for n in os.listdir("/proc") if n.isdigit()}
if kit.canary("PID") in names or kit.canary("NEIGHBOUR_PID") in names or len(names) > 3:
    kit.escaped("processes", *sorted(names)[:5])
for call in (os.getsid, os.getpgid, os.sched_getaffinity, os.sched_getscheduler):
    if kit.attempt(call, int(kit.canary("PID"))) >= 0:
        kit.escaped("the host's process by", call.__name__)
kit.held("own")
