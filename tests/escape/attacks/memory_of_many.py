# SPDX-License-Identifier: Apache-2.0
# source: per-process limits (RLIMIT_AS) count each process by itself: many small ones
# stopped-by: memory
# alone: where there are no cgroups the supervisor adds them up
# ends: oom_killed
# args: --memory 96m --timeout 8s
import os
import time

for _ in range(30):
    if os.fork() == 0:
        held = bytearray(b"x") * (20 << 20)
        time.sleep(3)
        os._exit(0)
time.sleep(3)
print("ESCAPED 600 MiB in 30 processes")
