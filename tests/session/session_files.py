# SPDX-License-Identifier: Apache-2.0
"""The workspace: what a cell did to it, and the way in and out."""

import hashlib
import os
import tempfile

from feed import Feed, Session, events


def told(result):
    return {f["path"]: f["change"] for f in result["files"]}


def test_changes(t, feed):
    with Session(feed, inputs={"in.txt": "given", "sub/b.txt": "b"}) as s:
        r = s.run("open('in.txt').read()")
        t.equal((r["value"], told(r)), ("given", {}), "an input is no change", r)
        r = s.run("open('a.txt', 'w').write('one')\nopen('sub/b.txt', 'a').write('!')")
        t.equal(told(r), {"a.txt": "new", "sub/b.txt": "modified"}, "new and changed")
        t.equal(r["files"][0]["sha256"], hashlib.sha256(b"one").hexdigest(), "with its sum")
        t.equal([e["path"] for e in events(r, "file")], ["a.txt", "sub/b.txt"], "files are events")
        t.equal(told(s.run("1")), {}, "told once")
        r = s.run("import os, time\nos.utime('a.txt')\nopen('in.txt', 'r+').write('given')")
        t.equal(told(r), {}, "touched, or written as it was")
        t.equal(told(s.run("os.rename('a.txt', 'c.txt')")), {"a.txt": "deleted", "c.txt": "new"}, "renamed")
        r = s.run("os.symlink('/etc/passwd', 'link'); os.mkfifo('pipe')")
        t.equal((told(r), sorted(x["path"] for x in r["skipped"])), ({}, ["link", "pipe"]), "links and pipes are skipped", r)
        t.equal(s.run("1")["skipped"], [], "and told once")
        r = s.run("os.makedirs('__pycache__'); open('__pycache__/x.pyc', 'w').write('1'); os.mkdir('empty')")
        t.equal(told(r), {}, "caches and folders are no files")
        r = s.run("open('c.txt', 'w').write('more')\n1/0")
        t.equal(told(r), {"c.txt": "modified"}, "a failing cell's files")
        r = s.run("for i in range(300): open(f'f{i}', 'w').write(str(i))")
        t.equal(len(r["files"]), 300, "many")
        t.equal(len(s.run("import shutil\nfor i in range(300): os.remove(f'f{i}')")["files"]), 300, "and gone")


def test_out(t, feed):
    with tempfile.TemporaryDirectory() as out, tempfile.TemporaryDirectory() as work:
        with open(os.path.join(work, "old.txt"), "w") as f:
            f.write("old")
        with Session(feed, out_dir=out, work_dir=work) as s:
            s.run("open('x.txt', 'w').write('x1')")
            t.equal(open(os.path.join(out, "x.txt")).read(), "x1", "--out after each cell")
            s.run("import os\nopen('x.txt', 'w').write('x2')\nopen('old.txt', 'a').write('er')")
            t.equal(open(os.path.join(out, "x.txt")).read(), "x2", "again")
            t.equal(open(os.path.join(work, "old.txt")).read(), "old", "--work-dir is not touched meanwhile")
            r = s.run("os.symlink('/etc/hostname', 'evil')\nopen('glovebox.conf', 'w').write('')")
            t.ok(not os.path.lexists(os.path.join(out, "evil")), "no link comes out", r)
            t.ok(not os.path.lexists(os.path.join(out, "glovebox.conf")), "nor what would configure us")
            s.run("os.remove('x.txt'); open('y.txt', 'w').write('y')")
            t.equal(s.ask("restart").get("ok"), True, "a restart")
            t.ok(open(os.path.join(work, "y.txt")).read() == "y" and not os.path.exists(os.path.join(work, "x.txt")), "brings --work-dir up to date")
            r = s.run("import os\nopen('x.txt', 'w').write('x2'); os.remove('y.txt')")
            t.equal(told(r), {"x.txt": "new", "y.txt": "deleted"}, "and keeps what is where", r)
        t.equal(open(os.path.join(work, "old.txt")).read(), "older", "--work-dir at the end")
        t.equal(open(os.path.join(work, "x.txt")).read(), "x2", "and what is new")
        t.ok(not os.path.exists(os.path.join(work, "y.txt")), "without what is gone")


