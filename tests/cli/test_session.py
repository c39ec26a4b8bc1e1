# SPDX-License-Identifier: Apache-2.0
"""`glovebox session`: sessions of a daemon from the command line."""

import json
import os
import signal
import time

from box import PATIENCE
from procs import wait_for
from test_daemon_run import Daemon

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Sessions:
    """Calls `glovebox session`, with the daemon's place."""

    def __init__(self, t, d):
        self.t, self.d = t, d

    def __call__(self, *args, **how):
        how.setdefault("env", self.d.env)
        return self.t.box("session", *args, **how)

    def new(self, *args):
        r = self("new", *args)
        self.t.ok(r.code == 0 and len(r.out) == 27, "a session is opened %s" % " ".join(args), r)
        return r.out.decode().strip()

    def cell(self, where, code, *args, **how):
        return self("exec", where, *args, "-c", code, **how)


def test_cells(t):
    t.refused(t.box("session", "list", "--daemon", "http://127.0.0.1:80"), 2, "without http://", "a URL")
    with Daemon(t) as d:
        s = Sessions(t, d)
        i = s.new("--name", "mine")
        t.exits(s.cell(i, "x = 5"), 0, "a cell", b"")
        t.exits(s.cell(i, "print('out')\nx + 1"), 0, "state lasts; the value is shown", b"out\n6\n")
        t.exits(s.cell(i, "x + 1;"), 0, "unless a semicolon hides it", b"")
        t.exits(s.cell("mine", "x"), 0, "by its name", b"5\n")
        t.exits(s.cell(i[:20], "x"), 0, "by its id's beginning", b"5\n")
        t.exits(s("exec", i, stdin=b"x * 2"), 0, "a cell from standard input", b"10\n")
        t.exits(s("exec", i, "-", stdin=b"x * 3"), 0, "the same, said", b"15\n")
        t.exits(s("exec", i, t.write("cell.py", "x * 4")), 0, "a cell from a file", b"20\n")
        t.write("in.txt", "line\n")
        t.exits(s.cell(i, "input()", "--stdin", "in.txt"), 0, "what it reads", b"'line'\n")
        r = s.cell(i, "y = 1\n1 / 0")
        t.ok(r.code == 1 and b"ZeroDivisionError" in r.err and b'"<cell ' in r.err, "it fails", r)
        t.exits(s.cell(i, "y"), 0, "and keeps what it did before", b"1\n")
        r = s.cell(i, "y =")
        t.ok(r.code == 126 and b"<cell 12>:1:" in r.err and b"refused at syntax" in r.err, "refused", r)
        r = s.cell(i, "while True: pass", "--timeout", "500ms")
        t.ok(r.code == 124 and b"not done after 500ms" in r.err, "a cell that takes too long", r)
        t.exits(s.cell(i, "x"), 0, "the session goes on", b"5\n")
        r = s.cell(i, "print(1)\n[2]", "--json")
        t.equal((r.json["stdout"], r.json["value"], r.code), ("1\n", [2], 0), "as JSON")
        r = s.cell(i, "display(7)\n8", "--events")
        kinds = [e["event"] for e in r.events]
        t.ok(kinds[-1] == "finished" and "display" in kinds, "as events", kinds)
        t.exits(s.cell(i, "import os\nos._exit(3)", "--no-check"), 3, "a guest that ends itself")
        r = s.cell(i, "1")
        t.ok(r.code not in (0, 2) and b"session" in r.err, "no cell in a dead session", r)
        t.exits(s("restart", i), 0, "restart", b"")
        r = s.cell(i, "x")
        t.ok(r.code == 1 and b"NameError" in r.err, "variables are gone", r)
        t.exits(s("close", i), 0, "close", b"")
        r = s("close", i)
        t.ok(r.code == 0 and b"nothing to close" in r.err, "twice is fine", r)
        r = s("close", "nowhere", "-q")
        t.equal((r.code, r.err), (0, b""), "... and quiet when asked for")
        r = s.cell(i, "1")
        t.ok(r.code == 2 and b"no session" in r.err, "and it is", r)


