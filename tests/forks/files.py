# SPDX-License-Identifier: Apache-2.0
"""Open files of a fork: each has a description of its own, or is cut."""

from family import Families, nothing_left

OPEN = """
import fcntl, select, tempfile, gc
os.chdir('/box/work')
def put(path, data):
    with open(path, 'wb') as f:
        f.write(data)
for name in ('read', 'append', 'both', 'gone', 'again'):
    put(name, b'0123456789')
r = os.open('read', os.O_RDONLY); os.read(r, 3)
a = os.open('append', os.O_WRONLY | os.O_APPEND)
b = os.open('both', os.O_RDWR); os.lseek(b, 5, 0)
g = os.open('gone', os.O_RDWR); os.lseek(g, 4, 0); g2 = os.open('gone', os.O_RDONLY); os.unlink('gone')
put('/tmp/t', b'in tmp'); t = os.open('/tmp/t', os.O_RDONLY); os.read(t, 3)
null, rnd = os.open('/dev/null', os.O_RDWR), os.open('/dev/urandom', os.O_RDONLY)
u = os.open('/usr/bin/env', os.O_RDONLY); os.read(u, 1)
os.mkdir('d'); put('d/x', b'x'); d = os.open('d', os.O_RDONLY)
usr, root, proc = (os.open(p, os.O_RDONLY) for p in ('/usr', '/', '/proc'))
stat_fd = os.open('/proc/self/status', os.O_RDONLY)
upper = os.open('/proc/1/status', os.O_RDONLY)
o, od, ol = (os.open(p, os.O_PATH) for p in ('read', 'd', '/usr'))
p = os.pipe(); os.write(p[1], b'piped')
sp = socket.socketpair(); sp[0].send(b'sent')
ls = socket.socket(); ls.bind(('127.0.0.1', 0)); ls.listen()
ep = select.epoll(); ep.register(p[0])
ev = libc.eventfd(7, 0)
mf = os.memfd_create('m'); os.write(mf, b'memory'); os.lseek(mf, 2, 0)
big = os.memfd_create('big'); os.ftruncate(big, 60 << 20); os.pwrite(big, b'end', 50 << 20)
os.mkfifo('fifo'); ff = os.open('fifo', os.O_RDWR); os.write(ff, b'fifo')
pidfd = os.pidfd_open(os.getpid())
ns = os.open('/proc/self/ns/pid', os.O_RDONLY)
keep = os.open('read', os.O_RDONLY); os.set_inheritable(keep, True)
timer = libc.timerfd_create(1, 0o4000)
# What happens later, on either side.
def change(who):
    os.write(a, who); os.write(b, who); os.pwrite(g, who, 0); os.write(mf, who)
    put('read', who * 10)
def look():
    with open('append') as f1, open('both') as f2:
        return [f1.read(), f2.read(), os.pread(g, 10, 0).decode(), os.pread(g2, 10, 0).decode(), os.pread(mf, 20, 0).decode()]
def refuses(act):
    try:
        act()
    except OSError:
        return True
    return False
1
"""


