# SPDX-License-Identifier: Apache-2.0
# source: CWE-400: ten thousand links, five thousand files, to fill a report
# stopped-by: collector
# alone: no layer of the kernel's
# expect: planted
import os
import kit

for number in range(10000):
    os.symlink("/etc/passwd", "link%d" % number)
for number in range(5000):
    open("file%d" % number, "w").close()
kit.held("planted")
