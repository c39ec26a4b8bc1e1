# SPDX-License-Identifier: Apache-2.0
# source: CVE-2023-28100 (flatpak), tty(4): /dev/tty or the controlling terminal, left to the guest
# stopped-by: root
# expect: ENXIO ENOENT EACCES none
# then: landlock
# terminal: yes
import os
import kit

for fd in range(3):
    if os.isatty(fd):
        kit.escaped("a terminal on descriptor", fd)
with open("/proc/self/stat") as f:
    if int(f.read().rpartition(")")[2].split()[4]) > 0:
        kit.escaped("a controlling terminal")
kit.judge(tty=kit.attempt(os.open, "/dev/tty", os.O_RDWR),
          console=kit.attempt(os.open, "/dev/console", os.O_RDWR | os.O_NOCTTY))
