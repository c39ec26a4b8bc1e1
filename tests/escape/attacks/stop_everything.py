# SPDX-License-Identifier: Apache-2.0
# source: signal(7): a stopped process answers nothing; the time limit must not need an answer
# stopped-by: supervisor
# alone: the deadline is kept from outside, and killing needs nobody's help
# ends: timed_out
# args: --timeout 1s
import os
import signal

for _ in range(3):
    if os.fork() == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGSTOP)
print("ESCAPED went on")
