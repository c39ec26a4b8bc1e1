# SPDX-License-Identifier: Apache-2.0
# source: daemon(7), double fork: the commonest leak of all sandboxes (see peers: orphans)
# stopped-by: pidns
# expect: started
# then: supervisor
import os
import signal
import time
import kit

for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_IGN)
            os.closerange(0, 64)
            os.chdir("/")
            time.sleep(20)
        os._exit(0)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
kit.held("started")
