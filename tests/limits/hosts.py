# SPDX-License-Identifier: Apache-2.0
"""Hosts that lack something: containers, hardened kernels, old kernels. What is left of the wall holds,
what is missing is said, and nothing is left behind.

launch.c makes such a host out of this one, for one program.
"""
import os
import socket
import subprocess
import time

import wall
from harness import Events, Tree, identities, leftovers

NAMESPACES = {"userns", "pidns", "mountns", "netns", "ipcns", "utsns", "cgroupns", "root", "proc"}
NO_MOUNTS = {"mountns", "root", "proc"}
GROUPS = {"memory", "pids", "cpu"}
ESSENTIAL = {"pidns", "mountns", "ipcns", "root", "capabilities", "no_new_privs", "seccomp", "rlimits"}

# name, options of launch.c, who can be on such a host, what is missing there
HOSTS = [
    ("user namespaces forbidden", ["--no-userns"], ["user"], NAMESPACES),
    ("container whose filter refuses namespaces", ["--no-namespaces", "--no-clone3"], ["root", "user"],
     NAMESPACES),
    ("Docker's defaults", ["--docker-caps", "--no-namespaces", "--no-clone3", "--mask-proc"], ["root"],
     NAMESPACES),
    ("root without CAP_SYS_ADMIN", ["--no-sys-admin"], ["root"], set()),
    ("namespaces without rights in them", ["--no-mount"], ["root", "user"], NO_MOUNTS),
    ("kernel from before mount_setattr", ["--old-mount"], ["root", "user"], NO_MOUNTS),
    ("masked /proc", ["--mask-proc"], ["root", "user"], {"proc"}),
    ("no Landlock", ["--no-landlock"], ["root", "user"], {"landlock"}),
    ("no seccomp", ["--no-seccomp"], ["root", "user"], {"seccomp"}),
    ("no /sys/fs/cgroup", ["--no-cgroup"], ["root", "user"], GROUPS),
    ("no clone3", ["--no-clone3"], ["root", "user"], set()),
]

NEEDS_ROOT = {"--mask-proc", "--no-cgroup", "--no-sys-admin", "--docker-caps"}

REFUSED = [
    ("neither namespaces nor Landlock", ["--no-namespaces", "--no-clone3", "--no-landlock"],
     "neither a private root nor Landlock", "root,landlock"),
    ("neither namespaces nor seccomp", ["--no-namespaces", "--no-clone3", "--no-seccomp"],
     "neither a network namespace nor seccomp", "netns,seccomp"),
]


class Host:
    """A user on such a host, and what of the wall is there for him."""

    def __init__(self, user, launch, name, options, missing, usual):
        self.name = f"{user.name}: {name}"
        as_user = [] if user.is_root or os.geteuid() != 0 else ["--as-user"]
        self.user = user.behind("as-root", launch, *as_user, *options, "--")
        if as_user:
            self.user.env = dict(self.user.env, LAUNCH_UID=str(user.id))
        self.missing, self.held = missing, usual - missing


def test_said(tap, host):
    r = host.user.run("print('runs')")
    tap.ok(r.success and r.stdout == "runs\n", f"{host.name}: a program runs", r)
    tap.equal(set(r.isolation or ()), host.held, f"{host.name}: isolation[] has what is there, no more", r)
    host.user.env["XDG_STATE_HOME"] = os.path.join(host.user.home, "state " + host.name)  # in a container: once a day
    r = host.user.command("run", "-c", "print('runs')")
    lines = [line for line in r.err.splitlines() if line.startswith("glovebox: without ")]
    said = set(lines[0].split(":")[1].split()[1:]) if lines else set()
    tap.ok(said == host.missing - GROUPS and r.err.count("\n") == len(lines) <= 1,
           f"{host.name}: one line says what is missing, if anything is", r)
    for layer in sorted(host.missing)[:3]:
        r = host.user.run("print('runs')", "--require", layer)
        tap.ok(r.status == 125 and not r.stdout and layer in r.err and r.json["error"]["kind"] == "unsupported",
               f"{host.name}: --require {layer} refuses", r)
    if host.held:
        r = host.user.run("print('runs')", "--require", ",".join(sorted(host.held)))
        tap.ok(r.success, f"{host.name}: requiring what is there does not", r)


def test_doctor(tap, host):
    r = host.user.command("doctor", "--json")
    layers = {layer["name"]: layer for layer in r.json.get("layers", ())}
    holds = not host.missing & ESSENTIAL
    complete = not host.missing and GROUPS <= host.held
    tap.ok(r.status == (0 if complete else 1) and r.json.get("holds") is holds,
           f"{host.name}: doctor says whether every layer is there and the default policy holds", r.status, r.err)
    bound = r.json.get("limits", {})
    tap.equal(bound, {name: without if name in host.missing or name not in host.held else "group"
                      for name, without in [("memory", "watched"), ("pids", "rlimit"), ("cpu", "none")]},
              f"{host.name}: and what holds each limit")
    text = host.user.command("doctor").out
    runs = r.json.get("runs")
    tap.ok(("Limits that no control group holds" in text) == (runs and not GROUPS <= host.held)
           and ("does not bind" in text) == (runs and "cpu" not in host.held),
           f"{host.name}: the sentence says what does not bind", text[-600:])
    wrong = [name for name in host.missing
             if layers.get(name, {}).get("state") == "present" or not layers[name]["detail"]]
    tap.ok(not wrong, f"{host.name}: doctor says why for each that is missing", wrong, layers)


