# SPDX-License-Identifier: Apache-2.0
"""Sockets, named pipes and devices below a folder that is shown (--ro, an interpreter's prefix): a read-only mount
does not keep a guest from a service of the host's that listens in there."""
import fcntl
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

TRY = """
import os, socket, sys
def attempt(what, f):
    try: print(what, 'WORKED', f())
    except OSError as e: print(what, e.strerror)
where = WHERE
for name in ('s', 'deep/er/s'):
    def connect():
        s = socket.socket(socket.AF_UNIX); s.connect(name); s.send(b'x')
    try: os.chdir(where)
    except OSError as e: print(e); continue
    attempt('stream', connect)
    attempt('datagram', lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', name + '.dgram'))
    attempt('packets', lambda: socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect(name + '.seq'))
    def read():
        data = os.read(os.open(name + '.fifo', os.O_RDONLY | os.O_NONBLOCK), 100)
        if not data: raise OSError(0, 'nothing')
        return data
    attempt('fifo', read)
    def zeros():
        if not os.read(os.open(name + '.zero', os.O_RDONLY), 10): raise OSError(0, 'nothing')
    attempt('device', zeros)
print(open('file').read(), sorted(os.listdir('deep')))
# Those of our own work.
os.chdir(os.environ.get('TMPDIR', '/tmp'))
l = socket.socket(socket.AF_UNIX); l.bind('own'); l.listen()
c = socket.socket(socket.AF_UNIX); c.connect('own'); c.send(b'own'); print(l.accept()[0].recv(10))
d = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); d.bind('dgram')
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'gram', 'dgram'); print(d.recv(10))
"""