def test_life(t):
    with Daemon(t) as d:
        s = Sessions(t, d)
        t.exits(s("list"), 0, "none", b"no sessions\n")
        a = s.new("--idle", "10m", "--env", "K=v", "--file", t.write("data.txt", "in it"))
        b = s.new("--lang", "bash")
        t.exits(s.cell(a, "import os\nprint(os.environ['K'], open('data.txt').read())"), 0,
                "what it was opened with", b"v in it\n")
        t.exits(s.cell(b, "x=3; cd /tmp"), 0, "in Bash")
        t.exits(s.cell(b, "echo $x $PWD"), 0, "state lasts there too", b"3 /tmp\n")
        out = s("list").out.decode()
        t.ok(a in out and b in out and "bash" in out and out.count("\n") == 3, "the list", out)
        t.equal({x["id"] for x in s("list", "--json").json["sessions"]}, {a, b}, "as JSON")
        r = s("show", a)
        t.match(rb"state +idle\n", r.out, "one of them")
        t.match(rb"created +20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\n", r.out, "... with dates")
        t.match(rb"\nidle +10m\n", r.out, "... and durations")
        t.refused(s("exec", a, "-c", "1", "--", "x"), 2, "a cell has no arguments", "arguments of a cell")
        t.equal(s("show", a, "--json").json["idle_ms"], 600000, "as JSON")
        common = os.path.commonprefix([a, b])
        t.refused(s("show", common), 2, "matches 2 sessions", "two that begin so")
        t.refused(s("exec", "", "-c", "1"), 2, "there is no session ''", "an empty id is that of no session")
        t.exits(s("set", a, "n=3", 'names=["a", null]'), 0, "set", b"")
        t.exits(s("vars", a, "n", "names"), 0, "vars", b'n=3\nnames=["a",null]\n')
        r = s("vars", a, "n", "nope")
        t.ok(r.code == 1 and r.out == b"n=3\n" and b"nope" in r.err, "one that is missing", r)
        t.equal(s("vars", a, "n", "--json").json["values"], {"n": 3}, "as JSON")
        t.refused(s("set", a, "n=x y"), 2, "is not JSON", "what is not JSON")
        t.refused(s("set", a, "n"), 2, "NAME=JSON", "what is no variable")
        t.refused(s("set", a, b"\xff=1"), 2, "not UTF-8", "whose name is no text")
        t.refused(s("vars", a, b"\xff"), 2, "not UTF-8", "the same, asked for")
        t.refused(s("new", "--name", b"\xff"), 2, "not UTF-8", "nor a session's")
        t.refused(s("fork", a, "--name", b"\xff"), 2, "not UTF-8", "nor a fork's")
        t.refused(s("new", "--preload", b"json,\xff"), 2, "not UTF-8", "nor a module's")
        t.exits(s("interrupt", a), 0, "nothing to interrupt", b"no cell runs\n")
        p = t.start("session", "exec", a, "-c", "print('up', flush=True)\nwhile True: pass", env=d.env)
        t.equal(p.stdout.readline(), b"up\n", "a long cell")
        t.exits(s("interrupt", a), 0, "interrupt", b"interrupted\n")
        _, err = p.communicate(timeout=PATIENCE)
        t.ok(b"KeyboardInterrupt" in err, "the cell ends", (p.returncode, err))
        p = t.start("session", "exec", a, "-c", "print('up', flush=True)\nwhile True: pass", env=d.env)
        p.stdout.readline()
        begin = time.monotonic()
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=PATIENCE)
        t.ok(p.returncode == 130 and time.monotonic() - begin < 20, "Ctrl-C", p.returncode)
        t.exits(s.cell(a, "n"), 0, "and its variables are there", b"3\n")
        t.exits(s("close", a, b), 0, "close two")
        t.exits(s("list", "--quiet"), 0, "none is left", b"")


def test_files(t):
    with Daemon(t) as d:
        s = Sessions(t, d)
        i = s.new()
        data = os.urandom(3 << 20)
        t.write("big.bin", data)
        t.exits(s("put", i, "big.bin", "big.bin:d/ä b.bin"), 0, "put", b"")
        t.exits(s.cell(i, "import os\nos.path.getsize('d/ä b.bin')"), 0, "the guest sees it",
                b"%d\n" % len(data))
        r = s("files", i)
        t.ok(r.code == 0 and "d/ä b.bin" in r.out.decode() and b"big.bin" in r.out, "the list", r)
        t.ok("big.bin" in [f["path"] for f in s("files", i, "--json").json["files"]], "as JSON")
        t.equal(s("get", i, "d/ä b.bin", "-").out == data, True, "get to standard output")
        t.exits(s("get", i, "d/ä b.bin"), 0, "get under its own name", b"")
        t.equal(open(t.path("here", "ä b.bin"), "rb").read() == data, True, "whole")
        os.mkdir(t.path("here", "into"))
        t.exits(s("get", i, "big.bin", "into"), 0, "into a folder")
        t.ok(os.path.getsize(t.path("here", "into", "big.bin")) == len(data), "whole, too")
        t.write("keep", "mine")
        r = s("get", i, "none", "keep")
        t.ok(r.code == 2 and r.err and open(t.path("here", "keep")).read() == "mine",
             "a file that is not there leaves the target alone", r)
        s.cell(i, "import os\nos.symlink('/etc/passwd', 'l')", "--no-check")
        for path in ("l", "../../etc/passwd", "/etc/passwd"):
            r = s("get", i, path, "-")
            t.ok(r.code != 0 and b"root:" not in r.out, "no way out: " + path, r)
        t.refused(s("put", i, "nowhere"), 2, "nowhere", "a file of ours that is not there")
        t.refused(s("put", i, "into"), 2, "is not a file", "a folder")
        left = [n for n in os.listdir(t.path("here")) if n.endswith(".part")]
        t.equal(left, [], "nothing half-written is left")


