# SPDX-License-Identifier: Apache-2.0
"""What comes from a container and from an engine is hostile: every lie ends in an error, in bounded time, and nothing is
written but where it belongs."""

import errno
import os
import signal
import struct
import subprocess
import tempfile
import threading
import time

import program
from frames import FRAMES
from pretender import (CHANNEL_OUT, CREDIT, DONE, ENDED, ERR, FILES, HELD, KEPT, KILL, LAY_DIR, LAY_FILE, LEFT_OUT, LIMIT, OUT,
                       OVER, SHUT, STARTED, TREE, USAGE, Pretender, frame, lay_end, piece, record)

GOOD_DONE = frame(DONE, struct.pack("<III", 0, 0, 0))
ERR_SYSTEM = 5  # enum err_kind
LINK, FIFO, DEVICE = 0o120777, 0o010600, 0o060600


def left_out(mode, size, path):
    return frame(LEFT_OUT, struct.pack("<IQI", mode, size, len(path)) + path)


def run(tap, name, speak=None, seconds=30, words=(), **more):
    """The result's document, or None; checks that the run ends, and that the temporary folder is empty."""
    with tempfile.TemporaryDirectory() as folder:
        for sub in ("tmp", "out"):
            os.mkdir(os.path.join(folder, sub))
        pretender = Pretender(folder, speak, **more)
        began = time.monotonic()
        os.environ["TMPDIR"] = folder + "/tmp"
        try:
            got = program.result(pretender.host, "-c", "1", "--timeout", "3s", "--out", folder + "/out", *words)
        finally:
            del os.environ["TMPDIR"]
            pretender.close()
        took = time.monotonic() - began
        tap.ok("broken" not in got and took < seconds, "%s: it ends with a result" % name, took, got.get("broken"))
        left = sorted(os.path.join(f, n)[len(folder):] for f, folders, files in os.walk(folder) for n in folders + files)
        tap.ok(not [p for p in left if p not in ("/tmp", "/out") and not p.startswith("/out/")],
               "%s: nothing is written elsewhere" % name, left)
        got["out"] = [p[5:] for p in left if p.startswith("/out/")]
        return got


def with_tree(*frames):
    def speak(talk):
        talk.begin()
        talk.end()
        talk.files(*frames, GOOD_DONE)
        talk.stream.read(1)

    return speak


def test_honest(tap):
    def speak(talk):
        talk.begin()
        talk.say(frame(OUT, b"out"), frame(ERR, b"err"), frame(USAGE, struct.pack("<QQQ", 5000000, 1, 1 << 20)))
        talk.end(3 << 8)
        talk.files(frame(TREE, record(LAY_FILE, b"a/b", b"text") + lay_end(1)), GOOD_DONE)
        talk.stream.read(1)

    r = run(tap, "an honest container", speak)
    tap.equal((r.get("stdout"), r.get("stderr"), r.get("exit_code"), r["out"]), ("out", "err", 3, ["a", "a/b"]),
              "its output, exit code and files", r)


def test_order(tap):
    """Frames that arrive together: what was shown stands before what was printed later."""
    shown = b'{"data": {"text/plain": "shown"}, "metadata": {}}'

    def speak(talk):
        talk.begin()
        talk.say(*[frame(CHANNEL_OUT, b"display 0 %d\n" % len(shown) + shown), frame(OUT, b"printed\n")] * 3)
        talk.end()
        talk.files(frame(TREE, lay_end(0)), GOOD_DONE)
        talk.stream.read(1)

    with tempfile.TemporaryDirectory() as folder:
        pretender = Pretender(folder, speak)
        done = program.run(pretender.host, "-c", "display(1)")
        pretender.close()
    tap.equal(done.stdout, b"shown\nprinted\n" * 3, "output keeps its order", program.said(done))