def test_limits(tap, host):
    r = host.user.run("x = []\nwhile True: x.append(bytearray(b'x' * (4 << 20)))", "--memory", "80m")
    tap.ok(r.oom_killed and r.status == 137 and "memory" in r.limits, f"{host.name}: memory is limited", r)
    r = host.user.run("""
import os, time
made = 0
try:
    while made < 60:
        if os.fork() == 0: time.sleep(60); os._exit(0)
        made += 1
except BlockingIOError: pass
print(1 + made)
""", "--pids", "16")
    tap.equal(r.stdout, "16\n", f"{host.name}: processes are limited", r)
    r = host.user.run("while True: pass", "--cpu-time", "300ms")
    tap.ok(r.timed_out and "cpu_time" in r.limits, f"{host.name}: processor time is limited", r)


GUARDED = """
import os, socket
def tell(what, attempt):
    try:
        if attempt() is not False: print(what)
    except OSError: pass
secret = SECRET
tell('read', lambda: open(secret).read())
tell('list', lambda: os.listdir(os.path.dirname(secret)))
tell('write', lambda: open(secret + '.new', 'w'))
tell('remove', lambda: os.unlink(secret))
tell('link', lambda: os.link(secret, 'stolen'))
tell('around', lambda: open('/proc/self/root' + secret).read())
tell('shadow', lambda: open('/etc/shadow').read())
tell('tmp', lambda: open('/tmp/../' + secret).read())
for pid in filter(str.isdigit, os.listdir('/proc') if os.path.isdir('/proc') else ()):
    tell('environ', lambda: b'not for guests' in open(f'/proc/{pid}/environ', 'rb').read())
    tell('root of another', lambda: open(f'/proc/{pid}/root{secret}').read())
    tell('folder of another', lambda: open(f'/proc/{pid}/cwd/secret').read())
def dial(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(2); s.connect(address)
tell('network', lambda: dial(socket.AF_INET, ('127.0.0.1', PORT)))
tell('abstract socket', lambda: dial(socket.AF_UNIX, ABSTRACT))
tell('socket', lambda: dial(socket.AF_UNIX, PATHNAME))
tell('signal', lambda: os.kill(VICTIM, 9))
print('done')
"""


def test_guarded(tap, host):
    """What is the user's own stays out of reach, with whatever wall is left."""
    user = host.user
    private = os.path.join(user.home, "private")
    os.makedirs(private, 0o700, exist_ok=True)
    secret = os.path.join(private, "secret")
    with open(secret, "w") as f:
        f.write("not for guests")
    path = os.path.join(private, "socket")
    victim = subprocess.Popen(["sleep", "600"], **({} if os.geteuid() else {"user": user.id}))
    listeners = [socket.socket(socket.AF_INET), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)]
    try:
        listeners[0].bind(("127.0.0.1", 0))
        abstract = f"glovebox-test-{os.getpid()}-{time.monotonic_ns()}"
        listeners[1].bind("\0" + abstract)
        listeners[2].bind(path)
        for listener in listeners:
            listener.listen(8)
        for name in (private, secret, path):
            os.chown(name, user.id, user.id)
        code = (GUARDED.replace("SECRET", repr(secret)).replace("PORT", str(listeners[0].getsockname()[1]))
                .replace("ABSTRACT", repr("\0" + abstract)).replace("PATHNAME", repr(path))
                .replace("VICTIM", str(victim.pid)))
        user.env["GLOVEBOX_TEST_SECRET"] = "not for guests"
        r = user.run(code)
        tap.equal(r.stdout, "done\n", f"{host.name}: files, environments, sockets, processes are out of reach", r)
        tap.ok(victim.poll() is None and open(secret).read() == "not for guests"
               and sorted(os.listdir(private)) == ["secret", "socket"], f"{host.name}: and unharmed", r)
    finally:
        user.env.pop("GLOVEBOX_TEST_SECRET", None)
        for listener in listeners:
            listener.close()
        victim.kill()
        victim.wait()
        for name in (path, secret, secret + ".new"):
            if os.path.exists(name):
                os.unlink(name)


def test_results(tap, host):
    r = host.user.run("import os\nos.mkdir('out'); open('out/a.txt', 'w').write('one')\n"
                      "open(os.environ['TMPDIR'] + '/scratch', 'w').close()\nprint(os.getcwd() == os.path.realpath('.'))")
    tap.ok(r.success and [f["path"] for f in r.files] == ["out/a.txt"] and r.files[0]["size"] == 3,
           f"{host.name}: files come back", r)


