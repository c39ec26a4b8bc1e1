# SPDX-License-Identifier: Apache-2.0
# source: fork(2): children that are never reaped keep their numbers
# stopped-by: pids
# expect: EAGAIN
# alone: RLIMIT_NPROC stands in where there are no cgroups
# args: --pids 20 --timeout 5s
# limits: pids
import os
import time
import kit

for count in range(500):
    try:
        if os.fork() == 0:
            os._exit(0)
    except OSError as e:
        time.sleep(1)  # whoever counts from outside looks every few milliseconds
        kit.held(kit.name_of(e.errno))
kit.escaped(count, "zombies")
