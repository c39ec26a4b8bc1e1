# SPDX-License-Identifier: Apache-2.0
"""Memory that the kernel takes on behalf of a program and that is none of the program's pages. One row of
docs/limits.md each.

Each attack wants 30 to 200 MiB under a limit of 24 MiB, with one descriptor or some hundreds, and is either
ended as out of memory or has to wait for room.
"""
import os

LIMIT = "24m"

# Long enough for whoever looks from outside.
HOLD = """
import time
print('held', flush=True)
time.sleep(0.7)
"""

# What is in the buffers of sockets. A group counts some of it, the watcher the rest.
SOCKETS = [
    ("netlink: replies that nobody reads", """
import socket, struct
hold = []
ask = struct.pack('=IHHIIBxHiII', 32, 18, 1, 1, 0, 0, 0, 1, 0, 0)
for i in range(400):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    s.setblocking(False)
    hold.append(s)
    try:
        for k in range(150): s.send(ask)
    except OSError: pass
"""),
    ("error queue of UDP", """
import socket
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to.bind(('127.0.0.1', 0))
hold = []
for i in range(500):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, 37, 2 | 16)
    hold.append(s)
    for k in range(3):
        try:
            s.sendto(b'x' * 60000, socket.MSG_DONTWAIT, to.getsockname())
            to.recv(65536, socket.MSG_DONTWAIT)
        except OSError: pass
"""),
    ("datagrams in the making", """
import socket
hold = []
for i in range(720):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(('127.0.0.1', 9))
    s.send(b'x' * 60000, socket.MSG_MORE)
    hold.append(s)
"""),
]

# What a group charges to its limit; and whether the watcher sees it where there is no group.
CHARGED = [
    ("page tables", """
import mmap
hold = []
for i in range(100):
    m = mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
    m.madvise(15) # no huge pages
    for k in range(0, 1 << 30, 1 << 21): m[k]
    hold.append(m)
""", True),
    ("maps", """
import ctypes, os
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
base = libc.mmap(None, ctypes.c_size_t(60000 * 4096), 1, 0x4022, -1, 0)
for i in range(0, 60000, 2):
    libc.mprotect(ctypes.c_void_p(base + i * 4096), ctypes.c_size_t(4096), 0)
for i in range(4):
    if os.fork() == 0: break
""", False),
    ("epoll watches", """
import os, select
files = [os.pipe()[0] for i in range(150)]
hold = []
for i in range(200):
    hold.append(select.epoll())
    for f in files: hold[-1].register(f)
for i in range(4):
    if os.fork() == 0: break
hold += [select.epoll() for i in range(200)]
for e in hold[200:]:
    for f in files: e.register(f)
""", False),
    ("System V messages", """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
text = ctypes.create_string_buffer(b'\\1' + b'\\0' * 7 + b'x' * 8000)
for i in range(6000):
    q = libc.msgget(0, 0o1600)
    while libc.msgsnd(q, text, 8000, 0o4000) == 0: pass
""", False),
    ("System V semaphores", """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for i in range(200):
    if libc.semget(0, 16000, 0o1600) < 0: break
""", False),
    ("rules of Landlock", """
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
attr = ctypes.create_string_buffer(struct.pack('=Q', 0x1fff))
hold = []
for i in range(400):
    hold.append(libc.syscall(444, attr, 8, 0))
for i in range(1200):
    os.mkdir(f'{i}')
    f = os.open(f'{i}', os.O_PATH)
    rule = ctypes.create_string_buffer(struct.pack('=Qi', 4, f))
    for r in hold: libc.syscall(445, r, 1, rule, 0)
    os.close(f)
""", False),
]

# Unread data.
BUFFERS = [
    ("TCP", """
import socket
listener = socket.socket()
listener.bind(('127.0.0.1', 0)); listener.listen(900)
hold, got = [], 0
for i in range(150):
    a = socket.socket(); a.setblocking(False)
    try: a.connect(listener.getsockname())
    except BlockingIOError: pass
    hold += [a, listener.accept()[0]]
    try:
        while got < 120 << 20: got += a.send(b'x' * 65536)
    except BlockingIOError: pass
print(got >> 20)
"""),
    ("UDP", """
import socket, array
hold, got = [], 0
a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(600):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(('127.0.0.1', 0))
    hold.append(s)
    for k in range(3):
        a.sendto(b'x' * 60000, s.getsockname())
    got += array.array('I', s.getsockopt(socket.SOL_SOCKET, 55, 36))[0]
print(got >> 20)
"""),
]


def ended(r):
    return r.oom_killed and r.exit_code == 137 and "memory" in (r.limits or ()) and not r.timed_out


def test_buffers(tap, user, has_group, options):
    """Version 1 has a limit of their own for them; with version 2 they are in the one limit, and a sender waits
    or the run ends."""
    is_v2 = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
    for name, code in BUFFERS:
        name = f"{user.name}: buffers of {name}"
        r = user.run(code, *options)
        if not has_group:
            tap.ok(ended(r), f"{name}: ended as out of memory", r)
        elif is_v2:
            tap.ok(ended(r) or r.success and int(r.stdout or 99) < 24, f"{name}: no more than the limit", r)
        else:
            tap.ok(r.success and 0 < int(r.stdout or 0) < 24, f"{name}: less than the limit", r)
            tap.ok("buffers" in (r.limits or ()), f"{name}: the result says so", r.limits)


def test(tap, user):
    has_group = "memory" in (user.run("").isolation or ())
    options = ("--memory", LIMIT, "--no-check", "--inodes", "100000", "--timeout", "90s")
    for name, code in SOCKETS:
        r = user.run(code + HOLD, *options)
        tap.ok(ended(r), f"{user.name}: {name}: ended as out of memory", r)
    for name, code, watched in CHARGED:
        if not has_group and not watched:
            continue
        r = user.run(code + HOLD, *options)
        tap.ok(ended(r), f"{user.name}: {name}: ended as out of memory", r)
    test_buffers(tap, user, has_group, options)
