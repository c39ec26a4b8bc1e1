# SPDX-License-Identifier: Apache-2.0
# source: CWE-674: folders in folders, deeper than any path, to exhaust a recursive walk
# stopped-by: collector
# alone: no layer of the kernel's; inodes bound it
# expect: planted
import os
import kit

for _ in range(3000):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
open("bottom", "w").close()
kit.held("planted")
