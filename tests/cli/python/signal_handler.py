# SPDX-License-Identifier: Apache-2.0
import os
import signal

signal.signal(signal.SIGUSR1, lambda s, f: print("got", s, f.f_code.co_name))
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
print(signal.getsignal(signal.SIGPIPE), signal.getsignal(signal.SIGTERM))
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.signal(signal.SIGALRM, lambda *a: print("alarm"))
signal.pause()
