# SPDX-License-Identifier: Apache-2.0
"""What the kernel counts by user, for the whole machine, or not at all: file locks, queued signals, timers,
locked memory, huge pages, labels of flows, leases, and being told of changes in folders.
"""
import os
import subprocess
import sys
import time

# name, code; it prints "refused" as soon as it is refused what it wants, and "had" when it got all
REFUSED = [
    ("file locks", """
import fcntl
files = [open(f'f{i}', 'wb+') for i in range(700)]
try:
    for i in range(180):
        for f in files: fcntl.lockf(f, fcntl.LOCK_EX, 1, 2 * i)
except OSError: print('refused')
else: print('had')
"""),
    ("locks of open files", """
import fcntl, struct
files = [open(f'f{i}', 'wb+') for i in range(700)]
try:
    for i in range(180):
        for f in files: fcntl.fcntl(f, 37, struct.pack('hhqqi4x', 1, 0, 2 * i, 1, 0))
except OSError: print('refused')
else: print('had')
"""),
    ("locked System V memory", """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print('refused' if libc.shmctl(libc.shmget(0, ctypes.c_size_t(4096), 0o1600), 11, None) else 'had')
"""),
    ("huge pages by memfd_create", """
import os
try: os.memfd_create('x', 4); print('had')
except OSError: print('refused')
"""),
    ("labels of flows", """
import socket, struct
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
label = socket.inet_pton(socket.AF_INET6, '::1') + struct.pack('>I', 77) + struct.pack('=BBHHHI', 0, 1, 1, 6, 6, 0)
try: s.setsockopt(41, 32, label); print('had')
except OSError: print('refused')
"""),
    ("changes in folders (F_NOTIFY)", """
import fcntl, os, signal
signal.signal(signal.SIGIO, signal.SIG_IGN)
try: fcntl.fcntl(os.open('/usr/bin', os.O_RDONLY), 1026, 1); print('had')
except OSError: print('refused')
"""),
    ("leases", """
import fcntl
open('f', 'w').close()
try: fcntl.fcntl(open('f'), 1024, fcntl.F_RDLCK); print('had')
except OSError: print('refused')
"""),
]

# Takes all that its user may have, and keeps it.
HOARD = """
import ctypes, os, signal, time
libc = ctypes.CDLL(None, use_errno=True)
signal.pthread_sigmask(signal.SIG_BLOCK, [40])
n = 0
while n < 200000 and libc.sigqueue(os.getpid(), 40, ctypes.c_void_p(1)) == 0: n += 1
print('queued', n, flush=True)
time.sleep(8)
"""

TIMERS = """
import ctypes
timer = ctypes.c_void_p()
n = 0
while n < 500 and ctypes.CDLL(None).timer_create(1, None, ctypes.byref(timer)) == 0: n += 1
print(n)
"""


def test_neighbours(tap, user):
    """What a guest queued is missing neither to another guest nor to the user's own processes."""
    hoarder = user.start("run", "--lang", "python", "--no-check", "--timeout", "60s", "-c", HOARD)
    try:
        said = hoarder.stdout.readline().decode()
        r = user.run(TIMERS, "--no-check")
        tap.equal(r.stdout, "500\n", f"{user.name}: another guest has its timers", said, r)
        who = {"user": user.id, "group": user.id, "extra_groups": []} if os.geteuid() == 0 else {}
        host = subprocess.run([sys.executable, "-c", TIMERS], capture_output=True, text=True, **who)
        tap.equal(host.stdout, "500\n", f"{user.name}: and so has the user", said, host.stderr)
    finally:
        hoarder.kill()
        hoarder.communicate()


def test_warm(tap, user):
    """The same of guests that a daemon keeps ready."""
    path = "unix:" + os.path.join(user.home, "counted.sock")
    usual, user.env["GLOVEBOX_SOCKET"] = user.env["GLOVEBOX_SOCKET"], path
    daemon = user.start("serve", "--listen", path, "--log", "off")
    try:
        deadline = time.monotonic() + 20
        while user.command("session", "list").status and time.monotonic() < deadline:
            time.sleep(0.1)
        for _ in range(3):
            user.run("pass")
        time.sleep(1)
        test_neighbours(tap, user)
    finally:
        user.env["GLOVEBOX_SOCKET"] = usual
        daemon.terminate()
        daemon.communicate()


def test(tap, user):
    for name, code in REFUSED:
        r = user.run(code, "--no-check", "--timeout", "60s")
        tap.equal(r.stdout, "refused\n", f"{user.name}: {name}: refused", r)
    test_neighbours(tap, user)
    test_warm(tap, user)