def test_trees(tap):
    lies = {
        "a path to the parent": record(LAY_FILE, b"../evil", b"x") + lay_end(1),
        "a path through the parent": record(LAY_FILE, b"a/../../evil", b"x") + lay_end(1),
        "an absolute path": record(LAY_FILE, b"/tmp/evil", b"x") + lay_end(1),
        "an empty path": record(LAY_FILE, b"", b"x") + lay_end(1),
        "a NUL in a path": record(LAY_FILE, b"a\0b", b"x") + lay_end(1),
        "the same path twice": record(LAY_FILE, b"a", b"x") * 2 + lay_end(2),
        "a file as a folder": record(LAY_FILE, b"a", b"x") + record(LAY_FILE, b"a/b", b"x") + lay_end(2),
        "a size beyond all limits": record(LAY_FILE, b"a", b"x", size=1 << 63),
        "a size beyond the stream": record(LAY_FILE, b"a", b"x", size=1000),
        "a folder with content": record(LAY_DIR, b"a", b"x") + lay_end(1),
        "an unknown kind": record(b"LAYX", b"a", b"x") + lay_end(1),
        "a path of 100 kB": record(LAY_FILE, b"a" * 60000, b"x"),
        "a wrong number of records": record(LAY_FILE, b"a", b"x") + lay_end(7),
        "nothing": b"",
    }
    for name, lie in lies.items():
        r = run(tap, name, with_tree(frame(TREE, lie)))
        tap.ok(r.get("error") and not r.get("success") and "evil" not in str(r["out"]), "%s: an error" % name, r)


def test_left_out(tap):
    tree = frame(TREE, record(LAY_FILE, b"ok", b"x") + lay_end(1))
    r = run(tap, "stand-ins", with_tree(left_out(LINK, 0, b"link"), left_out(FIFO, 0, b"d/pipe"), left_out(DEVICE, 0, b"dev"),
                                        left_out(0o100644, 1 << 62, b"giant"), left_out(LINK, 0, b"../evil"),
                                        left_out(LINK, 0, b"/evil"), left_out(LINK, 0, b"a" * 5000),
                                        left_out(0o777777777, 1 << 63, b"odd"), tree))
    tap.ok({"link", "d/pipe"} <= {s["path"] for s in r.get("skipped", [])}, "what is left out is named", r)
    tap.ok("ok" in r["out"] and not [p for p in r["out"] if "evil" in p], "files beside it come out", r["out"])
    r = run(tap, "a link, then a file through it",
            with_tree(left_out(LINK, 0, b"link"), frame(TREE, record(LAY_FILE, b"link/evil", b"x") + lay_end(1))))
    tap.ok(r.get("error") and "evil" not in str(r["out"]), "a link is not followed", r)


def test_kept(tap):
    """Files that are said to be there already."""
    tree = frame(TREE, record(LAY_FILE, b"ok", b"x") + lay_end(1))
    r = run(tap, "files that never came", with_tree(*[frame(KEPT, path) for path in (b"../evil", b"/evil", b"", b"a\0b", b"ghost", b"ok")], tree))
    tap.equal((r["out"], r.get("error")), (["ok"], None), "what was not sent is not there", r)

    def endless(talk):
        talk.begin()
        talk.end()
        talk.wait_for(FILES, 1)
        while True:
            talk.say(*[frame(KEPT, b"%d" % i) for i in range(1000)])

    r = run(tap, "names without an end", endless)
    tap.ok(r.get("error"), "an error", r)


def test_endless(tap):
    def endless_tree(talk):
        talk.begin()
        talk.end()
        talk.files(frame(TREE, record(LAY_FILE, b"a", b"", size=1 << 40)))
        while True:
            talk.say(frame(TREE, bytes(60000)))

    r = run(tap, "a tree without an end", endless_tree, words=("--disk", "1m"))
    tap.ok(r.get("error"), "an error", r)

    def endless_end(talk):
        talk.begin()
        talk.wait_for(KILL)
        while True:
            talk.say(frame(OUT, b"more" * 1000))

    r = run(tap, "output without an end", endless_end)
    tap.ok(r.get("timed_out"), "the deadline", {k: r.get(k) for k in ("error", "exit_code", "limits")})


