# SPDX-License-Identifier: Apache-2.0
import os
import signal

print("before", flush=True)
os.kill(os.getpid(), signal.SIGTERM)
