# SPDX-License-Identifier: Apache-2.0
"""Files in and out: --file, --out, --work-dir, --ro."""

import os
import stat

from test_daemon_run import Daemon


def tree(folder):
    found = {}
    for here, folders, names in os.walk(folder):
        for name in names:
            path = os.path.join(here, name)
            found[os.path.relpath(path, folder)] = (
                open(path, "rb").read() if os.path.isfile(path) else None
            )
    return found


LIST = "import os\nfor d, ds, fs in sorted(os.walk('.')):\n  for f in sorted(fs): print(os.path.join(d, f)[2:], repr(open(os.path.join(d, f)).read()))"


def test_program_name(t):
    """The program never hides or replaces a file of the user's."""
    t.write("proj/main.py", "X = 5")
    show = "import main, os; print(main.X, sorted(os.listdir()), os.path.basename(__file__))"
    for where in (("--work-dir", "proj"), ("--file", "proj/main.py")):
        done = t.run(*where, "-c", show)
        t.exits(done, 0, "%s with a main.py" % where[0], b"5 ['main.py', 'main_1.py'] main_1.py\n")
        t.equal(done.err, b"", "... of which nothing needs to be said")
    t.run("--work-dir", "proj", "-c", "open('main.py', 'a').write('\\nY = 6'); open(__file__, 'a').write('#')")
    t.equal(open(os.path.join(t.dir, "proj/main.py")).read(), "X = 5\nY = 6", "the user's file is the program's to change")
    t.write("proj/build.py", "print(__file__)")
    done = t.run("--work-dir", "proj", "proj/build.py")
    t.exits(done, 0, "a program from the folder itself", b"/box/work/build.py\n")
    t.equal(done.err, b"", "... is not left out")
    t.write("build.py", "print(__file__, open('build.py').read())")
    t.exits(t.run("--work-dir", "proj", "build.py"), 0, "another one of that name",
            b"/box/work/build_1.py print(__file__)\n")
    t.write("main.js", "exports.x = 5")
    t.exits(t.run("--lang", "javascript", "--file", "main.js", "-c", "console.log(require('./main').x)"), 0, "JavaScript", b"5\n")


def test_no_folder(t):
    t.refused(t.run("--work-dir", "nowhere", "-c", "1"), 2, "nowhere: no such folder", "a folder that is missing")
    for profile in ("kodeagent", "codeact"):
        done = t.run("--profile", profile, "--work-dir", "nowhere", "--json", "-c", "print(1)")
        t.equal((done.json["stdout"], done.json["warnings"][-1:], os.path.exists(os.path.join(t.dir, "nowhere"))),
                ("1\n", ["There is no folder nowhere; the program had a temporary one."], False), "a temporary one: " + profile)


def test_file(t):
    t.write("data.txt", "data")
    t.write("dir/a", "A")
    t.write("dir/sub/b", "B")
    t.exits(t.run("--file", "data.txt", "-c", LIST), 0, "a file by its own name", None) and None
    out = t.run("--file", "data.txt", "-c", LIST).out
    t.match(rb"^data.txt 'data'\nmain.py", out, "its content")
    for spec, want in [
        ("data.txt:in/other.txt", b"in/other.txt 'data'"),
        (t.path("here/data.txt"), b"data.txt 'data'"),
        ("dir", b"dir/a 'A'\ndir/sub/b 'B'"),
        ("dir:x", b"x/a 'A'\nx/sub/b 'B'"),
        ("./dir/../data.txt", b"data.txt 'data'"),
        ("dir/sub/b", b"b 'B'"),
        ("data.txt:./y", b"y 'data'"),
    ]:
        done = t.run("--file", spec, "-c", LIST)
        t.ok(done.code == 0 and want in done.out, "--file " + spec.replace(t.base, ""), done)
    done = t.run("-f", "data.txt", "-f", "dir/a", "-c", LIST)
    t.ok(b"data.txt 'data'" in done.out and b"a 'A'" in done.out, "several", done)
    done = t.run(
        "--file",
        "data.txt",
        "-c",
        "open('data.txt', 'a').write('!'); print(open('data.txt').read())",
    )
    t.exits(done, 0, "it may be written inside", b"data!\n")
    t.equal(open(t.path("here/data.txt")).read(), "data", "which changes nothing outside")
    t.write("run.sh", "#!/bin/sh\necho ran\n", 0o755)
    t.exits(
        t.run("--file", "run.sh", "-c", "import subprocess; subprocess.run(['./run.sh'])"),
        0,
        "it stays executable",
        b"ran\n",
    )
    t.write("helper.py", "VALUE = 7")
    t.write("prog.py", "import helper; print(helper.VALUE)")
    t.exits(t.run("--file", "helper.py", "prog.py"), 0, "a module beside the program", b"7\n")
    t.exits(t.run("prog.py"), 1, "which is not there unasked")


