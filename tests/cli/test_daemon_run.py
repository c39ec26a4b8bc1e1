# SPDX-License-Identifier: Apache-2.0
"""`glovebox run` where a daemon runs: it does the work, and nobody may notice otherwise."""

import json
import os
import pty
import re
import signal
import socket
import stat
import subprocess
import threading
import time

from box import PATIENCE, once
from procs import started_with, wait_for
from test_stream import up_and_asleep


class Daemon:
    """`glovebox serve` on a socket in the test's folder, until the end of the `with`."""

    def __init__(self, t, *options, env=None):
        self.t = t
        self.socket = t.path("d.sock")
        self.access = t.path("access.log")
        self.options, self.more = options, env or {}
        # What a client needs in its environment.
        self.env = {"GLOVEBOX_SOCKET": "unix:" + self.socket}

    def __enter__(self):
        self.said = open(self.t.path("daemon.said"), "w+")
        self.process = self.t.start(
            "serve", "--listen", "unix:" + self.socket, "--access-log", self.access,
            "--log", self.t.path("daemon.db"), *self.options,
            env=self.more, cwd=self.t.base, stdout=self.said, stderr=self.said)
        wait_for(lambda: self.process.poll() is not None or os.path.exists(self.socket))
        return self

    def __exit__(self, *_):
        for sig in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                self.process.send_signal(sig)
                try:
                    self.process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    pass
        self.process.wait()
        self.said.close()

    def requests(self, path="/v1/run"):
        """How many it has answered."""
        try:
            with open(self.access) as f:
                return sum(" %s " % path in line for line in f)
        except OSError:
            return 0

    def answers(self, n, path="/v1/run"):
        return wait_for(lambda: self.requests(path) >= n)


def alike(t, d, name, *args, **how):
    there = t.run(*args, env=d.env, **how)
    here = t.run("--no-daemon", *args, **how)
    ids = lambda out: re.sub(rb'"(id|started_at|duration_ms|cpu_ms|max_memory_mb)":[^,]*', b"", out)
    t.equal((there.code, ids(there.out), there.err), (here.code, ids(here.out), here.err), name)
    return there


def test_same(t):
    """Output, messages and the exit status."""
    with Daemon(t) as d:
        t.write("p.py", "import sys\nprint(sys.argv[1:])\nprint('e', file=sys.stderr)\nsys.exit(3)\n")
        t.write("in.txt", "data\n")
        programs = [
            ("a line", "-c", "print(1)"),
            ("arguments and a status", "p.py", "--", "a", "ü b"),
            ("a traceback", "-c", "x = 1\n1 / 0"),
            ("an ending by signal", "-c", "import os\nos.kill(os.getpid(), 9)"),
            ("a timeout", "--timeout", "2s", "-c", "print('up', flush=True)\nwhile True: pass"),
            ("a refusal", "--profile", "strict", "-c", "import socket\neval('1')"),
            ("a syntax error", "-c", "x ="),
            ("what is not UTF-8", "-c", "import os\nos.write(1, b'\\xff\\xfea\\n')"),
            ("too much output", "--output-limit", "2k", "-c",
             "for i in range(2000): print('line', i)"),
            ("much more", "--output-limit", "2k", "-c", "print('x' * 100000); print('end')"),
            ("a file", "--file", "in.txt:d/x.txt", "-c", "print(open('d/x.txt').read())"),
            ("a variable", "--env", "K=vä", "-c", "import os\nprint(os.environ['K'])"),
            ("Bash", "--lang", "bash", "-c", "echo $((1 + 2)); exit 4"),
            ("no output at all", "--quiet", "-c", "pass"),
            ("a program from standard input", "-"),
            ("a limit", "--memory", "64m", "-c", "x = bytearray(200 << 20)"),
            ("a processor limit", "--cpu-time", "1s", "-c", "while True: pass"),
            ("refused system calls", "-c", "import ctypes, sys\n"
             "sys.exit(ctypes.CDLL(None).mount(b'a', b'/tmp', b'tmpfs', 0, None) and 5)"),
            ("a refusal in the middle of a long line", "--profile", "strict", "-c",
             "x = '%s'; eval(input())" % ("é" * 3000)),
            ("many findings", "--profile", "strict", "-c", "eval('1')\n" * 30),
            ("many files left out", "--out", "out", "-c",
             "import os\nfor i in range(25): os.symlink('/etc/passwd', 'link%02d' % i)"),
            ("names left out that are not UTF-8", "--out", "out", "-c",
             "import os\nos.symlink(b'/', b'l\\xff\\x1b')"),
            ("JSON", "--json", "--profile", "strict", "-c", "eval('1')"),
        ]
        for name, *args in programs:
            stdin = b"print('from stdin')" if args == ["-"] else subprocess.DEVNULL
            alike(t, d, name, *args, stdin=stdin)
        t.ok(d.answers(len(programs)), "which the daemon did", d.requests())
        r = t.run("-c", "import sys\nprint(sys.stdin.read())", stdin="größe\n".encode() * 100,
                  env=d.env)
        t.exits(r, 0, "standard input goes along", "größe\n".encode() * 100 + b"\n")
        r = t.run("-c", "import sys\nprint(len(sys.stdin.buffer.read()))", stdin=b"\xff" * 1000,
                  env=d.env)
        t.exits(r, 0, "also bytes that it cannot take", b"1000\n")
        r = t.run("-c", "import sys\nprint(len(sys.stdin.buffer.read()))", stdin=b"x" * 9000000,
                  env=d.env)
        t.exits(r, 0, "and more than it would", b"9000000\n")
        with open(t.path("here", "in.txt")) as f:
            r = t.run("-c", "print(input())", stdin=f, env=d.env)
        t.exits(r, 0, "a file as standard input", b"data\n")


