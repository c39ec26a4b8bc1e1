# SPDX-License-Identifier: Apache-2.0
# source: SandboxBench, "exfiltration" class: another run at the same moment, its files by guessing
# stopped-by: root
# expect: nothing
# then: landlock
import glob
import os
import kit

# One neighbour has a private root, the other its folder under the caller's TMPDIR.
patterns = ["/box/*", "/tmp/*", "/tmp/*/*", "/dev/shm/*", "/proc/*/root/box/work/*",
            "/proc/*/root/tmp/*", "/proc/*/cwd/*", "/tmp/glovebox-*/*/*",
            kit.canary("NEIGHBOUR_TMP") + "/*/*/*", kit.canary("NEIGHBOUR_TMP") + "/*/*"]
for pattern in patterns:
    for path in glob.glob(pattern):
        if not os.path.isdir(path) and kit.is_secret(kit.read(path)):
            kit.escaped("read", path)
kit.held("nothing")
