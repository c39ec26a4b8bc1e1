# SPDX-License-Identifier: Apache-2.0
"""Attacks from inside a container: on the files that come out, on the helper that is its first process, on the wall."""

import concurrent.futures
import io
import os
import subprocess
import tarfile
import tempfile

import engine
import program
from ends import begin, wait_for

# Everything in a workspace that a careless reader would follow, open or be stopped by.
TREE = """
import os, socket
os.symlink("/etc/shadow", "shadow"); os.symlink("/", "root"); os.symlink("..", "up"); os.symlink("loop", "loop")
os.mkfifo("pipe"); s = socket.socket(socket.AF_UNIX); s.bind("sock")
open("hidden", "w").write("secret"); os.chmod("hidden", 0)
os.mkdir("shut"); open("shut/in", "w").write("x"); os.chmod("shut", 0)
open("sparse", "wb").truncate(1 << 40); open("vast", "wb").truncate(1 << 60)
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
room = (ctypes.c_size_t * 2)(ctypes.addressof(ctypes.create_string_buffer(8)), 8)
for name in ("readv", "writev"):
    if getattr(libc, "process_vm_" + name)(1, room, 1, (ctypes.c_size_t * 2)(0x400000, 8), 1, 0) > 0: got.append(name)
for name, change in (("limits", lambda: resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))),
                     ("processors", lambda: os.sched_setaffinity(1, {0})), ("priority", lambda: os.setpriority(0, 1, 19)),
                     ("signals", lambda: os.kill(-1, 9)), ("score", lambda: open("/proc/1/oom_score_adj", "w"))):
    try: change(); got.append(name)
    except OSError: pass
print(got, os.listdir("/proc/self/fd").__len__() < 8)
"""
FRAMES = """
import os, struct
for fd in (1, 2):
    for kind in range(40): os.write(fd, struct.pack("<II", kind, 4) + b"abcd")
"""
ZOMBIES = """
import os
for n in range(1000):
    try:
        if os.fork() == 0: os._exit(0)
    except OSError: break
print(n)
"""
ORPHANS = """
import os
for n in range(300):
    child = os.fork()
    if child == 0:
        try: os.fork()
        except OSError: pass
        os._exit(0)
    os.waitpid(child, 0)
print("done")
"""
STUBBORN = "trap '' TERM HUP PIPE INT; echo up; while :; do (trap '' TERM HUP PIPE; while :; do echo y; done) & sleep 1; done"
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
FLOOD = """
import os
frame = b'display 0 32\\n' + b'{"data": {"text/plain": "more"}}'
display(1)
try:
    while True: os.write(744, frame * 1000)
except OSError as e: print(e.errno)
"""


def test_tree(tap, docker):
    with tempfile.TemporaryDirectory() as out:
        r = program.result(docker.host, "-c", TREE, "--out", out)
        reasons = {s["path"]: s["reason"] for s in r.get("skipped", [])}
        for name, word in (("shadow", "link"), ("root", "link"), ("up", "link"), ("loop", "link"), ("pipe", "fifo"),
                           ("sock", "socket"), ("sparse", "larger"), ("vast", "larger")):
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


def test_frames(tap, docker):
    """Bytes that look like those of the helper are output."""
    r = program.result(docker.host, "-c", FRAMES)
    tap.equal((r.get("exit_code"), r.get("stdout_bytes"), r.get("stderr_bytes"), r.get("success")), (0, 480, 480, True), "forged frames", r)
    r = program.result(docker.host, "-c", "import os, time\nfor fd in range(100):\n  try: os.close(fd)\n  except OSError: pass\n"
                       "time.sleep(0.3)", stdin=bytes(5 << 20))
    tap.equal((r.get("exit_code"), r.get("stdout")), (0, ""), "everything closed, and input that nobody reads", r)


