# SPDX-License-Identifier: Apache-2.0
"""Sessions: one sandbox for each, with cells, files, pauses and ends."""

import json
import subprocess
import tempfile
import time

import product
from product import repl, wait_for
from standin import KEY, Fault, Standin


def test_state(tap, standin):
    del standin.requests[:]
    out, err = repl(standin,
                    ["x = 41\ndef f(): return x + 1", "f()", "print('out')\nimport sys\nprint('err', file=sys.stderr)",
                              "1/0", "x"])
    tap.equal(out, "42\nout\n41\n", "variables stay between cells", err)
    tap.ok("err\n" in err and "ZeroDivisionError" in err, "errors are those of a cell", err)
    tap.equal((len(standin.asked("control", "POST", "/sandboxes")), standin.living), (1, []),
              "in one sandbox, which is killed")
    out, err = repl(standin, ["x=(4 2)", "echo ${x[0]}${x[1]}"], lang="bash")
    tap.equal(out, "42\n", "in Bash as well", err)


def test_interrupted(tap, standin):
    out, err = repl(standin, ["x = 5", "while True: pass", "import time\ntime.sleep(60)", "x + 1"], "--timeout", "1s")
    tap.equal((out, err.count("KeyboardInterrupt")), ("6\n", 2), "a cell that takes too long is interrupted", err)


def test_exits(tap, standin):
    for code in ("import os\nos._exit(3)", "import os\nos.kill(os.getpid(), 9)"):
        out, err = repl(standin, ["x = 1", code, "2 + 3"])
        tap.ok("5\n" in out or err.strip(), "a session whose program ends says so", out, err)
        tap.equal(standin.living, [], "and leaves nothing")


def test_rich(tap, standin):
    """The media types that E2B's own interpreter has of the same object, in its order: pictures first, text last."""
    shows = """class A:
    def __repr__(self): return 'plain'
    def _repr_svg_(self): return '<svg/>'
    def _repr_markdown_(self): return '*'
    def _repr_pdf_(self): return b'%PDF'
    def _repr_html_(self): return '<b>'
    def _repr_latex_(self): return '$x$'
    def _repr_json_(self): return {'a': 1}
    def _repr_javascript_(self): return 'x()'
    def _repr_jpeg_(self): return b'\\xff\\xd8'
    def _repr_png_(self): return b'\\x89PNG'
display(A())
A()"""
    with daemon(standin) as session:
        name = session.new()
        done = session("exec", name, "--json", "-c", shows)
        results = json.loads(done.stdout or b"{}").get("results", [])
        order = ["image/png", "image/jpeg", "text/html", "application/javascript", "application/json", "text/latex",
                 "text/markdown", "application/pdf", "image/svg+xml", "text/plain"]
        tap.equal([(r["kind"], list(r["data"])) for r in results], [("display", order), ("value", order)], "rich results", done)


