# SPDX-License-Identifier: Apache-2.0
"""What a fork is: a guest like any other, apart from its origin."""

import os

from family import Families, nothing_left
from procs import named, still_there, wait_for

REFUSED = """
import subprocess
calls = {'mount': (165, 40), 'umount2': (166, 39), 'unshare': (272, 97), 'ptrace': (101, 117), 'bpf': (321, 280),
         'pivot_root': (155, 41), 'chroot': (161, 51), 'sethostname': (170, 161), 'process_vm_readv': (310, 270),
         'pidfd_getfd': (438, 438), 'open_tree': (428, 428), 'fsopen': (430, 430), 'kcmp': (312, 272),
         'perf_event_open': (298, 241), 'add_key': (248, 217), 'keyctl': (250, 219), 'init_module': (175, 105)}
column = {'x86_64': 0, 'aarch64': 1}[os.uname().machine]
got = {n: libc.syscall(c[column], 0x10000000 if n == 'unshare' else 0, 0, 0, 0, 0) for n, c in calls.items()}
clone = {'x86_64': 56, 'aarch64': 220}[os.uname().machine]
got['clone'] = libc.syscall(clone, 0x10000000 | 17, 0, 0, 0, 0)
sorted(n for n, r in got.items() if r != -1)
"""

WRITES = """
wrote = []
for top in ('/', '/usr', '/etc', '/dev', '/proc', '/box', '/sys', '/usr/bin', '/proc/sys/kernel', '/proc/self'):
    try:
        os.close(os.open(top + '/attack', os.O_CREAT | os.O_WRONLY))
        wrote.append(top)
    except OSError:
        pass
for path in ('/proc/sys/kernel/hostname', '/proc/self/mem', '/proc/self/oom_score_adj', '/proc/sysrq-trigger', '/proc/1/mem',
             '/proc/self/uid_map', '/etc/passwd', '/proc/self/attr/current'):
    try:
        os.close(os.open(path, os.O_WRONLY))
        wrote.append(path)
    except OSError:
        pass
for path in ('/proc/kcore', '/proc/kallsyms', '/proc/keys', '/proc/timer_list', '/proc/1/mem', '/proc/1/environ', '/proc/sysrq-trigger'):
    try:
        with open(path, 'rb') as f:
            if len(f.read(10)):
                wrote.append('read ' + path)
    except OSError:
        pass
wrote
"""

SEEN = """
seen = sorted(int(p) for p in os.listdir('/proc') if p.isdigit())
killed = []
for p in range(1, 300):
    if p != os.getpid():
        for s in (signal.SIGKILL, signal.SIGSTOP):
            try:
                os.kill(p, s)
                killed.append(p)
            except OSError:
                pass
[len(seen), sorted(set(killed) - {1})]
"""


def groups(pid):
    with open("/proc/%d/cgroup" % pid) as f:
        return {tuple(line.strip().split(":")[1:]) for line in f}


def test_rights(tap, s, f):
    names = ("CapEff", "CapPrm", "CapInh", "CapAmb", "CapBnd")
    g = f.fork()
    for who, n in ((f, "a fork"), (g, "a fork of a fork")):
        tap.equal(who.value("[status(n) for n in %r]" % (names,)), ["0" * 16] * 5, "%s has no capability" % n)
        tap.equal(who.value("[status('NoNewPrivs'), status('Seccomp'), status('Threads')]"), ["1", "2", "1"],
                  "%s is locked in" % n)
        tap.equal(who.value("os.getpid() == 2 and os.getuid() == s_uid and os.getgroups() == []"), True, "%s's ids" % n)
    g.close()
    tap.equal(f.value(REFUSED), [], "calls that nobody needs are refused")
    tap.equal(f.value(WRITES), [], "nothing is written but its own, and /proc is masked")
    tap.equal(f.value("open('/box/work/w', 'w').write('1'), open('/tmp/w', 'w').write('1'), open('/dev/shm/w', 'w').write('1')\n"
                      "os.listdir('/dev/shm')"), ["w"], "its own is")
    tap.equal(f.value("open('/proc/self/comm').read() != ''"), True, "/proc can be read")


def test_apart(tap, d, s, f):
    g = s.fork()
    ours = {x: groups(x.process()) for x in (s, f, g)}
    tap.ok(not any({t for t in ours[s] & o if "glovebox" in t[1]} for o in (ours[f], ours[g])) and
           not {t for t in ours[f] & ours[g] if "glovebox" in t[1]}, "each is in control groups of its own", ours)
    wait_for(lambda: f.value("len([p for p in os.listdir('/proc') if p.isdigit()])") == 2, 10)
    seen = f.value(SEEN)
    tap.equal(seen, [2, []], "a fork sees and signals nobody but itself")
    tap.equal((s.value("1"), g.value("1"), f.value("1")), (1, 1, 1), "all live, its pid 1 too")
    s.run("open('later', 'w').write('o'); open('/tmp/later', 'w').write('o'); open('/dev/shm/later', 'w').write('o')")
    tap.equal(f.value("[os.path.exists(p + '/later') for p in ('/box/work', '/tmp', '/dev/shm')]"), [False] * 3,
              "a fork sees no file of its origin's")
    code = ("IPC = (%s)\nkey, size = 4711, 4096\nlibc.shmget.restype = ctypes.c_int\n"
            "libc.shmget(key, size, 0o1600) >= 0, libc.shmget(key, size, 0o600) >= 0") % "0,"
    tap.equal(s.value(code), {"$type": "tuple", "items": [True, True]}, "System V memory of the origin's")
    tap.equal(f.value("libc.shmget(4711, 4096, 0o600) >= 0"), False, "is not its fork's")
    tap.equal(s.value("socket.gethostname()") == f.value("socket.gethostname()"), True, "the same host name")
    # A fork has no way up: what it finds by walking from any descriptor is its own.
    tap.equal(f.value("""
found = []
for fd in [int(n) for n in os.listdir('/proc/self/fd')]:
    for up in ('', '..', '../..', '../../..'):
        for path in (up + '/box/work/later', up + '/work/later', up + '/later'):
            try:
                found.append((fd, path, os.stat(path.lstrip('/'), dir_fd=fd).st_size))
            except OSError:
                pass
found"""), [], "no descriptor leads to its origin's disk")


