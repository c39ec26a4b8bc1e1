# SPDX-License-Identifier: Apache-2.0
"""Forks that are made by a hostile guest, with the server's own way replaced. All they do ends by itself."""

import time

from family import Families, nothing_left, side_by_side
from procs import groups, wait_for

# The server asks FORK[0]; ours is put there. `how` are the words for what goes wrong.
JOIN = """
import resource, mmap, threading, fcntl, termios
CALLS = {'x86_64': (308, 126), 'aarch64': (268, 91)}[os.uname().machine]
SPACES = (0x10000000, 0x20000000, 0x20000, 0x08000000, 0x04000000, 0x02000000)
BASE, HELLO = 600, 0x676c6f76
LASTING = {'stays', 'powerless', 'thread', 'assistant', 'several'}
def setns(*args):
    return libc.syscall(CALLS[0], *args)
def drop():
    for cap in range(64):
        libc.prctl(24, cap, 0, 0, 0)
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    libc.syscall(CALLS[1], head, (ctypes.c_uint32 * 6)())
    libc.prctl(4, 1, 0, 0, 0)
def wait(seconds=16):
    time.sleep(seconds)
    os._exit(0)
def child(act):
    if os.fork() == 0:
        act()
        wait()
def joiner(how, cin, cout):
    joined = 0
    for flag in SPACES:
        if setns(BASE + joined, flag) < 0:
            break
        joined += 1
        if 'assistant' in how and joined == 1:
            child(lambda: None)
        if 'thread' in how and joined == 1:
            threading.Thread(target=wait).start()
    if 'gone' in how:
        os._exit(0)
    if 'hello' in how:
        setns(-1, HELLO, cin, cout)
    if 'several' in how:
        child(drop)
    if os.fork() == 0:
        return member(how, joined, cin, cout)
    if 'stays' in how:
        wait()
    if 'powerless' in how:
        drop()
        wait()
    os._exit(0)
def member(how, joined, cin, cout):
    for fd in range(BASE + joined, BASE + joined + 8):
        try:
            if 'ungrouped' not in how:
                os.write(fd, b'0')
        except OSError:
            break
    if 'ended' in how:
        os._exit(0)
    if 'silent' in how:
        wait()
    if 'namespaces' not in how:
        os.closerange(BASE, BASE + joined + 8)
    if 'session' not in how:
        os.setsid()
    if 'terminal' in how:
        fcntl.ioctl(ptys[1], termios.TIOCSCTTY, 0)
    os.chdir('/box/work')
    if 'folder' in how:
        os.fchdir(kept)
    if 'usr' in how:
        os.fchdir(usr)
    if 'threads' in how:
        threading.Thread(target=wait).start()
    if 'descriptors' in how:
        os.dup2(kept, 300)
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    if 'numbers' in how:
        cin, cout = -7, 1 << 30
    if 'capable' not in how:
        drop()
    if setns(-1, HELLO, cin, cout) < 0:
        os._exit(0)
    if 'twice' in how:
        globals()['again'] = setns(-1, HELLO, cin, cout)
    return 0
def hostile(*how):
    frame = sys._getframe()
    while 'FORK' not in frame.f_globals:
        frame = frame.f_back
    def fork(cin, cout):
        pid = os.fork()
        if pid == 0:
            return joiner(how, cin, cout)
        if not LASTING & set(how):
            os.waitpid(pid, 0)
        return 1
    frame.f_globals['FORK'][:] = [fork]
kept, usr = os.open('/box/work', os.O_RDONLY), os.open('/usr', os.O_RDONLY)
ptys = os.openpty()
shared = mmap.mmap(-1, 4096) if %r else None
"""

WRONG = {
    "keeps its capabilities": ("capable", "may not have"),
    "comes with a second one": ("several", "more than one process"),
    "leaves who joined behind": ("stays", "more than one process"),
    "leaves who joined behind without capabilities": ("powerless", "more than one process"),
    "leaves a child behind that came halfway": ("assistant", "more than one process"),
    "leaves a thread behind that came halfway": ("thread", ""),
    "has two threads": ("threads", ""),
    "shares memory": ("shared", "shares memory"),
    "stays in its origin's control groups": ("ungrouped", "control groups"),
    "stays in its origin's session": ("session", "session"),
    "takes its origin's terminal with it": ("terminal", "terminal"),
    "stands in its origin's disk": ("folder", "folder"),
    "stands where its origin's disk can be reached": ("usr", "folder"),
    "keeps descriptors that nobody can replace": ("descriptors", "replaced"),
    "has its channel nowhere": ("numbers", "replaced"),
    "never says that it is there": ("silent", "did not start"),
    "ends before it says so": ("ended", "did not start"),
    "joins and ends": ("gone", "did not start"),
    "lets another say that it is there": ("hello silent", "did not start"),
}


def wrong(d, how):
    s = d.open()
    s.run(JOIN % ("shared" in how))
    s.run("x = 1; hostile(*%r.split())" % how)
    began = time.monotonic()
    r = s.ask_fork()
    return r, time.monotonic() - began, s.value("x + 1")


def test_wrong(tap, d):
    grouped = groups(d.pid)  # without one, there is nothing to stay in
    names = [n for n in WRONG if grouped or WRONG[n][0] != "ungrouped"]
    answers = side_by_side(*[lambda n=n: wrong(d, WRONG[n][0]) for n in names])
    for name, answer in zip(names, answers):
        if isinstance(answer, Exception):
            tap.ok(False, "a fork that " + name, repr(answer))
            continue
        r, took, value = answer
        tap.ok(r.status not in (200, 201, 500) and WRONG[name][1] in r.message and took < 30,
               "a fork that %s is turned away" % name, r, took)
        tap.equal(value, 2, "and its origin goes on")
    tap.ok(wait_for(lambda: not d.capable(), 10), "none of them has a capability", d.capable())
    nothing_left(tap, d, "forks that were turned away")


def test_right(tap, d):
    """What the attacks above have in common works, so it is not what they fail of."""
    s = d.open()
    s.run(JOIN % False)
    s.run("x = 1; hostile('twice', 'namespaces')")
    r = s.ask_fork()
    if not tap.equal(r.status, 201, "a fork in Python", r):
        return
    f = type(s)(d, r.json["id"])
    tap.equal(f.value("x + 1"), 2, "that has the state")
    tap.equal(f.value("again"), -1, "who says twice that it is there is refused")
    tap.equal(f.value("[setns(BASE + i, flag) for i, flag in enumerate(SPACES)]"), [-1] * 6,
              "and joins nothing with descriptors that it kept")
    tap.equal(s.value("[setns(BASE + i, flag) for i, flag in enumerate(SPACES)]"), [-1] * 6, "nor does its origin")
    tap.equal(d.capable(), [], "nobody has a capability")
    nothing_left(tap, d, "a fork in Python")


def test(tap):
    with Families() as d:
        test_right(tap, d)
        test_wrong(tap, d)
