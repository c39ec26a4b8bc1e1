# SPDX-License-Identifier: Apache-2.0
# source: tar-slip (CVE-2007-4559) and its family: what is in the folder is no plain file
# stopped-by: collector
# alone: no layer of the kernel's
# expect: planted
import os
import socket
import kit

os.mkfifo("pipe")
s = socket.socket(socket.AF_UNIX)
s.bind("socket")
kit.attempt(os.mknod, "null", 0o020666, os.makedev(1, 3))
os.link("kit.py", "kit-again.py")
os.mkdir("unreadable")
open("unreadable/file", "w").close()
os.chmod("unreadable", 0)
open("no-rights", "w").close()
os.chmod("no-rights", 0)
os.mkdir("glovebox.conf")
kit.held("planted")
