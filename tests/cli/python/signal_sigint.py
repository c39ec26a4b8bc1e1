# SPDX-License-Identifier: Apache-2.0
import os
import signal
import time

print("before", flush=True)
os.kill(os.getpid(), signal.SIGINT)
time.sleep(5)
