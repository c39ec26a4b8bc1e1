# SPDX-License-Identifier: Apache-2.0
"""What a fork of Python costs without any wall: compiles and runs a line in a child, waits for it. RUNS as argument."""
import gc
import os
import resource
import sys
import time

runs = int(sys.argv[1])
exec(compile("print", "<line>", "exec"))
gc.collect()
gc.freeze()
times, quiet = [], os.open("/dev/null", os.O_WRONLY)
begin = time.perf_counter()
for _ in range(runs):
    start = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        os.dup2(quiet, 1)
        exec(compile("print(1)", "<line>", "exec"), {})
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(pid, 0)
    times.append(time.perf_counter() - start)
times.sort()
use = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print("  bare fork of Python, no wall: p50 %.3f ms, p99 %.3f ms, %.0f runs/s, %.3f cpu ms a run" % (
    times[runs // 2] * 1e3, times[runs * 99 // 100] * 1e3, runs / (time.perf_counter() - begin),
    sum(u.ru_utime + u.ru_stime for u in use) / runs * 1e3))