def test_file_refused(t):
    t.write("data.txt", "data")
    for spec, pattern in [
        ("nothing.txt", "no such file"),
        ("data.txt:../up.txt", "up|leaves|path|name"),
        ("data.txt:/etc/x", "name|path|relative"),
        ("data.txt:a/../../b", "path|name|leaves"),
        ("data.txt:", "name|path"),
        ("", "write SRC or SRC:NAME"),
        ("data.txt:" + "x" * 300, "long"),
        ("data.txt:" + "d/" * 3000 + "x", "long|deep"),
        ("data.txt:.", "name"),
    ]:
        done = t.run("--file", spec, "-c", "print('ran')")
        t.refused(done, 2, pattern, "--file %.40s" % spec)
    os.mkfifo(t.path("here/fifo"))
    done = t.run("--file", "fifo", "-c", "print('ran')")
    t.ok(done.code in (0, 2) and b"fifo" in done.err, "a FIFO is said", done)
    t.ok(
        t.run("--file", "/dev/zero:zero", "-c", "print('ran')").code in (0, 2),
        "/dev/zero does not hang it",
    )
    t.write("dir/ok", "x")
    os.mkfifo(t.path("here/dir/fifo"))
    os.symlink("/etc/passwd", t.path("here/dir/link"))
    done = t.run("--file", "dir", "-c", LIST)
    t.ok(
        done.code == 0 and b"dir/ok 'x'" in done.out and b"root:" not in done.out,
        "a folder with more than files in it",
        done,
    )
    with open(t.path("here/huge"), "wb") as f:
        f.truncate(1 << 40)
    done = t.run("--file", "huge", "-c", "print('ran')")
    t.refused(
        done,
        125,
        "more than the disk limit of 256m; raise --disk",
        "a file larger than the disk inside",
    )
    if os.geteuid():
        t.write("locked", "x", 0)
        done = t.run("--file", "locked", "-c", "print('ran')")
        t.ok(done.code in (2, 125) and b"locked" in done.err, "a file that cannot be read", done)


def test_clashes(t):
    t.write("a/x", "first")
    t.write("b/x", "second")
    done = t.run("--json", "--file", "a/x", "--file", "b/x", "-c", "print(open('x').read())")
    doc = done.json
    t.ok(doc["error"] or doc["skipped"], "two files for one name are not silently one", done)
    t.write("x", "file")
    done = t.run("--file", "x:p", "--file", "a:p", "-c", LIST)
    t.ok(done.code in (0, 2) and (done.err or done.code), "a file and a folder for one name", done)


def test_odd_names(t):
    names = [
        b"new\nline",
        b"\xff\xfe",
        b" lead",
        b"-dash",
        b"tab\t",
        b"quote'\"",
        b"\\",
        b"*",
        "日本".encode(),
        b"x" * 255,
        b"$HOME",
        b"%s",
        b"CON",
        b"...",
    ]
    os.mkdir(t.path("here/odd"))
    for name in names:
        t.write(os.path.join(b"odd", name), name)
    out = t.path("here/out")
    code = "import os\nfor n in os.listdir(b'odd'):\n  assert open(b'odd/' + n, 'rb').read() == n\n  open(b'back-' + n[:200], 'wb').write(n)\nprint(len(os.listdir('odd')))"
    done = t.run("--file", "odd", "--out", out, "-c", code)
    t.exits(done, 0, "odd names go in", b"%d\n" % len(names))
    back = {
        n: open(os.path.join(os.fsencode(out), n), "rb").read()
        for n in os.listdir(os.fsencode(out))
    }
    t.equal(back, {b"back-" + n[:200]: n for n in names}, "and come out")
    for name in (b"a:b", b"c:"):
        t.write(name, "colon")
    done = t.run("--file", "./a:b:x", "-c", LIST)
    t.ok(done.code in (0, 2), "a colon in a name is decided one way", done)


