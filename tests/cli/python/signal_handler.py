# SPDX-License-Identifier: Apache-2.0
import os
import signal

signal.signal(signal.SIGUSR1, lambda s, f: print("got", s, f.f_code.co_name))
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
print(signal.getsignal(signal.SIGPIPE), signal.getsignal(signal.SIGTERM))
rung = []
signal.signal(signal.SIGALRM, lambda *a: rung.append("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)  # again and again: the first may come before pause()
signal.pause()
signal.setitimer(signal.ITIMER_REAL, 0)
print(rung[0])
