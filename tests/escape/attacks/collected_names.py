# SPDX-License-Identifier: Apache-2.0
# source: tar-slip (CVE-2007-4559), overlong UTF-8, "%2e%2e": names that mean something else
# stopped-by: collector
# alone: no layer of the kernel's
# expect: planted
import os
import kit

for name in (b"..\\..\\up", b"%2e%2e%2fup", b"\xc0\xae\xc0\xae\xc0\xafup", b"...", b" ", b"-rf",
             b"~", b"\n", b"\r", b"\033[2J", b"\xff", b"con", b"a" * 255, b".glovebox-0-0.part",
             b"glovebox.conf", b".bashrc"):
    with open(name, "w") as f:
        f.write("x")
    os.makedirs(b"folder/" + name)
kit.held("planted")
