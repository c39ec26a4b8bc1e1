# SPDX-License-Identifier: Apache-2.0
# source: shm_overview(7): /dev/shm of the host, where browsers and databases keep what they share
# stopped-by: root
# expect: ENOENT
# then: landlock
# expect-then: EACCES
# bare: yes
import os
import kit

kit.judge(read=kit.attempt(os.open, kit.canary("SHM_FILE"), os.O_RDONLY),
          write=kit.attempt(os.open, kit.canary("SHM_FILE"), os.O_RDWR))
