# SPDX-License-Identifier: Apache-2.0
# source: landlock(7), REFER: a hard link made inside to a file outside would carry our rights to it
# stopped-by: root
# expect: ENOENT EXDEV EROFS
# then: landlock
# expect-then: EXDEV EACCES EPERM
# bare: yes
import os
import kit

tmp = os.environ["TMPDIR"] + "/link"
tries = {"link " + name: kit.attempt(os.link, kit.canary(name), tmp, follow_symlinks=False)
         for name in ("SECRET", "OPEN", "WRITABLE")}
tries["program"] = kit.attempt(os.link, "/usr/bin/env", "linked")
tries["move out"] = kit.attempt(os.rename, kit.canary("WRITABLE"), tmp)
kit.judge(**tries)