def test_json(t):
    def shape(doc):
        for key in ("id", "started_at", "duration_ms", "cpu_ms", "max_memory_mb"):
            doc.pop(key)
        return doc

    code = "print('a')\nopen('f', 'w').write('x')\n1 / 0"
    with Daemon(t) as d:
        there = t.run("--json", "-c", code, env=d.env, stdin=subprocess.DEVNULL)
        here = t.run("--json", "--no-daemon", "-c", code)
        t.equal(shape(there.json), shape(here.json), "the same document")
        kinds = []
        for env in (d.env, {}):
            r = t.run("--events", "-c", code, env=env, stdin=subprocess.DEVNULL)
            names = [e["event"] for e in r.events if e["event"] != "progress"]  # how output is cut into pieces is chance
            kinds.append([n for i, n in enumerate(names) if names[i - 1 : i] != [n]])
            last = r.events[-1]["result"]
        t.equal(kinds[0], kinds[1], "the same events")
        t.equal(last["files"][0]["path"], "f", "with the files")
        t.ok("content_base64" not in json.dumps(there.json), "and nothing of the wire")
        t.ok(d.answers(2), "which the daemon did")


def test_out(t):
    code = (
        "import os\nos.makedirs('d/e')\nopen('d/a.sh', 'w').write('hi')\nos.chmod('d/a.sh', 0o755)\n"
        "open('b', 'wb').write(bytes(range(256)))\nopen('glovebox.conf', 'w').write('x')\n"
        "os.symlink('/etc/passwd', 'l')\nopen(b'n\\xff', 'w').write('odd')\nopen('in.txt', 'a').write('+')"
    )
    t.write("in.txt", "1")
    trees, said = [], []
    with Daemon(t) as d:
        for env, out in ((d.env, "there"), ({}, "here")):
            r = t.run("--out", out, "--file", "in.txt", "-c", code, env=env,
                      stdin=subprocess.DEVNULL)
            t.exits(r, 0, "files come out (%s)" % out)
            said.append(r.err)
            top, found = os.fsencode(t.path("here", out)), {}
            for folder, folders, files in os.walk(top):
                for name in folders + files:
                    path = os.path.join(folder, name)
                    info = os.lstat(path)
                    data = open(path, "rb").read() if stat.S_ISREG(info.st_mode) else None
                    found[os.path.relpath(path, top)] = (info.st_mode, data)
            trees.append(found)
        t.equal(trees[0], trees[1], "the same files")
        t.equal(said[0], said[1], "and the same is said of those left out")
        t.ok(b"d/a.sh" in trees[0] and b"glovebox.conf" not in trees[0], "these", trees[0])
        t.ok(d.answers(1), "which the daemon did")
        os.mkdir(t.path("here", "links"))
        os.symlink(t.home, t.path("here", "links", "d"))
        r = t.run("--out", "links", "-c", code, env=d.env)
        t.ok(not os.path.exists(os.path.join(t.home, "a.sh")), "no link is followed on the way", r)


