# SPDX-License-Identifier: Apache-2.0
# source: landlock(7): before ABI 3 the rules did not know truncate(2), and files could be emptied
# stopped-by: root
# expect: ENOENT
# then: landlock
# expect-then: EACCES
# bare: yes
import os
import kit

target = kit.canary("WRITABLE")
kit.judge(truncate=kit.attempt(os.truncate, target, 0),
          open=kit.attempt(os.open, target, os.O_WRONLY | os.O_TRUNC),
          unlink=kit.attempt(os.unlink, target))
