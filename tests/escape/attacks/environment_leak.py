# SPDX-License-Identifier: Apache-2.0
# source: CWE-526: secrets of the caller that a sandbox passes on by mistake
# stopped-by: environment
# alone: a list of what goes in, and no layer of the kernel's
# expect: scrubbed EACCES ENOENT
import os
import kit

if any(value.startswith("CANARY-") for value in os.environ.values()):
    kit.escaped("the caller's environment")
for pid in ("1", str(os.getppid())):
    if kit.is_secret(kit.read("/proc/%s/environ" % pid)):
        kit.escaped("the supervisor's environment")
kit.held("scrubbed")
