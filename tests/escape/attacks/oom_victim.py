# SPDX-License-Identifier: Apache-2.0
# source: proc(5), oom_score_adj: make pid 1 the victim, or oneself immune
# stopped-by: memory
# alone: /proc is read-only, and who is killed makes no difference: all are
# ends: oom_killed
# args: --memory 64m --timeout 8s
import os
import kit

for pid in ("1", "self"):
    for value in ("1000", "-1000", "0"):
        if kit.attempt(lambda: open("/proc/%s/oom_score_adj" % pid, "w").write(value)) >= 0 and \
                os.path.isdir("/box"):
            kit.escaped("a score of", value)
children = [os.fork() for _ in range(3)]
held = []
while True:
    held.append(bytearray(b"x") * (1 << 20))
    if len(held) > 1000:
        kit.escaped("1 GB")
