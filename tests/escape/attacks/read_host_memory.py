# SPDX-License-Identifier: Apache-2.0
# source: proc(5), ptrace(2): /proc/PID/mem and maps of the supervisor and of a host's process
# stopped-by: root
# expect: ENOENT EACCES EPERM
# then: landlock
# expect-then: ENOENT EACCES EPERM
# bare: yes
import os
import kit

# Of our own parents even a single byte is too much; init's addresses are told by nobody.
for pid in ("1", str(os.getppid()), kit.canary("PID")):
    for file in ("maps", "mem", "auxv", "stack"):
        found = kit.read("/proc/%s/%s" % (pid, file))
        if isinstance(found, bytes) and found:
            kit.escaped("read %s of process %s" % (file, pid))
kit.judge(**{pid: kit.attempt(os.open, "/proc/%s/mem" % pid, os.O_RDWR)
             for pid in ("1", str(os.getppid()), kit.canary("PID"))})
