# SPDX-License-Identifier: Apache-2.0
# source: CVE-2024-21626 (runc): "/proc/self/fd/7/../../.." as a path, and as the working folder
# stopped-by: root
# expect: ENOENT ENOTDIR
# then: landlock
# expect-then: ENOENT ENOTDIR EACCES
# leaks-descriptor: yes
import os
import kit

up = "/.." * 12
tries = ["/proc/self/fd/%d%s%s" % (fd, dots, kit.canary("SECRET"))
         for fd in range(64) for dots in ("", up)]
tries += ["/proc/self/fd/%d/secret" % fd for fd in range(64)]
tries += ["." + up + kit.canary("OPEN"), "/proc/self/cwd" + up + kit.canary("OPEN")]
kit.judge_reads(tries)