def test_rich(t):
    code = (
        "import base64\nclass P:\n    def _repr_png_(self): return base64.b64decode(b'%s')\n"
        "    def _repr_html_(self): return '<b>x</b>'\n    def __repr__(self): return 'a picture'\n"
        "display(P())\nP()" % PNG
    )
    with Daemon(t) as d:
        s = Sessions(t, d)
        i = s.new()
        r = s.cell(i, code, "--out", "pictures")
        t.exits(r, 0, "what it shows, and its value", b"a picture\na picture\n")
        names = sorted(os.listdir(t.path("here", "pictures")))
        t.equal([n.rpartition(".")[2] for n in names], ["png", "html", "png", "html"], "are saved")
        t.ok(open(t.path("here", "pictures", names[0]), "rb").read(4) == b"\x89PNG", "as they are")
        t.ok(all(("pictures/" + n).encode() in r.err for n in names), "and named", r)
        s("restart", i)
        s.cell(i, code, "--out", "pictures", "--quiet")
        t.equal(len(os.listdir(t.path("here", "pictures"))), 8, "nothing is overwritten")
        for option in ("--json", "--events"):
            r = s.cell(i, code, "--out", option[2:], option)
            names = os.listdir(t.path("here", option[2:]))
            t.equal((r.code, len(names)), (0, 4), option + ": a value is saved as well as what is displayed", r)
        r = s.cell(i, code, "--out", "/proc/self", "--quiet")
        t.match(b"glovebox: write /proc/self/cell", r.err, "what cannot be written is said, also with --quiet")


def no_forks(t, s):
    """Says so where this host has none."""
    i = s.new()
    r = s("fork", i)
    if r.code == 0:
        s("close", r.out.decode().strip(), i)
        return False
    t.refused(r, 125, ".", "where there are no forks, that is said")
    t.no_forks(r)
    s("close", i)
    return True


def test_fork(t):
    with Daemon(t) as d:
        s = Sessions(t, d)
        if no_forks(t, s):
            return
        i = s.new()
        s.cell(i, "x = 1\nopen('f', 'w').write('f');")
        r = s("fork", i, "--name", "child")
        t.ok(r.code == 0 and len(r.out) == 27, "a fork", r)
        t.exits(s.cell("child", "x = 2\nopen('f', 'a').write('2');"), 0, "has cells of its own", b"")
        t.exits(s.cell(i, "x"), 0, "they share nothing", b"1\n")
        t.exits(s.cell("child", "x"), 0, "indeed", b"2\n")
        t.equal((s("get", i, "f", "-").out, s("get", "child", "f", "-").out), (b"f", b"f2"), "nor files")
        t.equal(s("show", "child", "--json").json["parent"], i, "whose fork it is")
        r = s("fork", "child", "--idle", "10m", "--json")
        t.equal((r.json["idle_ms"], r.json["name"]), (600000, None), "a fork of a fork, as JSON")
        t.exits(s("close", i, "child"), 0, "those before it are closed")
        t.exits(s.cell(r.json["id"], "x"), 0, "it goes on", b"2\n")
        i = s.new("--forks", "0")
        t.refused(s("fork", i), 125, "forks disabled", "--forks 0")
        b = s.new("--lang", "bash")
        t.refused(s("fork", b), 125, "bash cannot be forked", "Bash")
        t.refused(s("fork", b, "--forks", "2"), 2, "does not apply", "what a fork cannot be told")


