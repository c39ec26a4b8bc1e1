# SPDX-License-Identifier: Apache-2.0
# source: tmpfs is memory: /tmp, /dev/shm, memfds and the workspace are not free
# stopped-by: memory
# then: root
# ends: oom_killed | exit 0
# args: --memory 64m --disk 128m --timeout 8s
import os
import kit

errors = set()
for number, folder in enumerate(("/tmp", "/dev/shm", ".")):
    try:
        with open("%s/big" % folder, "wb", buffering=0) as f:
            for _ in range(100):
                f.write(bytes(4 << 20))
        kit.escaped("400 MiB in", folder)
    except OSError as e:
        errors.add(kit.name_of(e.errno))
kit.held(*errors)
