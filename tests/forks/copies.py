# SPDX-License-Identifier: Apache-2.0
"""The disk of a fork is a copy."""

from family import Families, nothing_left

ODD = r"""
import json
os.chdir('/box/work')
names = [b'new\nline', b'x' * 255, b'\xff\xfe not UTF-8', b' ', b'-rf', b'\x01\x7f', 'é'.encode()]
for i, n in enumerate(names):
    with open(n, 'wb') as f:
        f.write(b'%d' % i)
os.symlink('/etc/passwd', 'absolute'); os.symlink('nowhere', 'dangling'); os.symlink('loop', 'loop'); os.symlink('..', 'up')
os.symlink('x' * 4000, 'long')
os.mkfifo('fifo'); os.link('-rf', 'hard')
with open('none', 'w') as f:
    f.write('none')
os.chmod('none', 0)
os.mkdir('shut'); open('shut/in', 'w').close(); os.chmod('shut', 0)
open('run', 'w').close(); os.chmod('run', 0o755)
os.mkdir('empty', 0o700)
for path in ('none', 'run', 'empty', 'shut', '-rf'):
    os.utime(path, ns=(10 ** 18 + 1, 10 ** 18 + 5))
socket.socket(socket.AF_UNIX).bind('sock')
def look():
    seen = {}
    for n in sorted(os.listdir(b'.')):
        st = os.lstat(n)
        what = os.readlink(n).decode('latin1')[:20] if stat.S_ISLNK(st.st_mode) else ''
        if stat.S_ISREG(st.st_mode) and st.st_mode & 0o400:
            with open(n, 'rb') as f:
                what = f.read().decode('latin1')
        late = st.st_mtime_ns == 10 ** 18 + 5
        seen[n.decode('latin1')] = [st.st_mode, st.st_size if stat.S_ISREG(st.st_mode) else 0, what, late]
    seen.pop('sock', None)
    return json.dumps(seen)
1
"""


def test_odd(tap, d):
    s = d.open()
    s.run(ODD)
    f = s.fork()
    tap.equal(f.value("look()"), s.value("look()"), "names, modes, links, times are those of the origin")
    tap.equal(f.value("os.chmod('none', 0o600); os.chmod('shut', 0o700); [open('none').read(), os.listdir('shut')]"),
              ["none", ["in"]], "so is what nobody may read")
    f.run("open('-rf', 'w').write('fork'); os.unlink('up')")
    tap.equal(s.value("[open('-rf').read(), os.readlink('up')]"), ["4", ".."], "and then it is its own")


def test_large(tap, d):
    s = d.open(disk_bytes=64 << 20)
    s.run("f = open('sparse', 'wb'); f.truncate(60 << 20); f.seek(30 << 20); f.write(b'middle'); f.close()")
    f = s.fork()
    tap.equal(f.value("st = os.stat('sparse'); f = open('sparse', 'rb'); f.seek(30 << 20); "
                      "[st.st_size >> 20, st.st_blocks < 1000, f.read(6).decode()]"), [60, True, "middle"], "a sparse file stays one")
    s.run("os.unlink('sparse'); open('full', 'wb').write(bytes(62 << 20))")
    g = s.fork()
    tap.equal(g.value("os.stat('full').st_size >> 20"), 62, "a disk that is nearly full")
    s.run("os.unlink('full'); open('half', 'wb').write(bytes(40 << 20)); os.link('half', 'other')")
    r = s.ask_fork()
    ok = r.status == 201 or "copy" in r.message
    tap.ok(ok, "a file of two names, which does not fit twice, is copied or refused with a reason", r)
    tap.equal(s.value("1"), 1, "the session goes on")


DEEP = """
import shutil
def deep(n):
    os.chdir('/box/work')
    os.mkdir('deep')
    fd = os.open('deep', os.O_RDONLY)
    for i in range(n - 1):
        os.mkdir('d', dir_fd=fd)
        below = os.open('d', os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)
def depth():
    n, fd = 1, os.open('/box/work/deep', os.O_RDONLY)
    while os.listdir(fd):
        below = os.open('d', os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        n, fd = n + 1, below
    return n
"""


def test_many(tap, d):
    s = d.open()
    s.run("for i in range(10000):\n    os.close(os.open('f%d' % i, os.O_CREAT | os.O_WRONLY))")
    f = s.fork()
    tap.equal(f.value("len(os.listdir('.'))"), 10000, "ten thousand files")
    s = d.open()
    s.run(DEEP + "deep(150)")
    tap.equal(s.fork().value("depth()"), 150, "folders 150 deep")
    s = d.open()
    s.run(DEEP + "deep(400)")
    r = s.ask_fork()
    tap.ok(r.status != 201 and "nested" in r.message, "400 deep are refused with the reason", r)
    tap.equal(s.value("depth()"), 400, "and stay")


RESTLESS = """
def restless(k):
    end = time.monotonic() + 6
    i = 0
    while time.monotonic() < end:
        i += 1
        try:
            n = 'm%d' % (i % 50)
            with open(n, 'wb') as f: f.write(b'x' * (i % 5000))
            os.rename(n, 'r%d' % (i % 37))
            if i % 3 == 0:
                os.unlink('r%d' % (i % 37)); os.symlink('/etc/passwd', 'r%d' % (i % 37))
            if i % 5 == 0:
                os.unlink('r%d' % (i % 37)); os.mkfifo('r%d' % (i % 37))
            if i % 7 == 0:
                os.mkdir('d%d' % (i % 11)); os.rename('d%d' % (i % 11), 'e%d' % k)
            os.truncate('m1', i % 1000)
            os.rmdir('e%d' % k)
        except OSError:
            pass
    os._exit(0)
for k in range(3):
    if os.fork() == 0:
        restless(k)
"""


def test_restless(tap, d):
    s = d.open()
    s.run("open('still', 'w').write('still')")
    s.run(RESTLESS)
    answers = [s.ask_fork() for _ in range(12)]
    made = [type(s)(d, r.json["id"]) for r in answers if r.status == 201]
    tap.ok(len(made) >= 6 and all(r.status == 201 or "copy" in r.message for r in answers),
           "processes that change everything meanwhile: %d of 12 copied" % len(made), *[r for r in answers if r.status != 201])
    tap.equal({f.value("open('still').read()") for f in made}, {"still"}, "with what stays as it is")


def test(tap):
    with Families() as d:
        for part in (test_odd, test_large, test_many, test_restless):
            part(tap, d)
        nothing_left(tap, d, "copies")