def test_out(t):
    out = t.path("here/results")
    code = "import os\nopen('new.txt', 'w').write('new'); os.makedirs('a/b'); open('a/b/c', 'w').write('deep'); open('given', 'a').write('+'); os.chmod('new.txt', 0o777)\nos.symlink('/etc/passwd', 'link'); os.mkdir('__pycache__'); open('__pycache__/x.pyc', 'w').write('')"
    t.write("given", "given")
    t.write("same", "same")
    done = t.run("--file", "given", "--file", "same", "--out", out, "-c", code)
    t.equal(
        tree(out),
        {"new.txt": b"new", "a/b/c": b"deep", "given": b"given+"},
        "new and changed files come out, the folder is made",
        done,
    )
    mode = stat.S_IMODE(os.stat(os.path.join(out, "new.txt")).st_mode)
    t.ok(not mode & 0o7022, "nobody else may write them", oct(mode))
    t.match(b"left out: link", done.err, "what is left out is said")
    t.equal(os.stat(os.path.join(out, "new.txt")).st_uid, os.geteuid(), "they are the user's own")
    done = t.run("--out", out, "-c", "open('new.txt', 'w').write('again')")
    t.equal(
        (done.code, tree(out)["new.txt"], len(tree(out))),
        (0, b"again", 3),
        "a second run replaces, and removes nothing",
        done,
    )
    done = t.run("--out", out, "-c", "open('partial', 'w').write('x'); raise SystemExit(3)")
    t.equal(
        (done.code, tree(out).get("partial")),
        (3, b"x"),
        "a program that fails brings its files out too",
    )
    done = t.run(
        "--out", out, "--timeout", "2s", "-c", "open('late', 'w').write('x')\nwhile 1: pass"
    )
    t.equal((done.code, tree(out).get("late")), (124, b"x"), "and one that ran out of time")
    victim = t.write("victim", "safe")
    os.symlink(victim, os.path.join(out, "trap"))
    done = t.run("--out", out, "-c", "open('trap', 'w').write('overwritten')")
    t.equal(open(victim).read(), "safe", "a link in the target is never followed", done)
    elsewhere = t.path("here/elsewhere")
    os.mkdir(elsewhere)
    os.symlink(elsewhere, os.path.join(out, "dirtrap"))
    done = t.run(
        "--out", out, "-c", "import os; os.mkdir('dirtrap'); open('dirtrap/x', 'w').write('x')"
    )
    t.equal(os.listdir(elsewhere), [], "nor is one to a folder", done)


def test_out_refused(t):
    t.refused(
        t.run("--out", t.write("file", "x"), "-c", "print('ran')"),
        2,
        "is not a folder",
        "--out that is a file",
    )
    done = t.run("--out", t.path("no/such/place"), "-c", "print('ran')")
    t.refused(
        done, done.code if done.code in (2, 125) else 2, "no/such/place", "--out without a parent"
    )
    if os.geteuid():
        os.mkdir(t.path("here/locked"), 0o500)
        done = t.run("--out", t.path("here/locked"), "-c", "open('x', 'w').write('x')")
        t.ok(
            done.code == 125 and done.err.count(b"\n") == 1 and b"Permission denied" in done.err,
            "--out that cannot be written",
            done,
        )
    done = t.run("--out", "/proc", "-c", "open('x', 'w').write('x')")
    t.ok(done.code == 125 and done.err.count(b"\n") == 1, "--out where nothing can be made", done)


def test_work_dir(t):
    work = t.path("here/work")
    os.mkdir(work)
    t.write("work/start.txt", "here before")
    done = t.run(
        "--work-dir", work, "-c", "print(open('start.txt').read()); open('count', 'a').write('x')"
    )
    t.exits(done, 0, "its files are inside", b"here before\n")
    for _ in range(2):
        t.run("--work-dir", "work", "-c", "open('count', 'a').write('x')")
    t.equal(
        tree(work),
        {"start.txt": b"here before", "count": b"xxx"},
        "and kept between runs; the program is not left there",
    )
    done = t.run(
        "--work-dir",
        work,
        "-c",
        "import os; os.remove('start.txt'); os.mkdir('d'); open('d/e', 'w').write('e')",
    )
    t.equal(tree(work), {"count": b"xxx", "d/e": b"e"}, "what is removed inside is removed", done)
    done = t.run("--json", "--work-dir", work, "-c", "open('count').read()")
    t.equal(done.json["files"], [], "what was there is no result")
    done = t.run(
        "--work-dir", work, "--out", t.path("here/out"), "-c", "open('both', 'w').write('b')"
    )
    t.equal(
        (tree(work).get("both"), tree(t.path("here/out"))),
        (b"b", {"both": b"b"}),
        "together with --out",
        done,
    )
    done = t.run(
        "--work-dir",
        work,
        "--timeout",
        "2s",
        "-c",
        "open('late', 'w').write('x')\nwhile 1: pass",
    )
    t.equal((done.code, tree(work).get("late")), (124, b"x"), "kept after a timeout")
    os.symlink("/etc/passwd", os.path.join(work, "link"))
    done = t.run(
        "--work-dir",
        work,
        "-c",
        "import os; print(os.path.lexists('link') and open('link').read()[:5])",
    )
    t.ok(
        b"root:x:0:0:root:/root" not in done.out and os.path.islink(os.path.join(work, "link")),
        "a link in it is not followed and stays",
        done,
    )
    t.refused(
        t.run("--work-dir", t.path("here/none"), "-c", "print('ran')"),
        2,
        "no such folder",
        "one that is missing",
    )
    t.refused(
        t.run("--work-dir", t.write("f", ""), "-c", "print('ran')"),
        2,
        "is not a folder",
        "one that is a file",
    )
    done = t.run(
        "--work-dir",
        work,
        "--file",
        t.write("count2", "new") + ":count",
        "-c",
        "print(open('count').read())",
    )
    t.ok(
        done.code in (0, 2) and (done.code or done.out in (b"new\n", b"xxx\n")),
        "a --file for a name that is there",
        done,
    )


