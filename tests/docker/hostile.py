# SPDX-License-Identifier: Apache-2.0
"""Attacks from inside a container: on the files that come out, on the helper that is its first process, on the wall."""

import os
import tempfile

import program

# Everything in a workspace that a careless reader would follow, open or be stopped by.
TREE = """
import os, socket
os.symlink("/etc/shadow", "shadow"); os.symlink("/", "root"); os.symlink("..", "up"); os.symlink("loop", "loop")
os.mkfifo("pipe"); s = socket.socket(socket.AF_UNIX); s.bind("sock")
open("hidden", "w").write("secret"); os.chmod("hidden", 0)
os.mkdir("shut"); open("shut/in", "w").write("x"); os.chmod("shut", 0)
open("sparse", "wb").truncate(1 << 40)
open("a\\nb\\x1b[2J", "w").write("odd")
open("glovebox.conf", "w").write("backend = host")
deep = "d"
for i in range(300):
    os.mkdir(deep)
    if len(deep) > 3000: break
    deep += "/d"
for i in range(2): os.link("hidden", "link%d" % i)
"""
HELPER = """
import ctypes, os, resource, signal
libc = ctypes.CDLL(None)
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV):
    try: os.kill(1, number)
    except OSError: pass
got = []
for path in ("/proc/1/mem", "/proc/1/fd/1", "/proc/1/environ", "/proc/1/root/etc", "/proc/1/maps"):
    try: open(path, "rb").read(10); got.append(path)
    except OSError: pass
if libc.ptrace(16, 1, 0, 0) == 0: got.append("ptrace")
print(got, os.listdir("/proc/self/fd").__len__() < 8)
"""
WALL = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
got = []
if libc.mount(b"none", b"/box", b"tmpfs", 0, None) == 0: got.append("mount")
if libc.unshare(0x10000000 | 0x20000) == 0: got.append("user namespace")
if libc.setuid(0) == 0: got.append("root")
if libc.chroot(b"/box") == 0: got.append("chroot")
for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
             "/sys/fs/cgroup/memory.max", "/.glovebox-jail", "/proc/1/oom_score_adj"):
    try: open(path, "r+"); got.append(path)
    except OSError: pass
try: os.mknod("/box/work/disk", 0o60600, os.makedev(8, 0)); got.append("mknod")
except OSError: pass
print(got)
"""
FILTERED = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def worked(function):
    try: return function() >= 0
    except OSError: return False
got = [name for name, function in {
    "i386": lambda: libc.personality(8), "again": lambda: libc.personality(8),
    "pages": lambda: libc.vmsplice(os.pipe()[1], ctypes.byref((ctypes.c_size_t * 2)(0, 0)), 1, 8),
    "huge pages": lambda: os.memfd_create("x", 4), "ring": lambda: libc.syscall(425, 1, ctypes.create_string_buffer(120)),
    "another's limits": lambda: libc.prlimit(1, 7, None, None),
    "a machine's sockets": lambda: libc.socket(40, 1, 0)}.items()
    if worked(function)]
print(got)
"""


def test_tree(tap, docker):
    with tempfile.TemporaryDirectory() as out:
        r = program.result(docker.host, "-c", TREE, "--out", out)
        reasons = {s["path"]: s["reason"] for s in r.get("skipped", [])}
        for name, word in (("shadow", "link"), ("root", "link"), ("up", "link"), ("loop", "link"), ("pipe", "fifo"),
                           ("sock", "socket"), ("sparse", "larger")):
            tap.ok(word in reasons.get(name, ""), "%s is left out, with the reason" % name, reasons, r.get("broken"))
        got = {f["path"] for f in r.get("files", [])}
        tap.ok({"hidden", "shut/in", "link0", "link1"} <= got, "files without permissions come out", sorted(got)[:20])
        tap.ok(not os.path.exists(out + "/glovebox.conf"), "no config file does")
        found = [os.path.join(folder, n) for folder, folders, files in os.walk(out) for n in folders + files]
        tap.ok(not any(os.path.islink(p) or not (os.path.isfile(p) or os.path.isdir(p)) for p in found),
               "only files and folders come out")


def test_helper(tap, docker):
    done = program.run(docker.host, "-c", HELPER)
    tap.equal(done.stdout, b"[] True\n", "the helper cannot be killed, read or traced", program.said(done))


def test_helper_by_limit(tap, docker):
    """A guest may take processor time from the helper, which ends the container. That is the guest's end, not ours."""
    r = program.result(docker.host, "--timeout", "20s", "-c",
                       "import resource, time\nresource.prlimit(1, resource.RLIMIT_CPU, (0, 0))\n"
                       "while True: print('x' * 10000)")
    tap.ok(not r.get("success") and r.get("exit_code") in (137, 124), "a run that fails", r.get("exit_code"), r.get("error"))


def test_wall(tap, docker):
    done = program.run(docker.host, "-c", WALL)
    tap.equal(done.stdout, b"[]\n", "nothing of the wall gives way", program.said(done))


def test_filter(tap, docker):
    """The jail's filter holds inside the engine's, and reports what it refuses."""
    r = program.result(docker.host, "-c", FILTERED)
    tap.equal(r.get("stdout"), "[]\n", "what engines allow and a jail does not", r)
    told = {d["name"]: d["count"] for d in r.get("denied", [])}
    tap.ok(told.get("personality") == 2 and "vmsplice" in told, "refused calls are reported, and counted", told)


def test_core(tap, docker):
    """With a limit of 0 the kernel would start the host's program for core dumps."""
    r = program.result(docker.host, "-c", "import resource; print(resource.getrlimit(resource.RLIMIT_CORE))")
    tap.equal(r.get("stdout"), "(1, 1)\n", "no core dump, and no program for one", r)


def test_environment(tap, docker):
    r = program.result(docker.host, "-c", "import os; print([n for n in ('HOSTNAME', 'container') if n in os.environ])")
    tap.equal(r.get("stdout"), "[]\n", "no variables of the engine's", r)


def test_left_behind(tap, docker):
    """A process that leaves its session and closes everything outlives nothing."""
    r = program.result(docker.host, "--lang", "bash", "-c",
                       "(trap '' TERM HUP; sleep 60 <&- >&- 2>&- & ); echo done")
    tap.equal((r.get("exit_code"), r.get("stdout")), (0, "done\n"), "the run ends with its first process", r)
    tap.ok(r.get("duration_ms", 1e9) < 30000, "at once", r.get("duration_ms"))


def test(tap, docker):
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function(tap, docker)
    tap.equal(docker.containers(), [], "no container is left")
