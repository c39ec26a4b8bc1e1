# SPDX-License-Identifier: Apache-2.0
"""--writable: folders of the workspace at other places inside."""

from test_daemon_run import Daemon
from test_files import tree

PLACES = ("--writable", "/app", "--writable", "/home/user", "--writable", "/srv")
WRITES = """
import os
os.makedirs("/app/deep/er")
for path in ("/app/deep/er/a", "/home/user/b", "/srv/c"):
    open(path, "w").write(path)
os.chdir("/app")
print(sorted(os.listdir("/box/work/home/user")), open("deep/er/a").read())
"""
WROTE = b"['b'] /app/deep/er/a\n"
OUTSIDE = """
for path in ("/out", "/home/x", "/opt/z"):
    try:
        open(path, "w")
        print("wrote", path)
    except OSError as error:
        print(error.errno)
"""


def test_writable(t):
    done = t.run(*PLACES, "--writable", "/app", "--out", t.path("saved"), "-c", WRITES)
    t.exits(done, 0, "folders at places of their own, one named twice", WROTE)
    t.equal(tree(t.path("saved")), {"app/deep/er/a": b"/app/deep/er/a", "home/user/b": b"/home/user/b",
                                    "srv/c": b"/srv/c"}, "they are folders of the workspace")
    t.exits(t.run(*PLACES, "-c", OUTSIDE), 0, "and nothing beside them", b"30\n30\n30\n")
    t.write("in.txt", "given")
    t.exits(t.run("--writable", "/data", "--file", "in.txt:data/in.txt", "-c", "print(open('/data/in.txt').read())"),
            0, "a file of the workspace is there", b"given\n")
    t.exits(t.run("--cold", *PLACES, "--lang", "bash", "-c", "cd /app && pwd && echo x > /srv/x && ls"), 0, "cold",
            b"/app\n")


def test_writable_in_a_daemon(t):
    with Daemon(t) as d:
        for _ in range(3):
            done = t.run("--daemon", d.env["GLOVEBOX_SOCKET"], *PLACES, "-c", WRITES)
            t.exits(done, 0, "warm", WROTE)
        for more in ((), ("--forks", "0")):
            i = t.box("session", "new", *PLACES, *more, env=d.env).out.decode().strip()
            t.exits(t.box("session", "exec", i, "-c", WRITES, env=d.env), 0, "in a session %s" % " ".join(more), WROTE)
        i = t.box("session", "new", *PLACES, env=d.env).out.decode().strip()
        t.box("session", "exec", i, "-c", "open('/app/x', 'w').write('first')", env=d.env)
        fork = t.box("session", "fork", i, env=d.env)
        if fork.code == 0:
            j = fork.out.decode().strip()
            done = t.box("session", "exec", j, "-c", "print(open('/app/x', 'r+').read())", env=d.env)
            t.exits(done, 0, "in a fork", b"first\n")


def test_writable_refused(t):
    for path, why in (("/usr/x", b"sandbox's own"), ("/etc", b"sandbox's own"), ("/var", b"sandbox's own"),
                      ("/box/work/x", b"sandbox's own"), ("/tmp/x", b"sandbox's own"), ("app", b"absolute path"),
                      ("/app/../x", b"absolute path"), ("/", b"absolute path"), ("", b"absolute path")):
        done = t.run("--writable", path, "-c", "print(1)")
        t.ok(done.code == 2 and why in done.err and done.err.count(b"\n") == 1 and not done.out,
             "refused: '%s'" % path, done)
    for more in (("--writable", "/app/b"), ("--ro", "/etc/passwd:/app/passwd")):
        done = t.run("--writable", "/app", *more, "-c", "print(1)")
        t.ok(done.code == 2 and b"shown inside already" in done.err, "one in another: %s" % more[1], done)
    many = [word for n in range(65) for word in ("--writable", "/d%d" % n)]
    t.ok(b"more than 64" in t.run(*many, "-c", "print(1)").err, "too many")
    t.write("folder/app", "a file")
    t.exits(t.run("--writable", "/app", "--work-dir", t.path("folder"), "-c", "print(1)"), 2, "a file of that name")
    done = t.run("-q", "--without", "mountns,root", "--allow-unsafe", "--writable", "/app", "-c", "print(1)")
    t.ok(done.code == 125 and b"--writable: " in done.err and b"layer root" in done.err, "without a private root", done)
    done = t.run("--backend", "docker", "--writable", "/app", "-c", "print(1)")
    t.ok(done.code == 125 and b"leave --writable out" in done.err, "in a container", done)