def test_workspace(t):
    done = t.run(
        "-c",
        "import os; print(os.getcwd(), sorted(os.listdir('.')), os.stat('.').st_mode & 0o777 == 0o755 or oct(os.stat('.').st_mode))",
    )
    t.exits(done, 0, "an empty folder of its own", b"/box/work ['main.py'] True\n")
    done = t.run(
        "-c",
        "import os\nos.remove('main.py'); os.rmdir('/box/work') if 0 else None\nprint(os.listdir('.'))",
    )
    t.exits(done, 0, "the program may remove itself", b"[]\n")
    t.run(
        "-c",
        "open('/tmp/left', 'w').write('x'); open('left', 'w').write('x'); open('/dev/shm/left', 'w').write('x')",
    )
    done = t.run(
        "-c",
        "import os; print([p for p in ('/tmp/left', 'left', '/dev/shm/left') if os.path.exists(p)])",
    )
    t.exits(done, 0, "nothing is left for the next run", b"[]\n")
    t.ok(
        not os.path.exists("/tmp/left") and os.listdir(t.dir) == [],
        "nor outside",
        os.listdir(t.dir),
    )
    for place in ("/", "/usr", "/etc", "/home", "/root", "/proc", "/dev", "/var"):
        done = t.run("-c", "open(%r, 'w')" % os.path.join(place, "x"))
        t.ok(done.code == 1 and b"Error" in done.err, "%s cannot be written" % place, done)


