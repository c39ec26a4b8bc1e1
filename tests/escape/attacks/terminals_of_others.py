# SPDX-License-Identifier: Apache-2.0
# source: containers before devpts had instances: one numbering of terminals for the host and all of them
# stopped-by: root
# expect: ENOENT
# then: landlock
# expect-then: EACCES ENOENT EIO
import os
import kit

others = ["/dev/pts/%d" % n for n in range(64)] + ["/dev/ttyp0", "/dev/vcs"]
tries = {path: kit.attempt(os.open, path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK) for path in others}
try:
    master, slave = os.openpty()
except OSError:
    kit.judge(**tries)
# The first one of its instance, and nobody else's.
if os.ttyname(slave) != "/dev/pts/0" or sorted(os.listdir("/dev/pts")) != ["0", "ptmx"]:
    kit.escaped("a numbering that others use:", os.ttyname(slave), os.listdir("/dev/pts"))
kit.judge(**tries)
