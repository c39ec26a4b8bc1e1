# SPDX-License-Identifier: Apache-2.0
# source: CVE-2006-2451 (PR_SET_DUMPABLE and cron), core(5): a dump written where the process
#     stands, or piped to a program of the host's
# stopped-by: rlimits
# expect: none
# alone: PR_SET_DUMPABLE and the root stand in the way too, but only of some patterns
import glob
import os
import resource
import signal
import kit

pid = os.fork()
if pid == 0:
    os.kill(os.getpid(), signal.SIGSEGV)
_, status = os.waitpid(pid, 0)
if os.WCOREDUMP(status) or glob.glob("core") or glob.glob("core.[0-9]*"):
    kit.escaped("a core dump")
# 1 is the limit at which the kernel starts no program of core_pattern's either; with 0 it does.
if resource.getrlimit(resource.RLIMIT_CORE)[1] != 1:
    kit.escaped("the right to dump core")
kit.held("none")
