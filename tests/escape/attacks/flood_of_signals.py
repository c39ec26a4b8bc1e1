# SPDX-License-Identifier: Apache-2.0
# source: signal(7): fill the queue of pid 1, or of everybody of that uid
# stopped-by: pidns
# expect: bounded
# alone: pid 1 takes no signal without a handler; the queue is limited by RLIMIT_SIGPENDING
import os
import signal
import kit

errors = set()
for number in range(signal.SIGRTMIN, signal.SIGRTMAX + 1):
    for _ in range(300):
        errors.add(kit.attempt(os.kill, 1, number))
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
sent = 0
while sent < 200000 and kit.attempt(os.kill, os.getpid(), signal.SIGRTMIN) == 0:
    sent += 1
kit.held("bounded")