class daemon:
    """A daemon with this backend; calling it runs `glovebox session`."""

    def __init__(self, standin, *words):
        self.standin, self.words = standin, words

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        where = self.folder.name
        self.env = product.environment(self.standin, GLOVEBOX_SOCKET="unix:%s/daemon.sock" % where,
                                       XDG_CONFIG_HOME=where)
        self.process = subprocess.Popen([product.GLOVEBOX, "serve", "--listen", "unix:%s/daemon.sock" % where, "--log",
                                         "off",
                                         *self.words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.env)
        self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.said = self.process.communicate(timeout=60)[0]
        self.folder.cleanup()

    def __call__(self, *words, stdin=b""):
        return subprocess.run([product.GLOVEBOX, "session", *words], input=stdin, capture_output=True, env=self.env,
                              timeout=60)

    def new(self, *words):
        done = self("new", "--backend", "e2b", "--json", *words)
        return json.loads(done.stdout)["id"] if done.returncode == 0 else repr(done)


def test_daemon(tap, standin):
    with daemon(standin) as session:
        name, folder = session.new(), session.folder.name
        session("exec", name, "-c", "open('made', 'wb').write(bytes(range(256))); y = 6")
        done = session("exec", name, "--json", "-c", "open('more', 'w').write('x'); y * 7")
        r = json.loads(done.stdout or b"{}")
        tap.equal((r.get("backend"), r.get("value") or r.get("results"), [f["path"] for f in r.get("files", [])])[::2],
                  ("e2b", ["more"]), "a cell's result names what it changed", done)
        session("get", name, "made", folder + "/got")
        with open(folder + "/got", "rb") as f:
            tap.equal(f.read(), bytes(range(256)), "a file comes out")
        with open(folder + "/in.bin", "wb") as f:
            f.write(bytes(range(256)) * 2000)
        session("put", name, folder + "/in.bin:deep/in.bin")
        done = session("exec", name, "-c", "d = open('deep/in.bin', 'rb').read(); print(len(d), sum(d))")
        tap.equal(done.stdout, b"512000 65280000\n", "a file goes in", done)
        tap.equal(len(standin.living), 1, "it has one sandbox")
        session("close", name)
        tap.ok(wait_for(lambda: not standin.living), "and none when it is closed", standin.living)
        session.new()
    tap.ok(wait_for(lambda: not standin.living), "nor when the daemon ends", standin.living)
    tap.ok(KEY.encode() not in session.said, "the daemon says nothing of the key", session.said[-300:])


def test_paused(tap, standin):
    """The service pauses an idle sandbox: connections break, memory stays."""
    with daemon(standin) as session:
        name = session.new()
        session("exec", name, "-c", "kept = 7; open('kept', 'w').write('text')")
        standin.control.pause(standin.control.records[standin.living[0]])
        time.sleep(0.3)
        done = session("exec", name, "-c", "print(kept, open('kept').read())")
        tap.equal(done.stdout, b"7 text\n", "a session that was paused while idle goes on", product.said(done))
        done = session("exec", name, "-c", "kept += 1; print(kept)")
        tap.equal(done.stdout, b"8\n", "and again", product.said(done))
        standin.control.pause(standin.control.records[standin.living[0]])
        session("close", name)
        tap.ok(wait_for(lambda: not standin.living), "one that is closed while it is paused is killed", standin.living)
        session.new("--pause-after", "5m")
        tap.equal(standin.control.records[standin.living[0]].body.get("timeout"), 300, "the time after which it is paused")
        done = session("new", "--backend", "e2b", "--pause-after", "never")
        tap.ok(done.returncode != 0 and b"--pause-after from 2m" in done.stderr, "the service always pauses", product.said(done))


def test_resumed_slowly(tap, standin):
    """A service that does not answer while it resumes a sandbox: it is asked again, and limits hold meanwhile."""
    hold = Fault("POST", "/connect$", answer=b"", then="hold", times=1)
    with daemon(standin) as session:
        name = session.new()
        session("exec", name, "-c", "kept = 7")
        standin.control.pause(standin.control.records[standin.living[0]])
        standin.faults[:] = [hold]
        done = session("exec", name, "-c", "print(kept)")
        tap.equal(done.stdout, b"7\n", "one that answers the second time", product.said(done))
        standin.control.pause(standin.control.records[standin.living[0]])
        hold.left = None
        began = time.monotonic()
        done = session("exec", name, "--timeout", "1s", "-c", "print(kept)")
        took = time.monotonic() - began
        standin.faults[:] = []
        tap.ok(done.returncode not in (0, -9) and took < 15, "one that never answers: the cell's limit holds", took,
               product.said(done))


def test_broken(tap, standin):
    """The connection breaks, or the sandbox goes, in the middle of a cell."""
    for what, breaks in (("connection", lambda r: r.place.cut()), ("sandbox", standin.control.kill)):
        with daemon(standin) as session:
            name = session.new()
            code = "print('up', flush=True)\nimport time; time.sleep(60)"
            cell = subprocess.Popen([product.GLOVEBOX, "session", "exec", name, "-c", code], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, env=session.env)
            first = cell.stdout.readline()
            breaks(standin.control.records[standin.living[-1]])
            try:
                err = cell.communicate(timeout=20)[1]
            except subprocess.TimeoutExpired:
                cell.kill()
                err = b"it does not end"
            tap.ok(first == b"up\n" and cell.returncode not in (0, -9) and b"sandbox" in err,
                   "a %s that breaks in a cell ends it in words" % what, first, cell.returncode, err)
            began = time.monotonic()
            done = session("exec", name, "-c", "print(1)")
            tap.ok(time.monotonic() - began < 20 and (done.returncode or done.stdout), "the next call is answered",
                   done)
        tap.ok(wait_for(lambda: not standin.living), "nothing is left", standin.living)


def lost(pieces):
    """The real answer of a request that arrived does not."""
    for _ in pieces:
        pass
    return iter(())


def test_delivered(tap, standin):
    """Input that arrived and whose answer was lost is not sent again: an error in words, or a cell that ran once."""
    with daemon(standin) as session:
        name = session.new()
        session("exec", name, "-c", "n = 0")
        standin.faults[:] = [Fault("POST", "/SendInput$", shape=lost, times=1)]
        done = session("exec", name, "-c", "n += 1; print('n is', n)")
        standin.faults[:] = []
        tap.ok(done.stdout == b"n is 1\n" if not done.returncode else b"sandbox" in done.stderr
               or b"E2B" in done.stderr,
               "input whose answer is lost is not sent twice", product.said(done))


def test_packages(tap, standin):
    """Of a daemon's session, and of one at the prompt."""
    del standin.requests[:]
    with daemon(standin) as session:
        name = session.new("--pip", "some-name", "--pip", "third")
        done = session("exec", name, "-c", "import third; print('there')")
        tap.equal(done.stdout, b"there\n", "a daemon's session has packages", done, name)
        session("close", name)
    tap.equal([r.json for r in standin.asked("control", "PUT", "/network")], [{"allow_internet_access": False}],
              "and no network afterwards")
    out, err = repl(standin, ["import third", "'here'"], "--pip", "third")
    tap.equal(out, "'here'\n", "so has one at the prompt", err)


def test_kept(tap, standin):
    del standin.requests[:]
    with daemon(standin) as session:
        name = session.new()
        body = standin.asked("control", "POST", "/sandboxes")[0].json
        tap.ok(0 < body["timeout"] <= 3600, "a session's sandbox has an end of its own", body)
        done = session("exec", name, "-c", "print(1)")
        tap.equal(done.stdout, b"1\n", "a cell", done)


def test_judged(tap, standin):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/c.py", "w") as f:
            f.write("def add(a, b):\n    return a + b if a < 10 else 0\n")
        with open(folder + "/cases.json", "w") as f:
            json.dump([{"call": "add(1, 2)", "expected": 3}, {"call": "add(10, 2)", "expected": 12}], f)
        done = product.glovebox(standin, "test", "c.py", "--cases", "cases.json", "--json", "--backend", "e2b",
                                cwd=folder)
        r = json.loads(done.stdout or b"{}")
        tap.equal((r.get("passed"), r.get("failed")), (1, 1), "the judge runs candidates in sandboxes", r, done.stderr)
        tap.equal(standin.living, [], "and leaves none")


def test(tap):
    with Standin() as standin:
        for name, function in sorted(globals().items()):
            if name.startswith("test_"):
                function(tap, standin)
        tap.equal(standin.living, [], "no sandbox is left")
