# SPDX-License-Identifier: Apache-2.0
"""The guest's disk: workspace, /tmp and /dev/shm together; bytes, inodes, and the size of one file."""

FILL = """
import os
total = 0
try:
    for round in range(1000):
        for place in PLACES:
            with open(f'{place}/f{round}', 'wb', buffering=0) as f:
                total += f.write(b'x' * 65536)
except OSError as e: print(e.strerror)
print(total)
"""

INODES = """
import os
made = 0
try:
    for i in range(100000):
        MAKE
        made += 1
except OSError as e: print(e.strerror)
print(made)
"""

MAKERS = [
    ("files", "open(f'/tmp/{i}', 'w').close()"),
    ("folders", "os.mkdir(f'{i}')"),
    ("symbolic links", "os.symlink('x', f'/dev/shm/{i}')"),
    ("queues", "os.mkfifo(f'{i}')"),
]


def test_bytes(tap, user):
    for name, places in [("workspace", ["."]), ("/tmp", ["/tmp"]), ("/dev/shm", ["/dev/shm"]),
                         ("all three", [".", "/tmp", "/dev/shm"])]:
        r = user.run(f"PLACES = {places}" + FILL, "--disk", "8m")
        said, _, total = (r.stdout or "").strip().rpartition("\n")
        tap.ok(said == "No space left on device" and 7 << 20 <= int(total or 0) <= 8 << 20,
               f"{user.name}: 8 MiB in {name}, no more", r)
        tap.ok("disk" in (r.limits or ()) and r.success and not r.oom_killed,
               f"{user.name}: {name}: limits says so, the program lives on", r)
    r = user.run("PLACES = ['.']" + FILL.replace("except OSError as e: print(e.strerror)",
                                                "finally: pass"), "--disk", "8m")
    tap.ok(r.status == 1 and "Disk limit reached: 8" in r.err and "--disk" in r.err,
           f"{user.name}: a program that fails of it is told", r)
    r = user.run("PLACES = ['.']" + FILL.replace("range(1000)", "range(64)"), "--disk", "8m")
    tap.ok(r.stdout == f"{4 << 20}\n" and "disk" not in r.limits, f"{user.name}: half of it is no limit", r)


def test_inodes(tap, user):
    for name, make in MAKERS:
        r = user.run(INODES.replace("MAKE", make), "--inodes", "200")
        said, _, made = (r.stdout or "").strip().rpartition("\n")
        tap.ok(said == "No space left on device" and 180 <= int(made or 0) <= 200,
               f"{user.name}: 200 {name}, no more", r)
        tap.ok("disk" in (r.limits or ()), f"{user.name}: {name}: limits says so", r)


HOLES = """
import os
fd = os.open('f', os.O_RDWR | os.O_CREAT) if PLACE else os.memfd_create('f')
try:
    os.truncate(fd, 10 << 30)
    os.pwrite(fd, b'x', 5 << 30)
    print(os.fstat(fd).st_size >> 30, os.fstat(fd).st_blocks * 512 < 1 << 20, os.pread(fd, 1, 5 << 30))
    os.lseek(fd, 1 << 30, os.SEEK_SET)
    for i in range(160 if PLACE else 0):
        os.write(fd, b'x' * 65536)
except OSError as e: print(e.strerror)
"""


def test_file_size(tap, user):
    r = user.run("PLACE = 1" + HOLES, "--disk", "8m")
    tap.ok(r.stdout == "10 True b'x'\nNo space left on device\n" and "disk" in (r.limits or ()),
           f"{user.name}: a file with holes may be longer than the disk is large, its content may not", r)
    r = user.run("PLACE = 0" + HOLES, "--disk", "8m")
    tap.equal(r.stdout, "10 True b'x'\n", f"{user.name}: a memfd as well", r)
    bare = ["--disk", "8m", "--without", "root,mountns", "--allow-unsafe"]
    r = user.run("PLACE = 1" + HOLES, *bare)
    tap.equal(r.stdout, "File too large\n", f"{user.name}: not on the host's disk", r)
    # A shell does not ignore the signal.
    r = user.run("exec truncate -s 10G f", *bare, lang="sh")
    tap.ok(r.signal == 25 and r.exit_code == 153 and "disk" in (r.limits or ()),
           f"{user.name}: a process that is killed for it is told by which limit", r)
    r = user.run("exec truncate -s 10G f", "--disk", "8m", lang="sh")
    tap.ok(r.exit_code == 0 and not r.limits, f"{user.name}: truncate makes a hole", r)


def test_none(tap, user):
    r = user.run("f = open('f', 'wb')\nf.write(b'x' * (300 << 20))\nprint('written')",
                 "--disk", "0", "--inodes", "0", "--memory", "0")
    tap.ok(r.stdout == "written\n" and r.success, f"{user.name}: 0 is no limit", r)


def test(tap, user):
    test_bytes(tap, user)
    test_inodes(tap, user)
    test_file_size(tap, user)
    test_none(tap, user)