def init_of(d, pid):
    """The host's number of pid 1 of the namespace that this process is in."""
    space = os.readlink("/proc/%d/ns/pid" % pid)
    return next(p for p, _ in named(d.pid, "glovebox-jail") if os.readlink("/proc/%d/ns/pid" % p) == space)


def test_init(tap, d, f):
    """An origin is of the same user as the init of its fork, and sees it."""
    if os.geteuid():
        tap.skip("what its init holds", "only root sees that")
        return
    pid = init_of(d, f.process())
    held = [os.readlink("/proc/%d/fd/%s" % (pid, n)) for n in os.listdir("/proc/%d/fd" % pid)]
    tap.equal([x for x in held if x.startswith(("net:", "/memfd:"))], [], "its init holds nothing of the nest's", held)


def test_ends(tap, d, s):
    for code, want in (("os._exit(7)", ("died", 7)), ("os.kill(os.getpid(), 9)", ("died", 137)),
                       ("libc.abort()", ("died", 134))):
        f = s.fork()
        r = f.run(code)
        tap.equal((r["cell"]["ended"], r["exit_code"]), want, "the end of a fork: " + code, r["error"])
    tap.equal(s.value("1"), 1, "its origin goes on")


REACHED = """
reached = []
for p in filter(str.isdigit, os.listdir('/proc')):
    for name in ('cwd', 'root', 'fd', 'environ', 'maps'):
        try:
            if int(p) > 2:
                os.listdir('/proc/%s/%s' % (p, name)) if name in ('cwd', 'root', 'fd') else open('/proc/%s/%s' % (p, name)).read(1)
                reached.append((int(p), name))
        except OSError:
            pass
len(reached)
"""


def test_reach(tap, d, s):
    """What is said of origins: they see their forks, and signal nobody but themselves."""
    other = d.open()
    other.run("open('of another', 'w').write('x')")
    f = s.fork()
    seen = s.value("len([p for p in os.listdir('/proc') if p.isdigit()])")
    tap.ok(seen > 2, "an origin sees its forks", seen)
    guests = {x: x.process() for x in (other,)}
    tap.equal(s.value("[open('/proc/%s/status' % p).read().count('zygote') for p in os.listdir('/proc') if p == '9999999']"),
              [], "and nobody else")
    s.run("for p in range(3, 500):\n  for n in (signal.SIGSTOP, signal.SIGCONT, signal.SIGKILL):\n    try: os.kill(p, n)\n    except OSError: pass")
    tap.equal(other.value("1"), 1, "another session does not notice what it does to them")
    tap.equal(f.value("1"), 1, "nor do its forks")
    used = s.value(REACHED)
    g = s.fork()
    tap.ok(used and s.value(REACHED) == used, "it reaches a used fork's files by /proc, and nothing of one that was not used",
           used, s.value(REACHED))
    tap.equal(g.value("open('/proc/self/environ').read(1) != ''"), True, "which sees itself when it is used")
    tap.equal(d.open().value("2"), 2, "others are opened")
    tap.equal(s.fork().value("2"), 2, "and it is forked again")


COOKIE = """
import socket
a, b = socket.socketpair()
int.from_bytes(a.getsockopt(socket.SOL_SOCKET, 71, 8), 'little')
"""


def test_networks(tap, d):
    """Once anybody of a family made a socket that leaves something, no other family gets its network."""
    used = []
    for level in (1, 2, 3):
        family = [d.open()]
        while len(family) < level:
            family.append(family[-1].fork())
        used += [m.value(COOKIE) for m in family]
        family[-1].run("socket.socket().close()")
        for m in reversed(family):
            m.close()
    tap.equal([len(set(used)), used[1] == used[2], used[3] == used[5]], [3, True, True], "a family is in one network", used)
    others = [d.open() for _ in range(6)]
    seen = {m.value(COOKIE) for m in others}
    for m in others:
        m.close()
    tap.equal(seen & set(used), set(), "a socket of a fork is one of its family's", used)
    again = {m.value(COOKIE) for m in [d.open() for _ in range(6)]}
    tap.ok(again & seen, "and a family that made none leaves its network to others", again, seen)


def test(tap):
    with Families() as d:
        s = d.open()
        s.run("s_uid = os.getuid(); fd = os.open('/usr', os.O_RDONLY); root = os.open('/', os.O_RDONLY)\n"
              "work = os.open('/box/work', os.O_RDONLY); proc = os.open('/proc', os.O_RDONLY)")
        f = s.fork()
        test_rights(tap, s, f)
        test_apart(tap, d, s, f)
        test_init(tap, d, f)
        test_ends(tap, d, s)
        test_reach(tap, d, s)
        test_networks(tap, d)
        nothing_left(tap, d, "forks")
        tap.equal(still_there(d.guests()), [], "on the host")