def test_not_carried(t):
    """What only this process can do stays here."""
    t.write("x.sh", "echo", 0o755)
    os.mkdir(t.path("here", "folder"))
    t.write("folder/f", "in it")
    with Daemon(t) as d:
        for args in (
            ("--no-daemon", "-c", "print(1)"),
            ("--work-dir", "folder", "-c", "print(1)"),
            ("--ro", "/etc/hostname", "-c", "print(1)"),
            ("--log", "own.db", "-c", "print(1)"),
            ("--file", "folder", "-c", "print(1)"),
            ("--file", "x.sh", "-c", "print(1)"),
            ("--trace-time", "-c", "print(1)"),
        ):
            r = t.run(*args, env=d.env)
            t.exits(r, 0, " ".join(args[:2]), b"1\n")
        r = t.run("-c", "print(1)", env=dict(d.env, VIRTUAL_ENV="/some/where"))
        t.exits(r, 0, "an environment of one's own", b"1\n")
        read, write = os.pipe()
        p = t.start("run", "-c", "print('up', flush=True); print(input())", stdin=read, env=d.env)
        os.close(read)
        t.equal(p.stdout.readline(), b"up\n", "input that is still to come is not waited for")
        os.write(write, b"late\n")
        os.close(write)
        t.equal(p.communicate(timeout=PATIENCE)[0], b"late\n", "and is read as it comes")
        master, slave = pty.openpty()
        p = t.start("run", "-c", "print(input())", stdin=slave, env=d.env)
        os.write(master, b"typed\n")
        t.equal(p.communicate(timeout=PATIENCE)[0], b"typed\n", "a terminal is read from here")
        os.close(master)
        os.close(slave)
        t.exits(t.run("-c", "print(1)", env=d.env), 0, "one that does come", b"1\n")
        t.ok(d.answers(1) and d.requests() == 1, "none of these came to the daemon", d.requests())


def test_input(t):
    """Who surely reads nothing need not wait for input, or have this terminal."""
    with Daemon(t) as d:
        read, write = os.pipe()
        quiet = ["print(1)", "import math, json\nprint(1)", "from time import sleep\nprint(1)",
                 "x = [i for i in range(9)]\nprint(x[1])", ""]
        for code in quiet:
            r = t.run("-c", code, stdin=read, env=d.env)
            t.exits(r, 0, "no input: %r" % code, b"1\n" if code else b"")
        t.ok(d.answers(len(quiet)), "the daemon does it", d.requests())
        before = d.requests()
        for code in (
            "print(1)  # input",
            "import os\nprint(1)",
            "import math, os\nprint(1)",
            "import math; import os\nprint(1)",
            "from math import pi; from os import *\nprint(1)",
            "f = getattr\nprint(1)",
            "print(1, end='\\x0a')",
            "().__class__\nprint(1)",
            "import math as sys, \\\n    fileinput\nprint(1)",
            "print(1)  # \u00e9",
            "open\nprint(1)",
        ):
            t.exits(t.run("-c", code, stdin=read, env=d.env), 0, "perhaps: %r" % code, b"1\n")
        t.exits(t.run("--lang", "bash", "-c", "echo 1", stdin=read, env=d.env), 0, "Bash", b"1\n")
        t.exits(t.run("-c", "print(1)", stdin=read, env=d.env), 0, "one that does come", b"1\n")
        t.ok(d.answers(before + 1) and d.requests() == before + 1, "who might read keeps the input", d.requests())
        os.close(read)
        os.close(write)