class Folder:
    """With services of the user's in it, at the top and deep inside."""

    def __init__(self, user, path):
        self.path, self.held = path, []
        os.makedirs(os.path.join(path, "deep/er"))
        open(os.path.join(path, "file"), "w").write("readable")
        for name in ("s", "deep/er/s"):
            at = os.path.join(path, name)
            for suffix, kind in (("", socket.SOCK_STREAM), (".dgram", socket.SOCK_DGRAM), (".seq", socket.SOCK_SEQPACKET)):
                s = socket.socket(socket.AF_UNIX, kind)
                here = os.open(os.path.dirname(at), os.O_RDONLY)
                s.bind("/proc/self/fd/%d/%s" % (here, os.path.basename(at) + suffix))  # a path may be too long
                os.close(here)
                if kind != socket.SOCK_DGRAM:
                    s.listen()
                s.setblocking(False)
                self.held.append(s)
            os.mkfifo(at + ".fifo")
            self.held.append(os.open(at + ".fifo", os.O_RDWR | os.O_NONBLOCK))
            os.write(self.held[-1], b"for the host")
            if os.geteuid() == 0:
                os.mknod(at + ".zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
        for folder, _, names in os.walk(path):
            for name in [folder] + [os.path.join(folder, n) for n in names]:
                os.chown(name, user.id, user.id)
                os.chmod(name, 0o777)

    def touched(self):
        for s in self.held:
            try:
                if isinstance(s, int):
                    if os.read(s, 100) != b"for the host":
                        yield "a pipe was emptied"
                    os.write(s, b"for the host")
                    continue
                s.recv(10) if s.type == socket.SOCK_DGRAM else s.accept()
                yield "a socket was reached"
            except BlockingIOError:
                if isinstance(s, int):
                    yield "a pipe was emptied"

    def close(self):
        for s in self.held:
            os.close(s) if isinstance(s, int) else s.close()
        shutil.rmtree(self.path)


def aimed(where):
    return TRY.replace("WHERE", repr(where))


def check(tap, folder, r, name):
    touched = list(folder.touched())
    tap.ok(r.success and not touched and "WORKED" not in r.stdout and r.stdout.count("readable") == 1 and
           r.stdout.endswith("b'own'\nb'gram'\n"), name, touched, r)


def test(tap, user):
    options = ("--no-check", "--timeout", "30s")
    has_root = "root" in (user.run("").isolation or ())
    folder = Folder(user, os.path.join(user.home, "shown"))
    if has_root:
        for at in ("", ":/data", ":/box/work/data"):
            inside = at[1:] or folder.path
            r = user.run(aimed(inside), "--ro", folder.path + at, *options)
            check(tap, folder, r, f"{user.name}: sockets and pipes below --ro SRC{at} are covered")
    r = user.run("print(1)", "--ro", folder.path, "--without", "root", "--allow-unsafe", *options)
    tap.ok(r.error and "named pipe" in r.error["message"] and ".fifo" in r.error["message"] and not r.stdout,
           f"{user.name}: without a private root, such a folder is refused by name", r)
    for name, what in (("s", "socket"), ("s.fifo", "named pipe")):
        r = user.run("print(1)", "--ro", os.path.join(folder.path, name), *options)
        tap.ok(r.error and what in r.error["message"] and not r.stdout, f"{user.name}: --ro of a {what} is refused", r)
    if has_root:
        test_warm(tap, user, folder)
    folder.close()
    test_many(tap, user, options)
    test_prefix(tap, user, options, has_root)
    test_unreadable(tap, user, options, has_root)
    test_deep(tap, user, options, has_root)
    test_git(tap, user, options, has_root)


def ask(at, request):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(at)
        s.sendall(request.encode())
        return b"".join(iter(lambda: s.recv(65536), b"")).decode().split("\r\n\r\n", 1)[1]


def run_there(at, code, **fields):
    body = json.dumps({"code": code, "language": "python", **fields})
    return json.loads(ask(at, "POST /v1/run HTTP/1.1\r\nHost: daemon\r\nConnection: close\r\n"
                              "Content-Length: %d\r\n\r\n%s" % (len(body.encode()), body)))


def warm_starts(at):
    said = ask(at, "GET /metrics HTTP/1.1\r\nHost: daemon\r\nConnection: close\r\n\r\n")
    return sum(int(n) for n in re.findall(r'pool_starts_total{from="(?:ready|zygote)"} (\d+)', said))


def test_warm(tap, user, folder):
    """Many guests are shown the same folder by one root, which is made once."""
    at = os.path.join(user.tmp, "daemon")
    daemon = user.start("serve", "--listen", "unix:" + at, "--allow", "host-files")
    try:
        end = time.monotonic() + 20
        while not os.path.exists(at) and time.monotonic() < end:
            time.sleep(0.02)
        warm = 0
        while warm < 2 and time.monotonic() < end:
            r = run_there(at, aimed("/data"), ro=[folder.path + ":/data"], no_check=True)
            warm = warm_starts(at)
        touched = list(folder.touched())
        tap.ok(r["success"] and not touched and "WORKED" not in r["stdout"] and "readable" in r["stdout"],
               f"{user.name}: sockets and pipes are covered for warm guests", touched, r)
        tap.ok(warm, f"{user.name}: and there were some", r)
    finally:
        daemon.terminate()
        daemon.communicate()


def test_many(tap, user, options):
    many = os.path.join(user.home, "many")
    os.mkdir(many)
    os.chmod(many, 0o755)
    for i in range(600):
        os.mkfifo(os.path.join(many, "pipe%d" % i))
    r = user.run("print(1)", "--ro", many, *options)
    tap.ok(r.error and "more than 512" in r.error["message"] and not r.stdout,
           f"{user.name}: more than can be covered are refused", r)
    shutil.rmtree(many)


def test_prefix(tap, user, options, has_root):
    """Of a virtual environment, which is shown without --ro. A clean one is not looked through each time, but a
    folder that changed is."""
    venv = os.path.join(user.home, "venv")
    made = subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", venv], capture_output=True)
    if made.returncode or not has_root:
        tap.skip(f"{user.name}: a virtual environment", "needs python3-venv and a private root")
        return
    for path, folders, files in os.walk(venv):
        for name in (path, *[os.path.join(path, f) for f in files]):
            os.lchown(name, user.id, user.id)
    python = ("--python", venv + "/bin/python", *options)
    tap.ok(user.run("print(1)", *python).success, f"{user.name}: a clean environment works")
    test_one_search(tap, user, python)
    folder = Folder(user, os.path.join(venv, "lib/project"))
    for turn in ("the first", "another"):
        r = user.run(aimed(folder.path), *python)
        check(tap, folder, r, f"{user.name}: sockets and pipes in an environment are covered, {turn} time")
    folder.close()
    test_stamp(tap, user, python, venv)
    shutil.rmtree(venv)


def test_one_search(tap, user, python):
    """Of many first runs at once, one searches, and the others wait for its note: here this test is the one."""
    home = os.path.join(user.home, ".local/state/glovebox")
    notes = [name for name in os.listdir(home) if name.startswith("looked-")] if os.path.isdir(home) else []
    if not tap.ok(notes, f"{user.name}: the note is there, also without a run log"):
        return
    for name in notes:
        os.rename(os.path.join(home, name), os.path.join(home, "kept-" + name))
    searching = os.open(home, os.O_RDONLY)
    fcntl.flock(searching, fcntl.LOCK_EX)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(user.run, "print(1)", *python)
        time.sleep(1)
        tap.ok(not other.done(), f"{user.name}: another run waits while the folder is searched")
        for name in notes:
            os.rename(os.path.join(home, "kept-" + name), os.path.join(home, name))
        os.close(searching)
        tap.ok(other.result().success, f"{user.name}: ... and then runs")


def test_stamp(tap, user, python, venv):
    """What else can lie where Glovebox notes that the environment is clean. It must not count, and not hang."""
    home = os.path.join(user.home, ".local/state/glovebox")
    os.makedirs(home, exist_ok=True)
    for path in (home, os.path.dirname(home), user.home + "/.local"):
        os.chown(path, user.id, user.id)

    def stamp():
        user.run("print(1)", *python)
        time.sleep(0.1)
        user.run("print(1)", *python)
        return [os.path.join(home, name) for name in os.listdir(home) if name.startswith("looked-")][0]

    def fifo(path):
        os.unlink(path)
        os.mkfifo(path)
        os.chown(path, user.id, user.id)

    def tomorrow(path):
        os.utime(path, (time.time() + 86400,) * 2)

    def another(path):
        with open(path, "w") as f:
            f.write("lib\n")

    for name, poison in (("a FIFO", fifo), ("a stamp of tomorrow", tomorrow), ("one of other folders", another)):
        path = stamp()
        folder = Folder(user, os.path.join(venv, "project"))
        time.sleep(0.1)
        poison(path)
        begin = time.monotonic()
        r = user.run(aimed(folder.path), *python)
        check(tap, folder, r, f"{user.name}: {name} in the stamp's place: sockets and pipes are covered")
        tap.ok(time.monotonic() - begin < 20, f"{user.name}: {name} in the stamp's place does not hang")
        folder.close()
        os.unlink(path)


def test_deep(tap, user, options, has_root):
    """A socket whose path is longer than any call takes: it is reached by names that are relative."""
    top, here = os.path.join(user.home, "long"), os.getcwd()
    os.mkdir(top)
    open(os.path.join(top, "file"), "w").write("readable")
    os.chdir(top)
    for _ in range(25):
        os.mkdir("n" * 200)
        os.chown("n" * 200, user.id, user.id)
        os.chdir("n" * 200)
    with socket.socket(socket.AF_UNIX) as s:
        s.bind("s")
        os.chmod("s", 0o777)
        s.listen()
        os.chdir(here)
        r = user.run(DEEP % top, "--ro", top, *options)
        if has_root:
            tap.ok(r.success and "REACHED" not in r.stdout and r.stdout.endswith("readable\n"),
                   f"{user.name}: a folder with paths that are too long is covered", r)
        r = user.run("print(1)", "--ro", top, "--without", "root", "--allow-unsafe", *options)
        tap.ok(r.error and "too long" in r.error["message"], f"{user.name}: and refused without a private root", r)
    shutil.rmtree(top)


DEEP = """
import os, socket
os.chdir('%s')
text, depth = open('file').read(), 0
try:
    for depth in range(25): os.chdir('n' * 200)
    s = socket.socket(socket.AF_UNIX); s.connect('s'); print('REACHED')
except OSError as e: print(depth, e)
print(text)
"""


def test_git(tap, user, options, has_root):
    if not shutil.which("git") or not os.path.exists("/etc/gitconfig"):
        tap.skip(f"{user.name}: git", "needs git and /etc/gitconfig")
        return
    code = "git init -q r && cd r && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git log --oneline"
    for more in ((), ("--without", "root", "--allow-unsafe")) if has_root else ((),):
        r = user.run(code, *more, *options, lang="shell")
        tap.ok(r.success and r.stdout.endswith(" x\n"), f"{user.name}: git works {' '.join(more[:2])}", r)


def test_unreadable(tap, user, options, has_root):
    """A socket of a known name in a folder that may be entered and not listed."""
    if user.is_root or not has_root:
        return
    outer = os.path.join(user.home, "outer")
    folder = Folder(user, outer + "/closed")
    os.chmod(outer, 0o755)
    if os.geteuid() == 0:
        os.chown(folder.path, 0, 0)
        os.chmod(folder.path, 0o711)
        r = user.run(aimed(folder.path).replace("print(open", "0 and print(open"), "--ro", outer, *options)
        tap.ok("WORKED" not in r.stdout and not list(folder.touched()) and r.success,
               f"{user.name}: a folder that cannot be listed is covered", list(folder.touched()), r)
        r = user.run("print(1)", "--ro", folder.path, *options)
        tap.ok(r.error and r.error["kind"] == "usage" and "may not be listed" in r.error["message"] and not r.stdout,
               f"{user.name}: and refused, if it is the one to be shown", r)
    folder.close()
    shutil.rmtree(outer)
