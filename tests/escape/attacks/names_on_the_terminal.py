# SPDX-License-Identifier: Apache-2.0
# source: CVE-2021-42574 (Trojan Source), CVE-2024-52005's kind: file names with terminal commands
# stopped-by: collector
# alone: no layer of the kernel's: names are bytes, and are shown escaped
# expect: planted
# plain: yes
import os
import kit

for name in (b"\033]0;title\007", b"\033[2J\033[31mred", b"two\nHELD lines", b"\x9b31m",
             b"\xff\xfe", "right\u202eto\u2066left".encode(), b"carriage\rreturn",
             b"\xc0\xaf..", b"x" * 255):
    os.symlink(b"/", name)
os.mkfifo(b"\007bell")
kit.held("planted")
