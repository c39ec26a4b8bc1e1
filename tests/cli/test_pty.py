# SPDX-License-Identifier: Apache-2.0
"""Pseudo-terminals inside: programs that want a terminal get one of the jail's own."""

import os
import shutil

SPAWN = """
import os, pty, sys
status = pty.spawn(["sh", "-c", "tty; test -t 0 && echo $((6 * 7)) >/dev/tty; exit 3"])
print("status", os.waitstatus_to_exitcode(status))
"""

LINE = """
import os, pty, signal
pid, fd = pty.fork()
if pid == 0:
    import readline
    print("got " + input("? "))
    os._exit(0)
os.write(fd, b"wrong\\x15right\\n")
out = b""
try:
    while data := os.read(fd, 4096):
        out += data
except OSError:
    pass
print("got right" in out.decode(), os.waitpid(pid, 0)[1])
"""

INTERRUPT = """
import os, pty, time
pid, fd = pty.fork()
if pid == 0:
    os.write(1, b"ready")
    time.sleep(20)
os.read(fd, 5)
os.write(fd, b"\\x03")
try:
    while os.read(fd, 4096):
        pass
except OSError:
    pass
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""

MANY = """
import os, errno
kept = []
try:
    while len(kept) < 100:
        kept.append(os.openpty())
except OSError as e:
    print(len(kept), errno.errorcode[e.errno])
"""

DENIED = """
import os, fcntl, termios
m, s = os.openpty()
for name, request, argument in (("TIOCSTI", 0x5412, b"x"), ("TIOCLINUX", 0x541c, b"\\x02"), ("TIOCSETD", 0x5423, b"\\2\\0\\0\\0")):
    try:
        print(name, fcntl.ioctl(s, request, argument))
    except OSError as e:
        print(name, os.strerror(e.errno))
"""


def test_programs(t):
    t.exits(t.run("-c", SPAWN), 0, "pty.spawn", b"/dev/pts/0\r\n42\r\nstatus 3\n")
    t.exits(t.run("-c", LINE), 0, "readline edits a line", b"True 0\n")
    t.exits(t.run("-c", INTERRUPT), 0, "an interrupt from the keyboard", b"-2\n")
    t.exits(t.run("-c", "open('/dev/tty')"), 1, "a program has no terminal of its own")
    if shutil.which("script"):
        done = t.run("--lang", "bash", "-c", "script -qec 'tty; exit 4' /dev/null")
        t.exits(done, 4, "script", b"/dev/pts/0\r\n")
    if shutil.which("tmux"):
        done = t.run("--lang", "bash", "-c", TMUX, "--timeout", "20s")
        t.exits(done, 0, "tmux", b"seen 42\n")


TMUX = """
export TERM=screen
tmux -f /dev/null new-session -d -x 80 -y 24 'echo seen $((6 * 7)); sleep 20'
for i in $(seq 50); do
    tmux capture-pane -p | grep seen && break
    sleep 0.1
done
tmux kill-server
"""


def test_bounds(t):
    t.exits(t.run("-c", MANY), 0, "there are 16 at once", b"16 ENOSPC\n")
    done = t.run("-c", MANY, "--without", "root,mountns", "--allow-unsafe")
    t.ok(
        done.code == 0 and done.out.startswith(b"0 E"),
        "without a private root there are none, and the program is told",
        done,
    )
    done = t.run("-c", DENIED)
    want = "".join("%s %s\n" % (n, os.strerror(1)) for n in ("TIOCSTI", "TIOCLINUX", "TIOCSETD"))
    t.exits(done, 0, "what was refused is", want.encode())
