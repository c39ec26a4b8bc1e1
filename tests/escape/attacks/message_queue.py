# SPDX-License-Identifier: Apache-2.0
# source: mq_overview(7): POSIX queues belong to the ipc namespace, not to the mount namespace
# stopped-by: seccomp
# expect: ENOSYS
# then: ipcns, landlock
# expect-then: ENOENT EACCES; EACCES
# bare: yes
import os
import kit

queue = kit.call("mq_open", kit.canary("MQ")[1:].encode(), os.O_RDWR, 0, None)
kit.judge(opened=queue)
