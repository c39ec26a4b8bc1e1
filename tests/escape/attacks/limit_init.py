# SPDX-License-Identifier: Apache-2.0
# source: prlimit(2): our pid 1 is of the guest's user; with less it would be killed, with more a fork of a session
#     would not be counted (inside/check.c). Here only RLIMIT_CORE
# stopped-by: seccomp
# alone: who is of the same user may limit it
# expect: EPERM
# denied: prlimit64
import os
import resource
import time
import kit

if kit.attempt(resource.prlimit, os.getpid(), resource.RLIMIT_CORE) < 0:
    kit.escaped("its own number is refused")
child = os.fork()
if child == 0:
    time.sleep(5)
    os._exit(0)
kit.judge(init=kit.attempt(resource.prlimit, 1, resource.RLIMIT_CORE, (0, 0)),
          child=kit.attempt(resource.prlimit, child, resource.RLIMIT_CORE))