def sysv_objects(key):
    found = []
    for kind in ("shm", "sem", "msg"):
        try:
            with open("/proc/sysvipc/" + kind) as f:
                found += [kind for line in f if line.split()[0] == str(key)]
        except OSError:
            pass
    return found


def test_nothing_left(tap, host):
    key = 0x47000000 | os.getpid()
    host.user.run(f"key = {key}" + """
import ctypes, os
libc = ctypes.CDLL(None)
libc.shmget(key, ctypes.c_size_t(1 << 20), 0o1600)
libc.semget(key, 4, 0o1600)
libc.msgget(key, 0o1600)
os.makedirs('a/' * 60)
os.chmod('a/a/a', 0)
os.mkdir(os.environ['TMPDIR'] + '/locked', 0)
if os.fork() == 0:
    os.setsid()
    os.fork()
    while True: pass
""", "--timeout", "2s")
    tap.equal(leftovers(host.user), [], f"{host.name}: no file is left behind")
    tap.equal(sysv_objects(key), [], f"{host.name}: no shared memory, semaphore or queue either")


def test_killed(tap, host, options=()):
    """kill -9 of glovebox itself: everything it started is gone, and its folder with it."""
    process = host.user.start("run", "--events", "--timeout", "60s", *options, "-c", """
import os, time
open(os.environ['TMPDIR'] + '/scratch', 'w').close()
os.makedirs('deep/' * 40)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(0.01)
    os._exit(0)
print('here', flush=True)
while True: pass
""")
    events, tree = Events(process), Tree(process.pid)
    try:
        here = events.wait("stdout", 60)
        grown = wall.grows(tree, 4)
        for _ in range(5):
            time.sleep(0.02)
            tree.look()
        process.kill()
        died = tree.wait(20)
        tap.ok(here and grown and died, f"{host.name}: kill -9 of glovebox ends the whole tree",
               tree.fds, tree.alive())
        deadline = time.monotonic() + 20
        while leftovers(host.user) and time.monotonic() < deadline:
            time.sleep(0.02)
        tap.equal(leftovers(host.user), [], f"{host.name}: kill -9 leaves no file behind")
    finally:
        tree.kill()
        tree.close()
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


CLOCK = ["daemon", "hops", "ignores"]


def check_clock(tap, user, name, cases, options=()):
    """The cases of wall.py that are hard where no pid namespace ends everything at once."""
    for case, seconds, lang, code, more in wall.CASES:
        if case.startswith(tuple(cases)):
            wall.check(tap, user, f"{name}: {case}", seconds, lang, code, [*more, *options],
                       wall.HUNTED_MS)


def test_refused(tap, user, launch):
    """Without any wall before files or the network nothing runs, unless that is what was asked for."""
    for name, options, text, both in REFUSED:
        host = Host(user, launch, name, options, set(), set())
        r = host.user.run("print('ran')")
        tap.ok(r.status == 125 and not r.stdout and text in r.err and "--backend host --allow-unsafe" in r.err
               and (r.error or {}).get("kind") == "unsupported", f"{host.name}: refused, and says what to do", r)
        tap.equal(leftovers(host.user), [], f"{host.name}: and leaves no file behind")
        one = both.split(",")[1]
        r = host.user.run("print('ran')", "--without", one, "--allow-unsafe")
        tap.ok(r.status == 125 and not r.stdout, f"{host.name}: leaving out {one} is not enough", r)
        r = host.user.run("print('ran')", "--without", both, "--allow-unsafe")
        tap.ok(r.success and r.stdout == "ran\n", f"{host.name}: leaving out both on purpose is", r)
        r = host.user.run("print('ran')", "--backend", "host", "--allow-unsafe")
        tap.ok(r.success and r.stdout == "ran\n", f"{host.name}: --backend host runs", r)
        r = host.user.command("doctor", "--json")
        tap.ok(r.status == 1 and r.json.get("runs") is False and text in (r.json.get("problem") or ""),
               f"{host.name}: doctor says so", r)


def test_host(tap, sandbox):
    launch = sandbox.build("launch.c")
    if not launch:
        return tap.skip("hosts that lack something", "needs a C compiler")
    for identity in identities():
        user = sandbox.user(identity)
        usual = set(user.run("").isolation or ())
        for name, options, who, missing in HOSTS:
            if identity not in who or os.environ.get("LIMITS_HOST", name) not in name:
                continue
            if os.geteuid() != 0 and NEEDS_ROOT & set(options):
                tap.skip(f"{identity}: {name}", "needs root")
                continue
            host = Host(user, launch, name, options, missing & usual, usual)
            for test in (test_said, test_doctor, test_limits, test_guarded, test_results,
                         test_nothing_left, test_killed):
                test(tap, host)
            if "root" in missing:
                check_clock(tap, host.user, name, CLOCK + ["swarm of processes"])
        test_refused(tap, user, launch)
        for name, options in [("--without pidns", ["--without", "pidns", "--allow-unsafe"]),
                              ("--backend host", ["--backend", "host", "--allow-unsafe", "--no-check"])]:
            check_clock(tap, user, name, CLOCK, options)
            test_killed(tap, Host(user, launch, name, [], set(), set()), options)
