# SPDX-License-Identifier: Apache-2.0
# source: container lore: /proc/PID/root and /proc/PID/cwd are doors into another mount namespace
# stopped-by: root
# expect: ENOENT EACCES
# then: landlock
# bare: yes
import os
import kit

processes = [n for n in os.listdir("/proc") if n.isdigit()] + ["self", kit.canary("PID")]
kit.judge_reads(["/proc/%s/%s%s" % (pid, door, kit.canary(secret))
                 for pid in processes for door in ("root", "cwd/../../../../../../..")
                 for secret in ("SECRET", "OPEN")])
