# SPDX-License-Identifier: Apache-2.0
"""The other way: programs and sessions in the sandbox's own code interpreter."""

import base64
import json
import os
import signal
import subprocess
import tempfile

import product
from product import wait_for
from rpc import envelope
from sessions import daemon
from standin import Fault, Standin
from wire import whole_answer

WAY = ("--backend", "e2b-interpreter")
FAILS = """import os
def f(x):
    return 1 / x
f(0)
"""
NO_PROGRAM = b"/bin/sh: 1: /tmp/x: Exec format error\n"
AWKWARD = "it's \"x\" $HOME `id` \\ \u00e9\U0001f600\n2"


def run(standin, *words, **more):
    return product.run(standin, *WAY, *words, **more)


def result(standin, *words, **more):
    return product.result(standin, *WAY, *words, **more)


def repl(standin, cells, *words, **more):
    return product.repl(standin, cells, *WAY, *words, **more)


def test_runs(tap, standin):
    del standin.requests[:]
    done = run(standin, "-c", "import os, sys\nprint(os.getcwd())\nprint('e', file=sys.stderr)\n6 * 7")
    tap.equal((done.returncode, done.stdout, done.stderr), (0, b"/home/user/work\n42\n", b"e\n"),
              "both outputs and the value of the last expression", product.said(done))
    tap.ok(standin.asked("interpreter", "POST", "/contexts") and standin.asked("interpreter", "POST", "/execute"),
           "by the interpreter")
    tap.equal(standin.asked("envd", "POST", "process.Process/Start"), [], "no program of ours is in the sandbox")
    tap.equal(standin.living, [], "which is killed")
    done = run(standin, "--env", "COLOR=" + AWKWARD, "-c", "import os\nprint(ascii(os.environ['COLOR']))")
    tap.equal(done.stdout.decode().strip(), ascii(AWKWARD), "a variable with quotes and newlines", product.said(done))
    done = run(standin, "-c", "print('\u00e9\u20ac' * 300000)")
    tap.equal(done.stdout.decode(), "\u00e9\u20ac" * 300000 + "\n", "much output, with letters of several bytes")
    done = run(standin, "-c", "import sys; sys.exit(3)")
    tap.equal(done.returncode, 3, "a status of sys.exit", product.said(done))


def test_errors(tap, standin):
    r = result(standin, "-c", FAILS)
    error = r.get("exception") or {}
    tap.equal((r.get("exit_code"), error.get("type"), error.get("line")), (1, "ZeroDivisionError", 3), "an exception", r)
    tap.ok('File "/home/user/work/main.py", line 4, in <module>' in r.get("stderr", ""), "a traceback as Python's", r)
    r = result(standin, "-c", "x = 1\nx = (\n")
    tap.equal((r.get("exception") or {}).get("type"), "SyntaxError", "a syntax error", r)
    r = result(standin, "-c", "input()")
    tap.ok("StdinNotImplementedError" in r.get("stderr", ""), "input() has none, and says so", r)
    r = result(standin, "-c", "import os; os._exit(7)")
    tap.equal((r.get("exit_code"), r.get("success")), (1, False), "an interpreter that ends", r)
    r = result(standin, "--timeout", "1s", "-c", "open('x', 'w').write('1')\nprint('up', flush=True)\nwhile True: pass")
    tap.ok(1000 <= r.get("duration_ms", 0) < 20000, "how long it took", r.get("duration_ms"))
    tap.equal((r.get("timed_out"), r.get("stdout"), [f["path"] for f in r.get("files", [])], standin.living),
              (True, "up\n", ["x"], []), "a time limit: what was printed and written stays", r)


def test_cancelled(tap, standin):
    process, first = product.begin(standin, *WAY, "-c", "print('up', flush=True)\nimport time; time.sleep(60)")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=40)
    tap.equal((first, process.returncode, standin.living), (b"up\n", 130, []), "Ctrl-C")


def test_said(tap, standin):
    r = result(standin, "-c", "1")
    tap.equal((r.get("backend"), r.get("isolation")), ("e2b-interpreter", []), "no layer of ours, and it says so", r)
    tap.ok(any("no limits" in w for w in r.get("warnings", [])), "nor a limit", r.get("warnings"))
    for words, text in ((("--require", "seccomp"), b"seccomp"), (("--memory", "1g"), b"--memory"),
                        (("--pids", "9"), b"--pids"), (("--image", "no-such", "--net", "none"), b"no-such")):
        done = run(standin, *words, "-c", "print('ran')")
        tap.ok(done.returncode and b"ran" not in done.stdout and text in done.stderr, "refused: " + words[0],
               product.said(done))
    with open(__file__, "rb") as f:
        given = subprocess.run(product.command(*WAY, "-c", "print('ran')"), stdin=f, capture_output=True,
                               env=product.environment(standin))
    for done, text in ((given, b"standard input"), (run(standin, "-c", "print('ran')", "--", "a"), b"arguments")):
        tap.ok(done.returncode == 125 and text in done.stderr and b"--backend=e2b" in done.stderr,
               "refused: " + text.decode(), product.said(done))


