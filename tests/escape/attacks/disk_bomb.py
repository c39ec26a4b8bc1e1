# SPDX-License-Identifier: Apache-2.0
# source: CWE-400: fill the disk, in each place that can be written
# stopped-by: root
# alone: without a private root the guest's folder is on the host's disk, and RLIMIT_FSIZE bounds
#     each file only
# expect: ENOSPC
# args: --disk 8m --timeout 8s
# limits: disk
import errno

import kit

errors = set()
for folder in ("/tmp", "/dev/shm", ".", "/box"):
    try:
        with open(folder + "/fill", "wb", buffering=0) as f:
            for _ in range(20):
                if f.write(bytes(1 << 20)) < 1 << 20:
                    raise OSError(28, "")
        kit.escaped("20 MiB in", folder)
    except OSError as e:
        if folder == "/box" and e.errno in (errno.EROFS, errno.EACCES):
            continue  # nothing is written beside the three
        errors.add(kit.name_of(e.errno))
kit.held(*errors)