def test_frames(tap):
    def after_start(*data):
        def speak(talk):
            talk.begin()
            talk.raw(b"".join(data))
            talk.stream.read(1)

        return speak

    lies = {
        "a frame of 4 GB": piece(frame(OUT, b"", length=0xffffffff)),
        "a frame of an unknown kind": piece(frame(99, b"x")),
        "a kind of the other direction": piece(frame(KILL)),
        "a piece of another protocol": b"HTTP/1.1 400 No\r\n\r\n",
        "an unknown stream": piece(frame(OUT, b"x"), stream=7),
        "a piece of 4 GB": struct.pack(">BxxxI", 1, 0xffffffff) + bytes(100),
        "too much credit": piece(frame(CREDIT, struct.pack("<II", 0, 0xffffffff)) + frame(CREDIT, struct.pack("<II", 77, 1))),
        "half a record": piece(frame(USAGE, b"x") + frame(SHUT) + frame(LIMIT, b"\xff") + frame(CREDIT, b"")),
        "files that were not asked for": piece(frame(TREE, b"x")),
        "a second start": piece(frame(HELD, b"") + frame(STARTED)),
        "an end of the guest only": piece(frame(ENDED, struct.pack("<I", 0))),
    }
    for name, lie in lies.items():
        r = run(tap, name, after_start(lie))
        tap.ok(not r.get("success"), "%s: no success" % name, r)

    def over_first(talk):
        talk.say(frame(OVER), frame(OUT, b"early"), frame(STARTED))
        talk.stream.read(1)

    r = run(tap, "an end before the start", over_first)
    tap.equal((r.get("success"), r.get("stdout")), (False, ""), "no success, no output", r)


def test_gone(tap):
    def dies(talk):
        talk.begin()

    r = run(tap, "a container that dies", dies)
    tap.ok(not r.get("success") and r.get("exit_code") == 137, "killed", r)

    def last_words(talk):
        talk.raw(piece(b"exec format error\n\x1b[2J", stream=2))

    r = run(tap, "a helper that cannot start", last_words)
    tap.ok("exec format error" in str(r.get("error")) and "\\u001b" not in str(r.get("error")), "its words are the error", r)


def test_engines(tap):
    bad = {
        "an old engine": (dict(version={"ApiVersion": "1.24"}), "1.24"),
        "no version": (dict(version={}), "version"),
        "a version that is none": (dict(version={"ApiVersion": "\x1b[2J"}), "version"),
        "another server": (dict(answers={("GET", "/version"): b"SSH-2.0-x\r\n\r\n"}), "engine"),
        "no JSON": (dict(answers={("GET", "/version"): (200, b"{{{")}), "version"),
        "a full disk": (dict(answers={("POST", "/create"): (500, b'{"message": "no space left on device"}')}), "no space left"),
        "a configuration it refuses": (dict(answers={("POST", "/create"): (400, b'{"message": "minimum memory \x1b is 6MB"}')}), "6MB"),
        "no ID": (dict(answers={("POST", "/create"): (201, b"{}")}), "container"),
        "no attach": (dict(answers={("POST", "/attach"): (409, b"{}")}), "attach"),
        "no start": (dict(answers={("POST", "/start"): (500, b'{"message": "oci runtime error"}')}), "oci runtime"),
        "an image it cannot get": (dict(answers={("GET", "/json"): (404, b"{}"), ("POST", "/images/create"): (
            200, b'{"status":"Pulling"}\n{"errorDetail":{"message":"m"},"error":"no such host"}\n')}), "cannot get it: m;"),
    }
    for name, (how, words) in bad.items():
        r = run(tap, name, lambda talk: None, **how)
        tap.ok(words in str((r.get("error") or {}).get("message")), "%s: an error in words" % name, r)


def honest(talk):
    talk.begin()
    talk.say(frame(OUT, b"done"))
    talk.end()
    talk.files(frame(TREE, lay_end(0)), GOOD_DONE)
    talk.stream.read(1)