def test_named(tap, standin):
    """Where our helper does not run, the refusal of the other backend names this one."""
    events = ({"event": {"start": {"pid": 7}}}, {"event": {"data": {"stderr": base64.b64encode(NO_PROGRAM).decode()}}},
              {"event": {"end": {"exitCode": 126, "exited": True}}})
    body = b"".join(map(envelope, events)) + envelope({}, 2)
    standin.faults[:] = [Fault("POST", "/process.Process/Start$",
                               answer=whole_answer(200, body, "application/connect+json"))]
    done = product.run(standin, "--retries", "0", "-c", "1")
    standin.faults[:] = []
    tap.ok(done.returncode == 125 and NO_PROGRAM.strip() in done.stderr and b"--backend=e2b-interpreter" in done.stderr,
           "a template of another processor", product.said(done))


def test_rich(tap, standin):
    code = """
from IPython.display import display
class A:
    def __repr__(self): return 'plain'
    def _repr_html_(self): return '<b>'
    def _repr_png_(self): return b'\\x89PNG'
    def _repr_svg_(self): return '<svg/>'
    def _repr_latex_(self): return '$x$'
display(A())
A()
"""
    r = result(standin, "-c", code)
    shown = [(b["kind"], list(b["data"])) for b in r.get("results", [])]
    order = ["image/png", "text/html", "text/latex", "image/svg+xml", "text/plain"]
    tap.equal(shown, [("display", order), ("value", order)], "results: pictures first, text last", r)


def test_process(tap, standin):
    done = run(standin, "--lang", "bash", "--env", "A=" + AWKWARD, "-c", 'echo "$1" "$A"; pwd; echo e >&2; exit 44', "--",
               "a b")
    tap.equal((done.returncode, done.stdout.decode(), done.stderr),
              (44, "a b " + AWKWARD + "\n/home/user/work\n", b"e\n"),
              "Bash is a process: arguments, two outputs, a status", product.said(done))
    r = result(standin, "--timeout", "1s", "--lang", "bash", "-c", "echo up; sleep 30")
    tap.equal((r.get("timed_out"), r.get("stdout"), standin.living), (True, "up\n", []), "with a time limit", r)


def test_files(tap, standin):
    code = """
import os
assert open("in/data.bin", "rb").read() == bytes(range(256))
open("changed.txt", "a").write(" more")
os.makedirs("deep/er"); open("deep/er/new.bin", "wb").write(bytes(range(256)) * 5000)
open("deep/new.bin", "wb").write(b"other"); open("new.bin", "wb").write(b"")
os.mkdir("empty"); os.symlink("/etc/passwd", "link"); os.symlink("/etc", "up"); os.mkfifo("pipe")
for name in ("a b", "-x", "q'\\"\\\\", "\\u00e9\\U0001f600", ".hidden", "z"): open(name, "w").write(name)
"""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (("data.bin", bytes(range(256))), ("same.txt", b"same"), ("changed.txt", b"some")):
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)
        standin.faults[:] = [Fault("GET", "/files$", answer=whole_answer(500, b"{}"), skip=9, times=1)]
        r = result(standin, "-c", code, "--out", "out", "--file", "data.bin:in/data.bin", "--file", "same.txt",
                   "--file", "changed.txt", cwd=folder)
        standin.faults[:] = []
        got = {f["path"]: f["change"] for f in r.get("files", [])}
        wanted = {"changed.txt", "deep/er/new.bin", "deep/new.bin", "new.bin", "empty/", "a b", "-x", "q'\"\\",
                  "\u00e9\U0001f600", ".hidden", "z"}
        skipped = {s["path"]: s["reason"] for s in r.get("skipped", [])}
        lost = [path for path, reason in skipped.items() if "unreadable" in reason]
        tap.equal(set(got), wanted - set(lost), "what is new or changed comes back, and nothing else", r)
        tap.equal((set(skipped), len(lost)), ({"link", "up", "pipe", *lost}, 1),
                  "links are not followed, and what cannot be had is said", skipped)
        contents = []
        kept = {"deep/er/new.bin": bytes(range(256)) * 5000, "deep/new.bin": b"other", "new.bin": b"",
                "changed.txt": b"some more", "a b": b"a b", "-x": b"-x"}
        for name in sorted(set(kept) - set(lost)):
            with open(os.path.join(folder, "out", name), "rb") as f:
                contents.append(f.read())
        tap.equal(contents, [kept[name] for name in sorted(set(kept) - set(lost))],
                  "with their bytes; equal names in different folders stay apart")


def listed(standin, answer, *sizes):
    """The result of a run whose sandbox lists files of these sizes, and has `answer` for each."""
    entries = [{"path": "/home/user/work/f%d" % i, "type": "FILE_TYPE_FILE", "size": size, "mode": 420}
               for i, size in enumerate(sizes)]
    standin.faults[:] = [Fault("POST", "/ListDir$", answer=whole_answer(200, json.dumps({"entries": entries}).encode())),
                         Fault("GET", "/files$", answer=answer)]
    with tempfile.TemporaryDirectory() as folder:
        r = result(standin, "--retries", "0", "-c", "1", "--out", "out", cwd=folder)
    standin.faults[:] = []
    return r.get("files"), [s["reason"] for s in r.get("skipped", [])], r


