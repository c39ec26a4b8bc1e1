# SPDX-License-Identifier: Apache-2.0
# source: CVE-2019-5736 (runc): /proc/PID/exe opened for writing is the sandbox's own program
# stopped-by: proc
# expect: EACCES ENOENT EROFS ETXTBSY EPERM
# then: root
import os
import kit

paths = ["/proc/%s/exe" % pid for pid in ("1", str(os.getppid()), "self", "thread-self")]
for path in paths[:2]:
    if kit.attempt(os.open, path, os.O_RDONLY) >= 0 and os.getppid() > 0:
        if b"glovebox-jail" in os.readlink(path).encode():
            kit.escaped("a view of", os.readlink(path))
kit.judge_writes(paths)
