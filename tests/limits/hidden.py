# SPDX-License-Identifier: Apache-2.0
"""Memory where a watcher that only reads /proc/PID would not find it. A group does not care."""

GROW = """
import ctypes, os, threading, time
libc = ctypes.CDLL(None)
def grow(make, step):
    hold = []
    for i in range(160 // step):
        hold.append(make(step << 20))
        time.sleep(0.02)
    print('held', flush=True)
    os._exit(0)
def into_memfd(n):
    os.write(fd, b'x' * n)
"""

CASES = [
    ("the first thread has ended", """
threading.Thread(target=lambda: (time.sleep(0.1), grow(lambda n: bytearray(b'x' * n), 8))).start()
libc.pthread_exit(None)
"""),
    ("a process that is not dumpable", """
libc.prctl(4, 0, 0, 0, 0)
fd = os.memfd_create('x')
grow(into_memfd, 2)
"""),
    ("a thread with a table of descriptors for itself", """
def hide():
    global fd
    libc.unshare(0x400)
    fd = os.memfd_create('x')
    grow(into_memfd, 2)
t = threading.Thread(target=hide)
t.start()
t.join()
"""),
    ("a child of a thread of an orphan", """
fd = os.memfd_create('x')
def child():
    if os.fork() == 0: grow(into_memfd, 2)
    time.sleep(60)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: threading.Thread(target=child).start()
    else: os._exit(0)
time.sleep(60)
"""),
]


def test(tap, user):
    for name, code in CASES:
        r = user.run(GROW + code, "--memory", "64m", "--no-check")
        tap.ok(r.oom_killed and r.exit_code == 137 and "held" not in r.stdout,
               f"{user.name}: {name}: ended as out of memory", r)
