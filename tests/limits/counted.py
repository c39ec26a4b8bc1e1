# SPDX-License-Identifier: Apache-2.0
"""What the kernel counts for the whole machine, or not at all: file locks, locked memory, huge pages, labels of
flows, leases, and reports of changes in folders.
"""

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


def test(tap, user):
    for name, code in REFUSED:
        r = user.run(code, "--no-check", "--timeout", "60s")
        tap.equal(r.stdout, "refused\n", f"{user.name}: {name}: refused", r)