def test_kept(tap, s, f):
    ask = "[os.read(r, 3).decode(), os.lseek(b, 0, 1), os.lseek(g, 0, 1), os.read(t, 9).decode(), os.lseek(u, 0, 1), os.lseek(mf, 0, 1)]"
    want = ["345", 5, 4, "tmp", 1, 2]
    tap.equal(f.value(ask), want, "positions are kept")
    tap.equal(s.value(ask), want, "and each has its own")
    tap.equal(f.value("[fcntl.fcntl(x, fcntl.F_GETFL) & 0o2003 for x in (r, a, b, g, g2, u, mf)]"),
              [0, 0o2001, 2, 2, 0, 0, 2], "modes are")
    tap.equal(f.value("[os.get_inheritable(x) for x in (r, keep, null)]"), [False, True, False], "close-on-exec is")
    f.run("change(b'F')")
    s.run("change(b'O')")
    tap.equal(f.value("look()"), ["0123456789F", "01234F6789", "F123456789", "F123456789", "meFory"], "what the fork writes is its own")
    tap.equal(s.value("look()"), ["0123456789O", "01234O6789", "O123456789", "O123456789", "meOory"], "and the origin's")
    tap.equal(f.value("[os.read(null, 1).decode(), len(os.read(rnd, 8)), os.write(null, b'x')]"), ["", 8, 1], "devices work")
    tap.equal(f.value("[os.fstat(big).st_size == 60 << 20, os.fstat(big).st_blocks < 100, os.pread(big, 3, 50 << 20).decode()]"), [True, True, "end"], "a large sparse one")
    tap.equal(f.value("[sorted(os.listdir(d)), os.listdir(od) if 0 else 'x' in os.listdir('/proc/self/fd/%d' % od)]"),
              [["x"], True], "folders are its own")
    f.run("put('d/y', b'y')")
    tap.equal(s.value("sorted(os.listdir(d))"), ["x"], "not the origin's")
    tap.equal(f.value("[open('/proc/self/fd/%d' % o).read()[:1], os.fstat(ol).st_ino == os.stat('/usr').st_ino]"), ["F", True], "O_PATH")
    tap.equal(f.value("os.pread(stat_fd, 4000, 0).decode().count('Name:')"), 1, "a file of /proc is the fork's own")


def test_cut(tap, s, f):
    tap.equal(f.value("[os.read(p[0], 9).decode(), refuses(lambda: os.write(p[1], b'x'))]"), ["", True], "pipes are cut")
    tap.equal(s.value("os.read(p[0], 9).decode()"), "piped", "not the origin's")
    tap.equal(f.value("sp[1].recv(9) == b'' or 'read'"), True, "sockets are")
    tap.equal(s.value("sp[1].recv(9).decode()"), "sent", "not the origin's")
    tap.equal(f.value("refuses(ls.accept)"), True, "who listens does not any more")
    tap.equal(s.value("c = socket.create_connection(ls.getsockname()); x = ls.accept()[0]; c.send(b'c'); x.recv(1).decode()"), "c",
              "but in the origin")
    tap.equal(f.value("ep.poll(0)"), [], "epoll is empty")
    tap.equal(f.value("libc.fcntl(ev, 3) >= 0 and refuses(lambda: os.read(ev, 8)) if fcntl.fcntl(ev, fcntl.F_SETFL, os.O_NONBLOCK) == 0 else 0"),
              True, "an eventfd begins anew")
    tap.equal(s.value("os.read(ev, 8)[0]"), 7, "and is the origin's")
    tap.equal(f.value("fcntl.fcntl(ff, fcntl.F_SETFL, os.O_NONBLOCK); [refuses(lambda: os.read(ff, 9)) or os.read(ff, 9).decode()][0] in (True, '')"),
              True, "a FIFO is cut")
    tap.equal(s.value("os.read(ff, 9).decode()"), "fifo", "not the origin's")
    tap.equal(f.value("[refuses(lambda: signal.pidfd_send_signal(pidfd, 0)), stat.S_ISSOCK(os.fstat(pidfd).st_mode)]"), [True, True],
              "a pidfd leads to nobody")
    tap.equal(f.value("[stat.S_ISSOCK(os.fstat(x).st_mode) for x in (ns, upper, timer)]"), [True] * 3,
              "nor do descriptors of namespaces, of pid 1, of timers")
    s.run("put('secret', b's'); put('/tmp/secret', b's'); put('/dev/shm/secret', b's')")
    tap.equal(f.value("""
found = []
for fd in (usr, root, proc, d, od, ol, r, o):
    for up in ('.', '..', '../..', '../../..', '../../../..'):
        for path in ('box/work/secret', 'work/secret', 'secret', 'box/tmp/secret', 'box/shm/secret', '2/cwd/secret', 'proc/2/cwd/secret'):
            try:
                os.stat(up + '/' + path, dir_fd=fd)
                found.append((fd, up, path))
            except OSError:
                pass
len(found)"""), 0, "no descriptor leads to the origin's disk")