def test_crowds(tap, docker):
    r = program.result(docker.host, "--pids", "30", "-c", ZOMBIES)
    tap.equal((r.get("stdout"), r.get("limits")), ("29\n", ["pids"]), "the dead count until their parent asks", r)
    r = program.result(docker.host, "--pids", "30", "-c", ORPHANS)
    tap.equal((r.get("stdout"), r.get("limits")), ("done\n", []), "orphans are buried by the helper", r)
    r = program.result(docker.host, "-c", "import os\nfor i in range(3000): open(str(i), 'w').close()\nprint(len(os.environ['A']))",
                       "--env", "A=" + "x" * 120000)
    tap.equal((r.get("stdout"), len(r.get("files", []))), ("120000\n", 3000), "3000 files come out, and a long variable goes in", r.get("error"))


def test_setuid(tap, docker):
    """An image's programs give no rights."""
    archive = io.BytesIO(engine.make_archive(()))
    with tarfile.open(fileobj=archive, mode="a") as tar:
        entry = tar.gettarinfo(os.path.realpath("/usr/bin/id"), "root-id")
        entry.mode, entry.uid, entry.gid = 0o6755, 0, 0
        with open("/usr/bin/id", "rb") as f:
            tar.addfile(entry, f)
    docker.add_image("setuid:1", archive.getvalue())
    done = program.run(docker.host, "--lang", "bash", "--image", "setuid:1", "-c", "stat=$(ls -l /root-id); echo ${stat:0:10}; /root-id -u; /root-id -g")
    tap.equal(done.stdout, b"-rwsr-sr-x\n65534\n65534\n", "a setuid program of the image", program.said(done))


def test_killed_in_a_flood(tap, docker):
    for name, words in (("output", ("-c", "print('up', flush=True)\nwhile True: print('x' * 4096)")), ("processes", ("--lang", "bash", "-c", STUBBORN))):
        process, first = begin(docker, *words)
        process.kill()
        process.communicate()
        mine = "/glovebox-%d-" % process.pid
        tap.ok(wait_for(lambda: not any(c["Names"][0].startswith(mine) for c in docker.containers())),
               "kill -9 of glovebox in a flood of %s: its container is gone" % name, first)


def test_sweeps(tap, docker):
    """Several processes look for leftovers while others run."""
    def clean(_):
        return subprocess.run([program.GLOVEBOX, "doctor", "--clean"], capture_output=True, env=program.environment(docker.host), timeout=120)

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        sweeps = pool.map(clean, range(2))
        runs = list(pool.map(lambda n: program.run(docker.host, "-c", "print(%d)" % n), range(6)))
        tap.ok(all(s.returncode == 0 for s in sweeps), "side by side, they end well")
    tap.equal([r.stdout for r in runs], [b"%d\n" % n for n in range(6)], "and leave the runs alone", *map(program.said, runs))


def test_wall(tap, docker):
    done = program.run(docker.host, "-c", WALL)
    tap.equal(done.stdout, b"[]\n", "nothing of the wall gives way", program.said(done))


def test_filter(tap, docker):
    """The jail's filter holds inside the engine's, and reports what it refuses."""
    r = program.result(docker.host, "-c", FILTERED)
    tap.equal(r.get("stdout"), "[]\n", "what engines allow and a jail does not", r)
    told = {d["name"]: d["count"] for d in r.get("denied", [])}
    tap.ok(told.get("personality") == 2, "refused calls are reported, and counted", told)


def test_core(tap, docker):
    """With a limit of 0 the kernel would start the host's program for core dumps."""
    r = program.result(docker.host, "-c", "import resource; print(resource.getrlimit(resource.RLIMIT_CORE))")
    tap.equal(r.get("stdout"), "(1, 1)\n", "no core dump, and no program for one", r)


def test_environment(tap, docker):
    r = program.result(docker.host, "-c", "import os; print([n for n in ('HOSTNAME', 'container') if n in os.environ])")
    tap.equal(r.get("stdout"), "[]\n", "no variables of the engine's", r)


def test_flooded_channel(tap, docker):
    """The session closes its end of a channel that has had enough, and the guest sees that, as in a jail."""
    r = program.result(docker.host, "--timeout", "60", "-c", FLOOD)
    tap.equal((r.get("stdout"), r.get("exit_code"), len(r.get("results", []))), ("32\n", 0, 65), "a flood of results ends", r.get("error"))


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
