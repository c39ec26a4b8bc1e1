# SPDX-License-Identifier: Apache-2.0
# source: pid_namespaces(7): pid 1 ignores what it has no handler for; without that it would be dead
# stopped-by: landlock
# expect: EPERM
# then: pidns, seccomp
# expect-then: alive; EPERM
# denied-then: ; kill
import os
import signal
import time
import kit

parent = os.getppid() or 1  # a warm guest's is outside its namespace
results = {kit.attempt(os.kill, parent, number)
           for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV)}
time.sleep(0.02)
if results == {0} and parent == 1 and os.getppid() in (0, 1):
    kit.held("alive")
kit.judge(**{str(r): r for r in results})
