# SPDX-License-Identifier: Apache-2.0
# source: "42.zip" without the zip, and no limit on the disk: four tebibytes that are not there
# stopped-by: collector
# alone: no layer of the kernel's: --disk 0 has none
# expect: planted
# args: --disk 0 --inodes 0
import os
import kit

for number in range(3):
    with open("giant%d" % number, "wb") as f:
        os.truncate(f.fileno(), 1 << 42)
kit.held("planted")
