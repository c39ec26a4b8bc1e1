# SPDX-License-Identifier: Apache-2.0
# source: kill(2), pid -1: everything that may be signalled. SIGURG, which by default does nothing
# stopped-by: pidns
# expect: alive
# then: landlock, seccomp
# expect-then: alive EPERM; EPERM
# denied-then: ; kill
import os
import signal
import kit

result = kit.attempt(os.kill, -1, signal.SIGURG)  # the host's process would note it
kit.held("alive" if result >= 0 or result == -3 else kit.name_of(-result))
