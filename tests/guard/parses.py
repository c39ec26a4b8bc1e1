# SPDX-License-Identifier: Apache-2.0
"""Each program is parsed once, on every way to a run or a verdict. build/glovebox-parses writes down what it parses
(count_parses.c); a program is recognised by a word in it."""

import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile

from procs import wait_for

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "build", "glovebox-parses")
CASES = '{"function": "add", "cases": [{"args": [1, 2], "expected": 3}, {"args": [2, 2], "expected": 4}]}'
UNNAMED = '[{"args": [1, 2], "expected": 3}]'
OUTPUTS = '[{"stdin": "", "expected_stdout": "3"}, {"stdin": "x", "expected_stdout": "3"}]'


class Counted:
    """A folder with programs, and the counts of their parses."""

    def __init__(self, tap, folder):
        self.tap, self.folder, self.number = tap, folder, 0
        self.parses = os.path.join(folder, "parses")
        self.socket = os.path.join(folder, "d.sock")
        self.env = dict(os.environ, PARSES=self.parses, HOME=folder, XDG_RUNTIME_DIR=folder)

    def program(self, text):
        """The text with a word that stands in no other program."""
        self.number += 1
        self.word = "marked_%d_" % self.number
        return text.replace("WORD", self.word)

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def lines(self):
        try:
            with open(self.parses, encoding="utf-8") as f:
                return [line for line in f if self.word in line]
        except FileNotFoundError:
            return []

    def once(self, name, done, good=True, again=0):
        lines = self.lines()
        self.tap.ok(good and 1 <= len(lines) <= 1 + again, "%s: parsed once" % name, "good: %s" % good, *lines, done)

    def run(self, *args, **how):
        how.setdefault("stdin", subprocess.DEVNULL if "input" not in how else None)
        if how["stdin"] is None:
            del how["stdin"]
        return subprocess.run([PROGRAM, *args], env=self.env, cwd=self.folder, capture_output=True, text=True,
                              check=False, **how)


def of_runs(c):
    ways = [
        ("run -c", lambda p: ["-c", p]),
        ("run -c --lang", lambda p: ["--lang", "python", "-c", p]),
        ("run FILE.py", lambda p: [c.file("p.py", p)]),
        ("run FILE", lambda p: [c.file("p", p)]),
        ("run of a profile", lambda p: ["--profile", "kodeagent", "-c", p]),
        ("run -c --target", lambda p: ["--target", "3.13", "-c", p]),
    ]
    for name, args in ways:
        done = c.run("run", "--no-daemon", *args(c.program("WORD = 1\nprint(WORD)\n")))
        c.once(name, done, done.stdout == "1\n")
    done = c.run("run", "--no-daemon", "--profile", "smolagents", "-c", c.program("WORD = 1\nprint(WORD / 0)\n"))
    c.once("an exception in a profile's words", done, "ZeroDivisionError" in done.stderr)
    done = c.run("run", "--no-daemon", "-c", c.program("WORD = 1\nprint(WORD / 0)\n"))
    c.once("an exception", done, "ZeroDivisionError" in done.stderr)
    done = c.run("run", "--no-daemon", "-c", c.program("def WORD(:\n    pass\n"))
    # Once more for the newest Python, if the program's is older: it may have the syntax.
    c.once("run of a program that does not compile", done, done.returncode == 126, again=1)


def of_checks(c):
    for name, args in (("check -c", lambda p: ["-c", p]), ("check FILE.py", lambda p: [c.file("p.py", p)]),
                       ("check of a profile", lambda p: ["--profile", "agentos", "-c", p]),
                       ("check --dump-ast", lambda p: ["--dump-ast", "-c", p])):
        done = c.run("check", *args(c.program("WORD = 1\n")))
        c.once(name, done, done.returncode == 0)
    done = c.run("check", "-c", c.program("WORD = (\n"))
    c.once("check of a program that does not compile", done, done.returncode == 1)
    done = c.run("check", "--dump-ast", "-c", c.program("WORD = (\n"))
    c.once("check --dump-ast of one", done, done.returncode == 1)


def of_tests(c):
    program = "def add(a, b):\n    WORD = a + b\n    return WORD\n"
    for name, cases, text in (("test", CASES, program), ("test of the only function", UNNAMED, program),
                              ("test of a whole program", OUTPUTS, "WORD = 3\nprint(WORD)\n")):
        for kind, candidate in (("FILE.py", "p.py"), ("FILE", "p")):
            path = c.file(candidate, c.program(text))
            done = c.run("test", path, "--cases", c.file("cases.json", cases))
            c.once("%s, %s" % (name, kind), done, done.returncode == 0)


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def post(c, path, body):
    connection = Unix(c.socket)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def of_requests(c):
    answer = post(c, "/v1/run", {"code": c.program("WORD = 1\nprint(WORD)\n")})
    c.once("POST /v1/run", answer, answer.get("success"))
    answer = post(c, "/v1/check", {"code": c.program("WORD = 1\n")})
    c.once("POST /v1/check", answer, answer.get("allowed"))
    answer = post(c, "/v1/check", {"files": {"a.py": c.program("WORD = 1\n")}})
    c.once("POST /v1/check of a file", answer, answer.get("allowed"))
    session = post(c, "/v1/sessions", {})
    for n in (1, 2):
        answer = post(c, "/v1/sessions/%s/exec" % session.get("id"), {"code": c.program("WORD = 41\nWORD + 1\n")})
        c.once("cell %d" % n, answer, answer.get("value") == 42 or answer.get("success"))


def of_clients(c):
    """A client looks at the program where its own input is open: it parses what seems to need no input."""
    done = c.run("run", "--daemon", "unix:" + c.socket, "-c", c.program("WORD = 1\nprint(WORD)\n"))
    c.once("run by a daemon", done, done.stdout == "1\n")
    done = c.run("run", "--daemon", "unix:" + c.socket, "-c", c.program("WORD = input()\nprint(WORD)\n"), input="2\n")
    c.once("run by a daemon, with input", done, done.stdout == "2\n")
    done = c.run("run", "--daemon", "unix:" + c.socket, "-c", c.program("WORD = 1\nprint(WORD)\n"), input="")
    pids = [line.split(" ", 1)[0] for line in c.lines()]
    c.tap.ok(len(pids) == len(set(pids)) == 2, "a program without input: parsed once by each side", pids, done)


def of_daemons(c):
    daemon = subprocess.Popen([PROGRAM, "serve", "--listen", "unix:" + c.socket, "--log", "off"], env=c.env,
                              cwd=c.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: os.path.exists(c.socket) or daemon.poll() is not None)
        of_requests(c)
        of_clients(c)
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()


def test(tap):
    if not os.path.exists(PROGRAM):
        tap.skip("each program is parsed once", "needs build/glovebox-parses")
        return
    with tempfile.TemporaryDirectory(prefix="glovebox-parses-") as folder:
        counted = Counted(tap, folder)
        of_runs(counted)
        of_checks(counted)
        of_tests(counted)
        of_daemons(counted)
