# SPDX-License-Identifier: Apache-2.0
# source: landlock(7), "Current limitations": stat tells which files the host has, and how large
# stopped-by: root
# alone: Landlock does not know stat; what exists is visible where there is no private root
# expect: ENOENT
# bare: yes
import os
import kit

kit.judge(**{name: kit.attempt(os.stat, kit.canary(name))
             for name in ("OPEN", "WRITABLE", "SHM_FILE")})