def answer(listener, how):
    """A daemon that is none, for one connection after the other."""
    while True:
        try:
            c, _ = listener.accept()
        except OSError:
            return
        with c:
            c.settimeout(5)
            try:
                c.recv(65536)
                c.sendall(how)
            except OSError:
                pass


def test_no_daemon(t):
    """Nobody there, or nobody useful: it runs here, without a word."""
    place = t.path("x.sock")
    env = {"GLOVEBOX_SOCKET": "unix:" + place}
    t.exits(t.run("-c", "print(1)", env=env), 0, "no socket", b"1\n")
    t.exits(t.run("-c", "print(1)", env={"GLOVEBOX_SOCKET": "nonsense"}), 0, "no place", b"1\n")
    s = socket.socket(socket.AF_UNIX)
    s.bind(place)
    s.close()
    r = t.run("-c", "print(1)", env=env, stdin=subprocess.DEVNULL)
    t.equal((r.code, r.out, r.err), (0, b"1\n", b""), "a dead socket")
    t.refused(t.run("--daemon", "unix:" + place, "-c", "1"), 125, "x.sock.*refused",
              "but --daemon demands one")
    for where in ("unix:/nope/g.sock", "127.0.0.1:1"):
        r = t.run("--daemon", where, "-c", "1")
        t.refused(r, 125, "no daemon answers at %s .*start one: glovebox serve --background --listen %s" % (where, where),
                  "words for %s" % where)
        t.equal(r.err.count(b"at " + where.encode()), 1, "which name it once")
    os.unlink(place)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen(8)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
    answers = (
        (b"", "silence"),
        (b"SSH-2.0-x\r\n\r\n", "another protocol"),
        (b"HTTP/1.1 400 Bad\r\nContent-Length: 55\r\n\r\n"
         b'{"error":{"kind":"usage","message":"no such field: x"}}', "a refusal"),
        (b"HTTP/1.1 429 Full\r\nContent-Length: 0\r\n\r\n", "a full queue"),
        (head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "two lengths"),
        (head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "a bad chunk"),
        (head + b"X: " + b"y" * 50000, "an endless head"),
        (head + b"Content-Length: 3\r\n\r\n{}\n", "an event without a name"),
    )
    for how, name in answers:
        thread = threading.Thread(target=answer, args=(listener, how), daemon=True)
        thread.start()
        r = t.run("-c", "print(1)", env=env, stdin=subprocess.DEVNULL)
        t.equal((r.code, r.out, r.err), (0, b"1\n", b""), name)
        # Ends the thread's accept.
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)
        listener.close()
        os.unlink(place)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(place)
        listener.listen(8)
    event = b'{"event":"stdout","text":"half\\n"}\n'
    how = head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(event), event)
    thread = threading.Thread(target=answer, args=(listener, how), daemon=True)
    thread.start()
    r = t.run("-c", "print(1)", env=env, stdin=subprocess.DEVNULL)
    t.ok(r.code == 125 and r.out == b"half\n" and b"daemon closed" in r.err,
         "what has begun there does not run again", r)
    listener.shutdown(socket.SHUT_RDWR)
    thread.join(5)
    listener.close()