TERMINAL = """
import fcntl, termios
master, slave = os.openpty()
fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
os.write(slave, b'secret')
def opens(path):
    try:
        return os.open(path, os.O_RDWR | os.O_NOCTTY) >= 0
    except OSError as e:
        return e.errno
opens('/dev/tty')
"""


def test_terminals(tap, d):
    """A fork has pseudo-terminals, and none of them is its origin's."""
    s = d.open()
    tap.equal(s.value(TERMINAL), True, "an origin has a controlling terminal")
    f = s.fork()
    tap.equal(f.value("[opens('/dev/tty'), opens('/dev/pts/0')]"), [6, 2], "which its fork cannot open")
    tap.equal(f.value("[stat.S_ISSOCK(os.fstat(x).st_mode) for x in (master, slave)]"), [True] * 2, "nor reach by a descriptor")
    tap.equal(f.value("m, x = os.openpty(); os.write(x, b'fork'); [os.ttyname(x), os.read(m, 9).decode()]"), ["/dev/pts/0", "fork"],
              "it has pseudo-terminals of its own")
    tap.equal(s.value("os.read(master, 9).decode()"), "secret", "the origin keeps its own")


MANY = """
os.closerange(100, 700)
fds = []
for i in range(300):
    fds.append(os.open('read', os.O_RDONLY) if i % 3 else os.pipe()[0])
e2 = select.epoll()
for fd in fds[::3]:
    e2.register(fd)
flocks = [os.open('both', os.O_RDWR) for _ in range(20)]
for i in range(40):
    fcntl.lockf(flocks[0], fcntl.LOCK_EX, 1, i * 2, 0)
"""


def test_many(tap, d):
    s = d.open()
    s.run(OPEN)
    s.run(MANY)
    f = s.fork()
    s.run("change(b'O')")
    tap.equal(f.value("[os.read(fd, 3).decode() for fd in fds[1:3]], e2.poll(0), os.pread(flocks[0], 10, 0).decode()"),
              {"$type": "tuple", "items": [["012", "012"], [], "0123456789"]}, "hundreds of files, with much to say about them")


def test_memory(tap, d):
    s = d.open()
    s.run(OPEN + "\nimport mmap, threading")
    cases = {
        "anonymous memory": "m = mmap.mmap(-1, 4096)",
        "a file of the workspace": "m = mmap.mmap(b, 10)",
        "one that is only read": "m = mmap.mmap(r, 10, prot=mmap.PROT_READ)",
        "a memory file": "m = mmap.mmap(mf, 6)",
    }
    for name, code in cases.items():
        s.run(code)
        r = s.ask_fork()
        tap.ok(r.status in (409, 501, 502) and "shares memory" in r.message, "a map of %s is refused with the reason" % name, r)
        s.run("m.close(); del m")
    s.run("libc.shmat.restype = ctypes.c_void_p\nid = libc.shmget(5, 4096, 0o1600); at = libc.shmat(id, None, 0)")
    r = s.ask_fork()
    tap.ok("shares memory" in r.message, "System V memory is", r)
    s.run("libc.shmdt(ctypes.c_void_p(at))")
    s.run("go = threading.Event(); t = threading.Thread(target=go.wait, name='my-worker'); t.start()")
    r = s.ask_fork()
    tap.ok(r.status != 201 and "my-worker" in r.message, "threads are, by name", r)
    s.run("go.set(); t.join(); m = mmap.mmap(b, 10, access=mmap.ACCESS_COPY); m[0:2] = b'mm'")
    r = s.ask_fork()
    tap.equal(r.status, 201, "afterwards it can be forked, with memory of its own", r)
    tap.equal(type(s)(d, r.json["id"]).value("m[:4].decode()"), "mm23", "which has what it had")


def test(tap):
    with Families() as d:
        s = d.open()
        tap.equal(s.value(OPEN), 1, "a session with files of all kinds")
        f = s.fork()
        test_kept(tap, s, f)
        test_cut(tap, s, f)
        test_many(tap, d)
        test_memory(tap, d)
        test_terminals(tap, d)
        nothing_left(tap, d, "files")
