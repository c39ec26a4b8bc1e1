# SPDX-License-Identifier: Apache-2.0
import os
import sys

pid = os.fork()
if pid == 0:
    print("child")
    sys.exit(3)
_, status = os.waitpid(pid, 0)
print("parent", os.waitstatus_to_exitcode(status))