@once
def test_stopped(t):
    """A daemon that is stopped: words after 2 s, and no endless wait."""
    with Daemon(t) as d:
        place = "unix:" + d.socket
        d.process.send_signal(signal.SIGSTOP)
        try:
            waits = [t.start("run", "-c", "print(1)", env=d.env, stdin=subprocess.DEVNULL),
                     t.start("run", "--daemon", place, "-c", "print(1)", stdin=subprocess.DEVNULL)]
            master, slave = pty.openpty()
            typed = t.start("session", "list", "--daemon", place, stderr=slave)
            os.close(slave)
            words = os.read(master, 1000).decode()
            t.equal(words, "glovebox: waiting for the daemon at %s\r\n" % place, "a terminal sees what it waits for")
            here, there = [(p.communicate(timeout=PATIENCE), p.returncode) for p in waits]
            why = "(process %d) does not answer: if it is stopped, 'kill -CONT %d'" % (d.process.pid, d.process.pid)
            t.ok(here[1] == 0 and here[0][0] == b"1\n" and why.encode() in here[0][1] and b"runs without it" in here[0][1],
                 "then the program runs here, with a line", here)
            t.ok(there[1] == 125 and why.encode() in there[0][1] and b"waiting" not in there[0][1],
                 "and --daemon fails with it", there)
            t.equal((typed.wait(PATIENCE), d.process.pid), (125, d.process.pid), "session list fails, too")
            os.close(master)
        finally:
            d.process.send_signal(signal.SIGCONT)
        t.exits(t.run("--daemon", place, "-c", "print(2)"), 0, "it goes on when it is continued", b"2\n")


def test_interrupted(t):
    with Daemon(t) as d:
        for sig, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            p = t.start("run", "-c", "print('up', flush=True)\nwhile True: pass", env=d.env)
            t.equal(p.stdout.readline(), b"up\n", "output comes as it is printed")
            begin = time.monotonic()
            p.send_signal(sig)
            _, err = p.communicate(timeout=PATIENCE)
            seconds = time.monotonic() - begin
            got = p.returncode if p.returncode >= 0 else 128 - p.returncode
            t.ok(got == code and seconds < 20, "signal %d ends it" % sig, (got, seconds, err))
        tag = "5%05d" % (os.getpid() % 100000)
        p = t.start("run", "--json", "-c", up_and_asleep(tag), env=d.env)
        wait_for(lambda: started_with("sleep\0" + tag))
        time.sleep(1)  # an interrupted client's result has what had come over from the daemon by then
        p.send_signal(signal.SIGINT)
        doc = json.loads(p.communicate(timeout=PATIENCE)[0])
        t.equal((p.returncode, doc["success"], doc["stdout"]), (130, False, "up\n"),
                "the result still comes")
        p = t.start("run", "-c", "while True: print('y' * 1000)", env=d.env)
        p.stdout.read(5000)
        p.stdout.close()
        t.ok(p.wait(PATIENCE) == 141, "a reader that goes away ends it", p.returncode)
        p.stderr.close()
        t.ok(d.answers(4), "which the daemon did", d.requests())


def test_token(t):
    """Over TCP, with a token."""
    t.write("tokens", "a-token-of-the-tests-0123456789\n", 0o600)
    t.write("wrong", "another-token-of-tests-0123456789\n", 0o600)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    place = "127.0.0.1:%d" % port
    with Daemon(t, "--listen", place, "--token-file", t.path("here", "tokens")) as d:
        wait_for(lambda: "listening on " + place in open(t.path("daemon.said")).read())
        r = t.run("--daemon", place, "--token-file", "tokens", "-c", "print(1)")
        t.exits(r, 0, "a token from a file", b"1\n")
        r = t.run("--daemon", place, "-c", "print(1)",
                  env={"GLOVEBOX_TOKEN": "a-token-of-the-tests-0123456789"})
        t.exits(r, 0, "a token from the environment", b"1\n")
        p = t.start("run", "--daemon", place, "--token-file", "tokens", "-c", "print(input())",
                    stdin=subprocess.PIPE)
        time.sleep(0.3)
        out, err = p.communicate(b"late\n", timeout=PATIENCE)
        t.equal((out, err), (b"late\n", b""), "its input is waited for")
        t.ok(d.answers(3), "which the daemon did")
        r = t.run("--daemon", place, "--token-file", "wrong", "-c", "print(1)")
        t.refused(r, 125, "only its own tokens; .*--token-file FILE", "a wrong token is told")
        r = t.run("--daemon", place, "-c", "print(1)")
        t.refused(r, 125, "--token-file FILE", "and no token, with the option that gives one")
