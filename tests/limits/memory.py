# SPDX-License-Identifier: Apache-2.0
"""Memory of the whole tree: wherever it is hidden, the run ends and says that memory was out."""
import os
import time

GROW = """
import os, time
def grow(step=8):
    hold = []
    while True:
        hold.append(bytearray(b'x' * (step << 20)))
        time.sleep(0.005)
"""

WRITE = """
import os, time
def write(fd):
    block = b'x' * (1 << 20)
    while True:
        os.write(fd, block)
        time.sleep(0.001)
"""

# name, code, whether a watcher without a group sees it as well
CASES = [
    ("one process", GROW + "grow()", True),
    ("one process, at once", "x = b'x' * (1 << 30)", True),
    ("many processes together", GROW + """
for _ in range(7):
    if os.fork() == 0: break
hold = bytearray(b'x' * (24 << 20))
time.sleep(60)
""", True),
    ("shared memory", """
import mmap, time
hold = []
while True:
    m = mmap.mmap(-1, 8 << 20)
    for i in range(0, len(m), 4096): m[i] = 1
    hold.append(m)
    time.sleep(0.005)
""", True),
    ("System V shared memory, attached by nobody", """
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
while True:
    i = libc.shmget(0, ctypes.c_size_t(8 << 20), 0o1600)
    p = libc.shmat(i, None, 0)
    ctypes.memset(p, 1, 8 << 20)
    libc.shmdt(ctypes.c_void_p(p))
    time.sleep(0.005)
""", False),
    ("files in the workspace", WRITE + "write(os.open('big', os.O_CREAT | os.O_WRONLY))", True),
    ("files in /tmp", WRITE + "write(os.open('/tmp/big', os.O_CREAT | os.O_WRONLY))", True),
    ("files in /dev/shm", WRITE + "write(os.open('/dev/shm/big', os.O_CREAT | os.O_WRONLY))", True),
    ("a file that was deleted", WRITE + """
fd = os.open('gone', os.O_CREAT | os.O_WRONLY)
os.unlink('gone')
write(fd)
""", True),
    ("memfd", WRITE + "write(os.memfd_create('big'))", True),
    ("many memfds", """
import os, time
while True:
    os.write(os.memfd_create('small'), b'x' * (1 << 20))
    time.sleep(0.001)
""", True),
    ("buffers of pipes", """
import os, time
while True:
    r, w = os.pipe()
    os.set_blocking(w, False)
    try:
        while os.write(w, b'x' * 65536): pass
    except BlockingIOError: pass
""", False),
    ("buffers of sockets", """
import socket
hold = []
while True:
    a, b = socket.socketpair()
    a.setblocking(False)
    hold += [a, b]
    try:
        while a.send(b'x' * 65536): pass
    except BlockingIOError: pass
""", False),
    ("only a child is killed, its parent would succeed", GROW + """
if os.fork() == 0: grow()
os.wait()
time.sleep(5)
print('as if nothing had happened')
""", True),
    ("a grandchild in a session of its own", GROW + """
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    grow()
time.sleep(60)
""", True),
]


def out_of_memory(r):
    return (r.oom_killed and r.exit_code == 137 and r.status == 137 and "memory" in (r.limits or ())
            and not r.timed_out and not r.success)


def test_text(tap, user):
    r = user.run("x = b'x' * (1 << 30)", "--memory", "100m")
    tap.ok(r.err.startswith("glovebox: Memory limit exceeded") and r.err.count("\n") == 1
           and "--memory" in r.err, f"{user.name}: one line says so, and what to do", r)


def test_enough(tap, user):
    r = user.run("x = b'x' * (80 << 20); print(len(x))", "--memory", "128m")
    tap.ok(r.success and r.stdout == f"{80 << 20}\n", f"{user.name}: what fits is left alone", r)
    tap.ok(80 <= (r.max_memory_mb or 0) <= 128, f"{user.name}: max_memory_mb tells what it took", r)
    r = user.run("x = b'x' * (600 << 20); print(len(x))", "--memory", "0")
    tap.ok(r.success, f"{user.name}: 0 is no limit", r)


def test_report(tap, user):
    """What was printed, and what was refused, before the end is not lost with it."""
    r = user.run("import os, sys\nprint('before', flush=True)\n"
                 "try: os.chroot('/')\nexcept OSError: pass\n" + GROW + "grow()", "--memory", "64m")
    tap.ok(out_of_memory(r) and r.stdout == "before\n" and r.denied
           and r.denied[0]["name"] == "chroot", f"{user.name}: the report survives", r)


def test_tiny(tap, user):
    """Too little even to start: that, too, is memory, and nothing hangs."""
    r = user.run("print(1)", "--memory", "2m")
    tap.ok(r.status in (125, 137) and r.seconds < 50 and "emory" in r.err,
           f"{user.name}: 2 MiB are too little to start in, and it says so", r)
    r = user.run("print(1)", "--memory", "1")
    tap.ok(r.status == 2 and "less than the jail itself needs" in r.err,
           f"{user.name}: a byte is too little for the jail, and nobody tries again", r)


def test_no_swap(tap, user):
    """The group's own files say that nothing may go to swap."""
    process = user.start("run", "--memory", "100m", "-c", "import time; time.sleep(60)")
    try:
        deadline, found = time.monotonic() + 30, None
        while not found and time.monotonic() < deadline:
            found = memory_group(process.pid)
            time.sleep(0.02)
        if not found:
            return tap.ok(False, f"{user.name}: the run has a group of its own")
        tap.ok(swap_is_off(found), f"{user.name}: swap is off", found)
    finally:
        process.kill()
        process.communicate()


def memory_group(pid):
    for top, folders, _ in os.walk("/sys/fs/cgroup"):
        for name in folders:
            path = os.path.join(top, name)
            if name.startswith(f"glovebox-{pid}-") and any(
                    os.path.exists(os.path.join(path, f))
                    for f in ("memory.limit_in_bytes", "memory.max")):
                return path
    return None


def swap_is_off(path):
    def read(name):
        try:
            with open(os.path.join(path, name)) as f:
                return f.read().strip()
        except OSError:
            return None

    if read("memory.max"):
        return read("memory.swap.max") in ("0", None)
    return (read("memory.memsw.limit_in_bytes") == read("memory.limit_in_bytes")
            or read("memory.swappiness") == "0")


def test(tap, user):
    has_group = "memory" in (user.run("").isolation or ())
    for name, code, watched in CASES:
        if not has_group and not watched:
            continue
        r = user.run(code, "--memory", "64m", "--disk", "1g", "--open-files", "4096",
                     "--timeout", "50s")
        tap.ok(out_of_memory(r), f"{user.name}: {name}: oom_killed, exit_code 137", r)
        tap.ok(r.seconds < 40, f"{user.name}: {name}: at once", r)
    test_text(tap, user)
    test_enough(tap, user)
    test_report(tap, user)
    if has_group:
        test_tiny(tap, user)
        test_no_swap(tap, user)