def test_lies(tap, standin):
    files, reasons, r = listed(standin, whole_answer(302, b"", pairs=[("Location", "http://127.0.0.1:1/")]), 5)
    tap.ok(files == [] and "unreadable" in "".join(reasons), "a redirect is no empty file", r)
    files, reasons, r = listed(standin, whole_answer(200, b"X"), "9" * 40, 1 << 62)
    tap.ok(files == [] and len(reasons) == 2 and "larger" in reasons[0], "a file of exbibytes is no empty file", r)
    standin.faults[:] = [Fault("POST", "/ListDir$", answer=whole_answer(200, b"[1]"))]
    with tempfile.TemporaryDirectory() as folder:
        r = result(standin, "--retries", "0", "-c", "1", "--out", "out", cwd=folder)
    standin.faults[:] = []
    tap.ok("no JSON object" in str(r.get("error")), "an answer that is no list of files is an error", r)


def test_sessions(tap, standin):
    del standin.requests[:]
    out, err = repl(standin, ["x = 41\ndef f(): return x + 1", "f()", "import sys\nprint('err', file=sys.stderr)",
                              "x = 5\n1/0", "while True: pass", "x"], "--timeout", "1s")
    tap.equal(out, "42\n5\n", "variables stay between cells, also after an interrupt", err)
    tap.ok("err\n" in err and "ZeroDivisionError" in err and "KeyboardInterrupt" in err, "errors are those of a cell", err)
    tap.equal((len(standin.asked("control", "POST", "/sandboxes")), standin.living), (1, []),
              "in one sandbox, which is killed")
    out, err = repl(standin, ["x=(4 2)", "echo ${x[0]}${x[1]}", "false"], lang="bash")
    tap.equal(out, "42\n", "in Bash as well", err)
    out, err = repl(standin, ["x = 1", "import os\nos._exit(3)", "2 + 3"])
    tap.ok("ContextRestarting" in err and "gone" in err and "5\n" in out, "an interpreter that ended begins anew", err)


def test_session_calls(tap, standin):
    with daemon(standin) as session:
        name = json.loads(session("new", "--backend", "e2b-interpreter", "--env", "A=b'c", "--json").stdout)["id"]
        one = json.loads(session("exec", name, "--json", "-c", "open('a.txt', 'w').write('1')").stdout)
        two = json.loads(session("exec", name, "--json", "-c", "import os\nos.environ['A']\n1/0").stdout)
        tap.equal([f["path"] for f in one["files"]], ["a.txt"], "the files of a cell", one)
        tap.equal((two["files"], two["exception"]["line"], two["exception"]["type"]), ([], 3, "ZeroDivisionError"),
                  "an exception and its line", two)
        session("put", name, os.path.abspath(__file__) + ":deep/up.py")
        with open(__file__, "rb") as f:
            tap.equal(session("get", name, "deep/up.py", "-").stdout, f.read(), "files up and back")
        for words in (("set", name, "y=1"), ("vars", name), ("fork", name)):
            done = session(*words)
            tap.ok(done.returncode and b"e2b" in done.stderr, "refused in words: " + words[0], product.said(done))
        standin.control.pause(standin.control.records[standin.living[0]])
        done = session("exec", name, "-c", "os.environ['A']")
        tap.equal(done.stdout, b"b'c\n", "a session whose sandbox stood still", product.said(done))
        session("close", name)
        tap.ok(wait_for(lambda: not standin.living), "its sandbox is killed with it")


def test_broken(tap, standin):
    for status, body in ((200, b'{"type": "stdout", "text": "half'), (200, b"nonsense\n"), (200, b"[]\n"), (500, b"no"),
                         (404, b"Context not found"), (429, b"{}")):
        standin.faults[:] = [Fault("POST", "/execute$", answer=whole_answer(status, body), skip=1)]
        done = run(standin, "--retries", "0", "-c", "print('ran')")
        tap.ok(done.returncode not in (0, 1) and len(done.stderr.splitlines()) == 1 and not standin.living,
               "an answer that is none: %d %s" % (status, body.decode()), product.said(done))
    standin.faults[:] = [Fault("POST", "/contexts$", answer=whole_answer(502, b"{}"))]
    done = run(standin, "--retries", "0", "-c", "print('ran')")
    tap.ok(done.returncode == 125 and b"code interpreter" in done.stderr, "a template without one", product.said(done))
    standin.faults[:] = []


TESTS = (test_runs, test_errors, test_cancelled, test_said, test_named, test_rich, test_process, test_files,
         test_lies, test_sessions, test_session_calls, test_broken)


def test(tap):
    with Standin() as standin:
        for function in TESTS:
            function(tap, standin)