def test_try(t):
    with Daemon(t) as d:
        s = Sessions(t, d)
        if no_forks(t, s):
            return
        i = s.new()
        s.cell(i, "x = 1")
        t.exits(s.cell(i, "x = 2\nx", "--try"), 0, "a cell that succeeds", b"2\n")
        r = s.cell(i, "x = 3\nopen('f', 'w')\n1 / 0", "--try")
        t.ok(r.code == 1 and b"ZeroDivisionError" in r.err and b"nothing of the cell is kept" in r.err, "one that fails", r)
        t.exits(s.cell(i, "x"), 0, "leaves nothing", b"2\n")
        t.exits(s("files", i), 0, "indeed", b"")
        r = s.cell(i, "import os\nos._exit(3)", "--try", "--no-check")
        t.ok(r.code == 3 and b"nothing of the cell is kept" in r.err, "one that ends its guest", r)
        t.exits(s.cell(i, "x = 9\nx", "--try", "--drop"), 0, "--drop", b"9\n")
        t.exits(s.cell(i, "x"), 0, "drops", b"2\n")
        r = s.cell(i, "x = 4\n1 / 0", "--try", "--keep", "--json")
        t.equal((r.code, r.json["cell"]["attempt"], r.err), (1, "kept", b""), "--keep, as JSON")
        t.exits(s.cell(i, "x"), 0, "keeps", b"4\n")
        t.refused(s.cell(i, "1", "--drop"), 2, "--drop requires --try", "--drop alone")
        t.refused(s.cell(i, "1", "--try", "--drop", "--keep"), 2, "contradict", "both")
        b = s.new("--lang", "bash")
        t.refused(s.cell(b, "echo 1", "--try"), 125, "cannot be tried", "no tries in Bash")


def test_usage(t):
    nowhere = {"GLOVEBOX_SOCKET": "unix:" + t.path("none.sock")}
    r = t.box("session", "list", env=nowhere)
    t.refused(r, 125, r"no daemon answers at .*none.sock .*; start one: glovebox serve --background", "no daemon")
    t.refused(t.box("session", "lst", env=nowhere), 2, "did you mean 'list'", "no such subcommand")
    t.refused(t.box("session", "show", env=nowhere), 2, "usage: glovebox session show ID", "no id")
    t.refused(t.box("session", "list", "--forks", "1", env=nowhere), 2, "does not apply",
              "an option of another")
    t.refused(t.box("session", "new", "--log", "off", env=nowhere), 2, "does not apply",
              "what a daemon cannot")
    t.refused(t.box("session", "list", "--daemon", "far.example.org:80"), 2, "not looked up",
              "a name")
    with Daemon(t) as d:
        s = Sessions(t, d)
        t.refused(s("new", "--lang", "cobol"), 2, "cobol", "a language that there is not")
        t.refused(s("new", "--file", "."), 2, "only files that are not executable", "a folder")
        t.refused(s("new", "--file", "none.txt:a"), 2, "cannot read --file none.txt: No such file", "a file that is not there")
        t.refused(s("new", "--timeout", "1000000h"), 126, "daemon allows", "more than it allows")
        t.refused(s("new", "--net", "host"), 126, "--allow net-host", "a network, unless the daemon permits it")
        t.refused(s("exec", "nope", "-c", "1"), 2, "no session 'nope'", "no such session")
        i = s.new()
        t.refused(s("exec", i, "none.py"), 2, "none.py: No such file", "a cell's file that is not there")
        t.refused(s("exec", i, "-c", "1", "--stdin", "none"), 2, "--stdin: cannot read none: No such file", "nor its input")
        i = s.new("--tools", t.write("tools.py", "def twice(x):\n    return 2 * x\n"))
        t.exits(s.cell(i, "twice(4)"), 0, "tools as source", b"8\n")
        i = s.new("--timeout", "400ms", "--memory", "96m")
        r = s.cell(i, "while True: pass")
        t.ok(r.code == 124 and b"not done after 400ms" in r.err, "the session's own time", r)
        r = s.cell(i, "x = bytearray(300 << 20)")
        t.ok(r.code != 0 and b"512m" not in r.err, "and memory", r)
        i = s.new()
        r = s.cell(i, "final_answer(42)\nprint('not reached')", "--json")
        t.equal((r.json["is_final_answer"], r.json["final_answer"]), (True, 42), "final_answer")
        t.refused(s("exec", i, "-c", "1", "x.py"), 2, "not both", "two cells")
        t.refused(s("exec", i, "x.ipynb"), 2, "is a notebook; 'glovebox run' runs its cells", "a notebook")
        t.ok(wait_for(lambda: json.loads(s("list", "--json").out)["sessions"]), "it is listed")
    with Daemon(t, "--allow", "net-host") as d:
        s = Sessions(t, d)
        r = s.cell(s.new("--net", "host"), "import os; print(os.readlink('/proc/self/ns/net'))")
        t.equal(r.out.decode().strip(), os.readlink("/proc/self/ns/net"), "the host's network", r)
