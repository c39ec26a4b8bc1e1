# SPDX-License-Identifier: Apache-2.0
# source: proc(5): a process of the same user shows its environment, and with it its tokens
# stopped-by: root
# expect: ENOENT EACCES nothing
# then: landlock
# bare: yes
import os
import kit

kit.judge_reads(["/proc/%s/environ" % pid for pid in os.listdir("/proc") if pid.isdigit()] +
                ["/proc/%s/environ" % kit.canary("PID")])