def test_in_and_out(t, feed):
    with Session(feed) as s:
        t.equal(s.ask("put", path="d/e/in.txt", text="from outside").get("ok"), True, "put")
        r = s.run("open('d/e/in.txt').read()")
        t.equal((r["value"], told(r)), ("from outside", {}), "read inside; not the guest's doing", r)
        r = s.run("open('d/e/in.txt', 'a').write('+'); open('d/e/own', 'w').write('o'); import os; os.rename('d/e', 'd/f')")
        t.ok(r["success"], "the guest may change it, and its folders", r["exception"])
        t.equal(s.ask("read", path="d/f/in.txt"), {"text": "from outside+", "size": 13, "tag": feed.tags}, "read outside")
        t.equal(
            [(f["path"], f["size"]) for f in s.ask("files")["files"]],
            [("d/", 0), ("d/f/", 0), ("d/f/in.txt", 13), ("d/f/own", 1)],
            "the list",
        )
        t.equal(s.ask("remove", path="d/f/own").get("ok"), True, "remove")
        t.equal(told(s.run("1")), {}, "which is not told")
        t.equal(s.ask("remove", path="d").get("error"), "usage", "a full folder stays")
        t.equal(s.ask("put", path="d", text="x").get("error"), "usage", "a folder is not replaced")
        t.equal(s.ask("put", path="big", text="x" * 100, max=99).get("error"), "limit", "a ceiling")
        t.ok("big" not in str(s.ask("files")) and ".glovebox-put" not in str(s.ask("files")), "nothing of it is left")


def test_nowhere_else(t, feed):
    with tempfile.TemporaryDirectory() as folder:
        secret = os.path.join(folder, "secret")
        with open(secret, "w") as f:
            f.write("host")
        os.chmod(folder, 0o777)
        with Session(feed) as s:
            s.run(
                "import os\nos.symlink(%r, 'dir'); os.symlink(%r, 'file'); os.mkfifo('pipe'); os.mkdir('d')\n"
                "os.symlink('..', 'd/up'); os.symlink('/etc/passwd', 'd/p')" % (folder, secret)
            )
            for path in ("file", "dir/secret", "pipe", "d", "d/up/file", "d/p", "../x", "/etc/passwd", "", "a//b", "d/../file", "nowhere", "x/y"):
                r = s.ask("read", path=path)
                t.equal(r.get("error"), "usage", "no file %r" % path, r)
            for path in ("dir/new", "d/up/new", "../new", "/new", "pipe/new"):
                r = s.ask("put", path=path, text="x")
                t.ok("error" in r, "nothing is put at %r" % path, r)
            t.equal(os.listdir(folder), ["secret"], "the host's folder is as it was")
            t.equal(s.ask("put", path="file", text="mine").get("ok"), True, "a link is replaced")
            t.equal((open(secret).read(), s.ask("read", path="file").get("text")), ("host", "mine"), "not followed")
            for path in ("dir/secret", "../x", "d/up/file"):
                t.ok("error" in s.ask("remove", path=path), "nothing is removed at %r" % path)
            t.equal(s.ask("remove", path="dir").get("ok"), True, "a link is removed")
            t.ok(os.path.exists(secret), "not what it points to")


def test_races(t, feed):
    """Processes that are at work in there while we look."""
    with Session(feed, disk=16 << 20) as s:
        r = s.run(
            "import os, threading\nstop = False\nos.mkdir('r')\ndef go(k):\n    i = 0\n    while not stop:\n        i += 1\n"
            "        p = f'r/{k}-{i % 5}'\n        try:\n            open(p, 'w').write('x' * (i % 9000))\n"
            "            os.rename(p, f'r/m{k}')\n            os.symlink('/etc', p) if i % 3 == 0 else os.mkdir(p)\n"
            "            os.rmdir(p) if i % 3 else os.unlink(p)\n        except OSError: pass\n"
            "ts = [threading.Thread(target=go, args=(k,)) for k in range(3)]\nfor th in ts: th.start()",
            no_check=True,
        )
        t.ok(r["success"], "threads are at work", r)
        for i in range(20):
            r = s.run("%d" % i)
            if not r["success"] or r["value"] != i:
                break
        t.ok(r["success"] and i == 19, "cells go on", r)
        t.ok("files" in s.ask("files"), "the list")
        t.equal(s.run("stop = True\nfor th in ts: th.join()\n'over'")["value"], "over", "the end")


def test_ceilings(t, feed):
    with Session(feed, disk=8 << 20) as s:
        r = s.run("open('big', 'wb').write(bytes(64 << 20))")
        t.ok(not r["success"] and "disk" in r["limits"], "a full disk", r["limits"])
        s.run("import os; os.remove('big')")
        deep = "p = '.'\nfor i in range(300):\n    p += '/d'\n    os.mkdir(p)\nopen(p + '/f', 'w').write('x')"
        r = s.run(deep)
        t.ok(r["success"] and any("deep" in x["reason"] for x in r["skipped"]), "a deep tree", r["skipped"])
        t.ok(s.run("1")["value"] == 1, "and on")


def test(t):
    with Feed() as feed:
        for name, part in list(globals().items()):
            if name.startswith("test_"):
                part(t, feed)