def test_ro(t):
    shown = t.write("shown/data.txt", "shown")
    t.write("shown/more/x", "x")
    t.write("hidden.txt", "hidden")
    folder = t.path("here/shown")
    t.exits(
        t.run("--ro", folder, "-c", "print(open(%r).read())" % shown),
        0,
        "a folder at its own place",
        b"shown\n",
    )
    t.exits(t.run("--ro", shown, "-c", "print(open(%r).read())" % shown), 0, "a file", b"shown\n")
    t.exits(
        t.run("--ro", "shown:/data", "-c", "import os; print(sorted(os.listdir('/data')))"),
        0,
        "at another place",
        b"['data.txt', 'more']\n",
    )
    t.exits(
        t.run(
            "--ro", shown + ":/data/deep/in.txt", "-c", "print(open('/data/deep/in.txt').read())"
        ),
        0,
        "deep below",
        b"shown\n",
    )
    t.exits(
        t.run(
            "--ro",
            "shown:/a",
            "--ro",
            "hidden.txt:/b",
            "-c",
            "print(open('/a/data.txt').read(), open('/b').read())",
        ),
        0,
        "several",
        b"shown hidden\n",
    )
    done = t.run(
        "--ro",
        folder,
        "-c",
        "import os; print(os.listdir(%r), os.path.exists(%r))" % (t.dir, t.path("here/hidden.txt")),
    )
    t.exits(done, 0, "and nothing beside it", b"['shown'] False\n")
    for what in (
        "open('/d/data.txt', 'a')",
        "open('/d/new', 'w')",
        "__import__('os').remove('/d/data.txt')",
        "__import__('os').chmod('/d/data.txt', 0o777)",
    ):
        done = t.run("--ro", "shown:/d", "-c", what)
        t.ok(done.code == 1 and b"Error" in done.err, "read-only: " + what, done)
    t.equal(tree(folder), {"data.txt": b"shown", "more/x": b"x"}, "it is what it was")
    t.exits(
        t.run("--ro", "shown:/box/data", "-c", "print(open('/box/data/data.txt').read())"),
        0,
        "beside the workspace",
        b"shown\n",
    )
    for host in ("/proc:/pp", "/proc/self:/pp"):
        done = t.run("--ro", host, "-c", "1")
        t.ok(done.code == 2 and b"the host's /proc" in done.err, "not the host's processes: " + host, done)
    for place in ("/tmp", "/var/tmp", "/dev", "/box", "/box/work"):
        done = t.run("--ro", "shown:" + place, "-c", "1")
        t.ok(done.code == 2 and b"is in use" in done.err, "a folder that is the guest's own is not covered: " + place, done)
    for place in ("/tmp/in", "/var/tmp/in", "/box/work/in", "/usr/in", "/dev/in", "/proc/in"):
        done = t.run(
            "--ro", "shown:" + place, "-c", "print(open(%r).read())" % (place + "/data.txt")
        )
        t.ok(
            (done.code == 0 and done.out == b"shown\n")
            or (done.code in (2, 125) and done.err.count(b"\n") == 1),
            "at %s, or a refusal" % place,
            done,
        )
    import shutil
    import tempfile

    for above in ("/tmp", "/var/tmp"):
        place = tempfile.mkdtemp(dir=above)
        os.chmod(place, 0o755)  # root's guest is not root
        try:
            t.write(place + "/x", "in tmp")
            t.exits(
                t.run("--ro", place, "-c", "print(open(%r).read())" % (place + "/x")),
                0,
                "a folder below %s at its own place" % above,
                b"in tmp\n",
            )
            other = os.path.join("/tmp", os.path.basename(place))
            t.ok(above == "/tmp" or not os.path.exists(other), "... and nothing is made in the host's /tmp")
        finally:
            shutil.rmtree(place)
    t.write("a:b/data.txt", "colon")
    place = t.path("here/a:b")
    t.exits(t.run("--ro", place, "-c", "print(open(%r).read())" % (place + "/data.txt")), 0, "a name with a colon", b"colon\n")


OUTSIDE = """
import os
tries = {os.path.join(os.getcwd(), "..", "v"): "", "../out.csv": "", "/box/x": "", "/out.csv": "",
         "/box/tmp/y": "/tmp/y", "/box/shm/z": "/dev/shm/z"}
for path, same in tries.items():
    try:
        open(path, "w").write("lost")
        if not os.path.exists(same):
            print("wrote", path)
    except OSError:
        pass
for folder in (".", os.environ.get("TMPDIR", "/tmp")):
    open(os.path.join(folder, "kept"), "w").write("1")
os.rename("kept", "kept.txt")
print("done")
"""


def test_outside(t):
    """What is written beside the working folder would be gone without a word."""
    for how in ((), ("--without", "mountns,root", "--allow-unsafe"), ("--lang", "python", "--cold")):
        done = t.run("--no-daemon", *how, "--out", t.path("saved"), "-c", OUTSIDE)
        t.exits(done, 0, "nothing beside the working folder: %s" % " ".join(how), b"done\n")
        t.equal(tree(t.path("saved")).get("kept.txt"), b"1", "what is in it is kept")
    with Daemon(t) as d:
        for _ in range(3):
            done = t.run("--daemon", d.env["GLOVEBOX_SOCKET"], "-c", OUTSIDE)
            t.exits(done, 0, "warm", b"done\n")
        for more in ((), ("--forks", "0")):
            i = t.box("session", "new", *more, env=d.env).out.decode().strip()
            done = t.box("session", "exec", i, "-c", OUTSIDE, env=d.env)
            t.exits(done, 0, "in a session %s" % " ".join(more), b"done\n")


def test_no_root(t):
    """Where there is no private root, a view by another name cannot be had, and is not passed over."""
    t.write("shown/data.txt", "shown")
    bare = ("--without", "mountns,root", "--allow-unsafe")
    for how in (bare, ("--backend", "host", "--allow-unsafe")):
        done = t.run("-q", *how, "--ro", "shown:/data", "-c", "print(1)")
        t.ok(done.code == 125 and b"--ro: " in done.err and b"layer root" in done.err and not done.out,
             "refused: %s" % " ".join(how), done)
    done = t.run("-q", *bare, "--ro", "/etc/passwd", "-c", "print(open('/etc/passwd').read()[:5])")
    t.exits(done, 0, "by its own name", b"root:\n")
