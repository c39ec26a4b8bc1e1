# SPDX-License-Identifier: Apache-2.0
"""The stand-in through E2B's Python package (sdk.py installs that)."""

import e2b
from e2b import Sandbox

BYTES = bytes(range(256))


def check(good, name):
    print("ok" if good else "not ok", name, flush=True)


def raises(kind, name, call):
    try:
        call()
        check(False, name)
    except kind:
        check(True, name)


def commands(box):
    done = box.commands.run("echo out; echo err >&2; pwd; whoami")
    check((done.stdout, done.stderr) == ("out\n/home/user\nuser\n", "err\n"), "a command")
    raises(e2b.CommandExitException, "one that fails", lambda: box.commands.run("exit 3"))
    raises(e2b.TimeoutException, "one that takes too long", lambda: box.commands.run("sleep 20", timeout=1))
    sleeper = box.commands.run("sleep 100", background=True)
    check(sleeper.pid in [p.pid for p in box.commands.list()] and sleeper.kill(), "one in the background")
    reader = box.commands.run("cat", background=True, stdin=True)
    box.commands.send_stdin(reader.pid, "abc")
    box.commands.close_stdin(reader.pid)
    check(reader.wait().stdout == "abc", "input")
    check(box.commands.run("whoami", user="root").stdout in ("root\n", "user\n"), "another user")


def files(box):
    box.files.write("a/b.bin", BYTES)
    check(box.files.read("a/b.bin", format="bytes") == BYTES, "a file")
    box.files.write_files([{"path": "m1.txt", "data": "1"}, {"path": "d/m2.txt", "data": "2"}])
    check(box.files.read("d/m2.txt") == "2", "several files")
    names = [entry.path for entry in box.files.list("/home/user", depth=2)]
    check({"/home/user/a/b.bin", "/home/user/m1.txt"} <= set(names), "a listing")
    check(box.files.make_dir("z") and not box.files.make_dir("z"), "a folder")
    box.files.rename("m1.txt", "m3.txt")
    box.files.remove("m3.txt")
    check(not box.files.exists("m3.txt"), "a rename and a removal")
    raises(e2b.NotFoundException, "a file that is missing", lambda: box.files.read("nothing"))
    box.files.write("empty", "")
    check(box.files.read("empty") == "", "an empty file")


def life(box):
    check(box.get_info().metadata == {"k y": "v&1"} and box.is_running(), "what a sandbox is")
    found = Sandbox.list(query=e2b.SandboxQuery(metadata={"k y": "v&1"})).next_items()
    check(box.sandbox_id in [one.sandbox_id for one in found], "a list by metadata")
    box.set_timeout(100)
    box.pause()
    check(not box.is_running(), "a pause")
    check(Sandbox.connect(box.sandbox_id).commands.run("echo 1").stdout == "1\n", "and its end")
    check(box.kill() and not box.kill() and not box.is_running(), "a kill")
    raises(e2b.TimeoutException, "a sandbox that is gone", lambda: box.commands.run("true"))


sandbox = Sandbox.create(envs={"A": "b"}, metadata={"k y": "v&1"}, timeout=60)
for part in (commands, files, life):
    part(sandbox)