def test_retried(tap):
    """A failure of the engine before the start is ours, and tried again; a configuration that it refuses is not."""
    busy, made = (500, b'{"message": "busy"}'), (201, b'{"Id": "c0ffee"}')
    r = run(tap, "a busy engine", honest, answers={("POST", "/create"): [busy, busy, made]}, words=("--retries", "2"))
    tap.equal((r.get("stdout"), r.get("attempts")), ("done", 3), "three attempts", r)
    lost = [lambda: b"", made]
    r = run(tap, "an engine that hangs up", honest, answers={("POST", "/create"): lost}, words=("--retries", "1"))
    tap.equal((r.get("stdout"), r.get("attempts")), ("done", 2), "the next attempt has a connection of its own", r)
    ends = iter([lambda talk: None, honest])
    r = run(tap, "a container that ends before its program starts", lambda talk: next(ends)(talk), words=("--retries", "1"))
    tap.equal((r.get("stdout"), r.get("attempts")), ("done", 2), "and a container", r)
    for number, tries in ((errno.ENOSPC, 1), (errno.EEXIST, 1), (errno.EFBIG, 1), (errno.ENOENT, 1), (errno.EAGAIN, 3)):
        def fails(talk, number=number):
            kind, length = struct.unpack("<II", talk.stream.read(8))
            talk.stream.read(length)
            talk.say(frame(FRAMES["FAILED"], struct.pack("<III", ERR_SYSTEM, number, 8) + b"no files"))

        r = run(tap, "a helper that fails", fails, words=("--retries", "2"))
        tap.ok("no files" in str(r.get("error")) and r.get("attempts") == tries,
               "%d attempts after %s in the container" % (tries, errno.errorcode[number]), r)
    full = (500, b'{"message": "mkdir /var/lib/docker/x: no space left on device"}')
    r = run(tap, "a full disk of the engine", honest, answers={("POST", "/create"): [full, made]})
    tap.ok("docker system prune" in str(r.get("error")) and r.get("attempts") == 1, "one attempt, and what to do", r)
    large = (200, b'{"x": "' + b"y" * (9 << 20) + b'"}')
    r = run(tap, "an endless answer", honest, answers={("GET", "/version"): large})
    tap.ok("answer of the container engine is too large" in str(r.get("error")), "an answer that is too large", r)
    r = run(tap, "an engine that refuses", honest, answers={("POST", "/create"): [(400, b'{"message": "no"}'), made]})
    tap.equal((r.get("success"), r.get("attempts")), (False, 1), "one attempt", r)


def test_pull_after_close(tap):
    """An engine that closes the connection after it said that an image is missing."""
    missing = b"HTTP/1.1 404 X\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
    answers = {("GET", "slim/json"): [missing, (200, b'{"Id": "sha256:1"}')], ("POST", "/images/create"): (200, b"{}")}
    r = run(tap, "a closed connection before a pull", honest, answers=answers)
    tap.equal((r.get("stdout"), r.get("attempts")), ("done", 1), "the image is pulled over a new connection", r)


def test_stopped(tap):
    """Ctrl-C while the engine gets an image."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answers = threading.Event(), {("GET", "/json"): (404, b"{}")}
        answers[("POST", "/images/create")] = lambda: (asked.set(), time.sleep(15), (200, b"{}"))[2]
        pretender = Pretender(folder, honest, answers)
        process = subprocess.Popen(program.command("-c", "1"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=program.environment(pretender.host))
        asked.wait(20)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        pretender.close()
        tap.ok(process.returncode == 130 and time.monotonic() - began < 10, "Ctrl-C while an image is pulled", process.returncode)


def test_tcp(tap):
    """An engine behind a port, by its address and by a name."""
    with tempfile.TemporaryDirectory() as folder:
        pretender = Pretender(folder, honest, address="127.0.0.1")
        done = program.run(pretender.host, "-c", "1")
        tap.equal((done.returncode, done.stdout), (0, b"done"), "an engine behind a port", program.said(done))
        pretender.started.clear()
        done = program.run("tcp://localhost:%d" % pretender.port, "-c", "1")
        tap.equal((done.returncode, done.stdout), (0, b"done"), "by the name of its host", program.said(done))
        pretender.close()


def test_second_address(tap):
    """A name with two addresses, and the engine is at the second one."""
    with tempfile.TemporaryDirectory() as folder:
        pretender = Pretender(folder, honest, address="127.0.0.2")
        with open(folder + "/hosts", "w") as hosts:
            hosts.write("127.0.0.1 engine.test\n127.0.0.2 engine.test\n")
        host = "tcp://engine.test:%d" % pretender.port
        own = ["unshare", "-rm", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', folder + "/hosts"]
        if subprocess.run([*own, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            tap.skip("a second address", "needs a mount namespace")
        else:
            done = subprocess.run([*own, *program.command("-c", "1")], stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=program.SECONDS, env=program.environment(host))
            tap.equal((done.returncode, done.stdout), (0, b"done"), "a second address", program.said(done))
        pretender.close()


def test(tap):
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            function(tap)
