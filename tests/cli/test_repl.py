# SPDX-License-Identifier: Apache-2.0
"""`glovebox repl`: cells from a file, and typed into a terminal."""

import base64
import os
import pty
import re
import select
import signal
import socket
import subprocess
import termios
import time

from box import PATIENCE, once
from procs import settle
from test_daemon_run import Daemon
from test_session import PNG


def cells(t, *texts, args=(), env=None, **how):
    return t.box("repl", *args, stdin="\n%%\n".join(texts).encode(), env=env, **how)


def test_cells(t):
    r = cells(t, "x = 2\nprint('hi')", "x + 1", "1 / 0", "x", "y =", "x * 3")
    t.exits(r, 0, "cells one after the other", b"hi\n3\n2\n6\n")
    t.ok(b'"<cell 3>", line 1' in r.err and b"refused at syntax" in r.err, "and what went wrong", r)
    r = cells(t, "import asyncio\nawait asyncio.sleep(0, 'slept')")
    t.exits(r, 0, "top-level await", b"'slept'\n")
    t.exits(cells(t, ""), 0, "nothing at all", b"")
    r = cells(t, ":timeout 300ms", "while True: pass", "'on'", ":reset", "'again'")
    t.ok(r.out == b"'on'\n'again'\n" and b"not done after 300ms" in r.err, ":timeout, :reset", r)
    r = cells(t, "open('f.txt', 'w').write('yo');", ":files", ":save f.txt", ":save none", ":nope",
              ":timeout", ":quit", "print('not reached')")
    t.match(rb"^ *2  f.txt\n$", r.out, ":files and :quit")
    t.ok(open(t.path("here", "f.txt")).read() == "yo", ":save")
    t.ok(b"no command :nope" in r.err and b"usage: :timeout TIME" in r.err and b"none" in r.err,
         "commands that make no sense", r)
    t.match(rb":save +NAME", cells(t, ":help").out, ":help")
    r = cells(t, "x = 5\nnames = ['a']", ":vars", args=("--log", "off"))
    t.exits(r, 0, ":vars", b"NAME   TYPE  VALUE\nnames  list  ['a']\nx      int   5\n")
    r = cells(t, ":commit mine/box:1", ":commit")
    t.ok(b"backend jail makes no images" in r.err and b"usage: :commit IMAGE" in r.err, ":commit where there are no images", r)
    r = cells(t, "import os\nos._exit(1)", "1", ":reset", "2", args=("--no-check",))
    t.ok(r.out == b"2\n" and b":reset begins a new one" in r.err, "a session that is over", r)
    r = cells(t, "x = 5", args=("--value", "last"))
    t.exits(r, 0, "--value last", b"5\n")


def test_exits(t):
    """What ends a program ends the prompt, with its status."""
    for language, code, status in (
            ("python", "exit()", 0), ("python", "quit(2)", 2), ("python", "import sys\nsys.exit(3)", 3),
            ("python", "raise SystemExit(4)", 4), ("python", ":try exit(5)", 5), ("bash", "exit 6", 6),
            ("bash", "exit", 0), ("javascript", "process.exit(7)", 7), ("r", "q(status=8)", 8)):
        r = cells(t, "true" if language == "bash" else "1", code, "nonsense(", args=("--lang", language, "--quiet"))
        if b"not installed" in r.err or b"no %s on this machine" % language.encode() in r.err:
            t.skip(code, "no %s here" % language)
        elif b"forks" in r.err:
            t.no_forks(r)
        else:
            t.ok(r.code == status and b"nonsense" not in r.err, "%s in %s" % (code, language), r)
    t.exits(cells(t, "false", "echo on", args=("--lang", "bash")), 0, "a command that fails does not", b"on\n")
    r = cells(t, "%tim 1", "!pip install x", "len?", "?str.join", "6 * 7  # is it 42?")
    t.exits(r, 0, "words of IPython's prompt", b"42\n")
    t.equal((r.err.count(b"IPython"), r.err.count(b"\n")), (3, 4), "have a line each", r)
    t.ok(b"help(NAME)" in r.err and b"cannot be installed" in r.err and b"Error" not in r.err, "with the words of here", r)
    with Daemon(t) as d:
        r = cells(t, "exit(9)", "nonsense(", args=("--daemon", "unix:" + d.socket))
        t.ok(r.code == 9 and not r.err, "in a daemon's session", r)


@once
def test_shell_commands(t):
    """IPython's."""
    r = cells(t, "print('first'); x = 2\n!echo second", "open('a.csv', 'w').close()\nfiles = !ls *.csv\nfiles",
              "for n in 1, 2:\n    !echo {x} $x {n} \"q\" $((n + 1)) {nope}", "lines = !echo a; echo b >&2; exit 3",
              "lines", "!exit 4", "_exit_code", 's = """\n!ls\n"""\ns', "x != 2")
    want = b"first\nsecond\n['a.csv']\n2 2 1 q 1 {nope}\n2 2 2 q 1 {nope}\n['a', 'b']\n4\n'\\n!ls\\n'\nFalse\n"
    t.exits(r, 0, "commands of the shell", want)
    r = cells(t, "x = 1\nfiles = !ls", "y = = !ls", args=("--profile", "strict"))
    t.ok(b"subprocess" in r.err and b"<cell 1>:2:" in r.err and not r.out, "are the profile's to judge", r)
    t.write("a.ipynb", '{"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": [{"cell_type": "code",'
            ' "metadata": {}, "outputs": [], "source": "files = !echo a b\\nprint(files)"}]}')
    t.exits(t.run("a.ipynb"), 0, "in a notebook", b"['a b']\n")
    t.ok(t.box("check", "a.ipynb").code == 0 and t.box("check", "--profile", "strict", "a.ipynb").code == 1, "check reads them")
    t.equal(t.run("-c", "!ls").code, 126, "not in a program")


@once
def test_magic_commands(t):
    """IPython's."""
    r = cells(t, "%cd /usr\n!pwd", "%pwd", "y = %time 3 + 4", "y", "%time x = 5\nx", "%%time\nz = 6\nz", "%%bash\nfor i in 1 2; do\n  echo \"n$i\"\ndone",
              "%env WHO=you there", "w = %env WHO\nw", "%cd -q", "s = \"\"\"\n%time\n\"\"\"\ns", "13 \\\n% 7", args=("--log", "off"))
    shown = re.sub(rb"CPU times: total: [0-9.e-]+ ms\nWall time: [0-9.e-]+ ms\n", b"TIMES\n", r.out)
    t.equal(shown, b"/usr\n/usr\n'/usr'\nTIMES\n7\nTIMES\n5\nTIMES\n6\nn1\nn2\n'you there'\n'\\n%time\\n'\n6\n", "what they do", r)
    t.ok(b"No such file or directory: '-q'" in r.err, "%cd to nowhere", r)
    r = cells(t, "%timeit -n 10 -r 2 sum(range(5))", "%%timeit -n 3 -r 2\nfor i in 1, 2:\n    i", "k = 1\n%timeit -n 2 -r 2 j = k", "i")
    t.match(rb"(.*s \xc2\xb1 .*s per loop \(mean \xc2\xb1 std. dev. of 2 runs, (10|3|2) loops each\)\n){3}$", r.out, "%timeit")
    t.ok(b"NameError" in r.err, "its names are its own", r)
    r = cells(t, "%%writefile a.txt\none\ntwo", "%cat a.txt\nn = %ls\nn", "%matplotlib inline\n%load_ext autoreload\n%autoreload 2\n5", "%%bash\nexit 3")
    t.ok(r.out.endswith(b"one\ntwo\n['a.txt']\n5\n") and b"non-zero exit status 3" in r.err, "files", r)
    for code, line, words in (("1\n%sql select", 2, b"cells have %cat"), ("%%html\n<b>", 1, b"cells have %%bash"), ("!true\n%nope", 2, b"cells have %cat"), ("%%time\n1\n%nope", 3, b"cells have %cat"),
                              ("1\n%time for i in 1,: pass", 2, b"under %%time"), ("%timeit j = 1\n2", 1, b"on the last line"), ("1\n%pip install x", 2, b"with --python (a"),
                              ("1\n!python3 -m pip install x", 2, b"come with --pip")):
        r = cells(t, code)
        t.ok(words in r.err and b"<cell 1>:%d:" % line in r.err and not r.out, "refused: %r" % code, r)
    r = cells(t, "%time __import__('os').system('ls')", "%timeit __import__('os').system('ls')", args=("--profile", "strict"))
    t.ok(r.err.count(b"call of os.system") == 2 and not r.out, "the profile sees what they run", r)


@once
def test_interrupted_opening(t):
    """Ctrl-C before there is a prompt ends the command, and closes the session."""
    place = t.path("slow.sock")
    asked = []

    def answer(connection, status, body):
        connection.sendall(b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                           % (status, len(body), body))

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place)
        server.listen()
        server.settimeout(PATIENCE)
        p = t.start("repl", "--daemon", "unix:" + place)
        connection = server.accept()[0]
        with connection:
            connection.settimeout(PATIENCE)
            while True:
                request = connection.recv(65536)
                asked.append(request.split(b" HTTP/")[0])
                if asked[-1] == b"POST /v1/sessions":
                    p.send_signal(signal.SIGINT)
                    answer(connection, b"201 Created", b'{"id": "slow", "language": "python"}')
                elif asked[-1] == b"DELETE /v1/sessions/slow":
                    answer(connection, b"200 OK", b"{}")
                    break
                else:
                    answer(connection, b"200 OK", b"{}")
        out, err = p.communicate(timeout=PATIENCE)
    t.equal((p.returncode, out, err), (130, b"", b""), "it says nothing", asked)


def test_waiting(t):
    """Cells that are still to come."""
    p = t.start("repl", stdin=subprocess.PIPE)
    settle(p.pid)
    out, err = p.communicate(b"1 + 1\n", timeout=PATIENCE)
    t.equal((p.returncode, out, err), (0, b"2\n", b""), "are waited for")
    p = t.start("repl", stdin=subprocess.PIPE)
    settle(p.pid)
    p.send_signal(signal.SIGINT)
    t.equal(p.wait(PATIENCE), 0, "until Ctrl-C")
    for stream in (p.stdin, p.stdout, p.stderr):
        stream.close()


def test_options(t):
    t.write("in.txt", "there")
    r = cells(t, "open('in.txt').read()", args=("--file", "in.txt"))
    t.exits(r, 0, "--file", b"'there'\n")
    r = cells(t, "twice(4)", args=("--tools", t.write("tools.py", "def twice(x):\n    return 2 * x\n")))
    t.exits(r, 0, "--tools", b"8\n")
    r = cells(t, "import sys\n'colorsys' in sys.modules, 'this' in sys.modules",
              args=("--preload", "colorsys"))
    t.exits(r, 0, "--preload", b"(True, False)\n")
    r = cells(t, "x=3", 'echo "$x"', args=("--lang", "bash"))
    t.exits(r, 0, "Bash", b"3\n")
    t.refused(cells(t, "1", args=("--lang", "cobol")), 2, "cobol", "a language that there is not")
    t.refused(t.box("repl", "file.py"), 2, "takes no arguments", "a file")
    t.refused(cells(t, "1", args=("--session", "x"), env={"GLOVEBOX_SOCKET": t.path("none.sock")}),
              125, "no daemon answers", "a daemon that there is not")


def test_daemon(t):
    with Daemon(t) as d:
        place = "unix:" + d.socket
        r = cells(t, "x = 1\nopen('f', 'w').write('abc');", "x + 1", ":files", ":save f", "1 / 0",
                  args=("--daemon", place))
        t.ok(r.code == 0 and r.out.startswith(b"2\n") and b"  f\n" in r.out
             and b"ZeroDivisionError" in r.err, "a daemon's session", r)
        t.ok(open(t.path("here", "f")).read() == "abc", ":save from there")
        t.exits(t.box("session", "list", env=d.env), 0, "which is closed at the end", b"no sessions\n")
        i = t.box("session", "new", "--name", "kept", env=d.env).out.decode().strip()
        t.exits(cells(t, "z = 7", args=("--session", "kept"), env=d.env), 0, "one that is there")
        t.exits(t.box("session", "exec", i, "-c", "z", env=d.env), 0, "stays there", b"7\n")
        t.exits(cells(t, ":reset", "1", args=("--session", "kept"), env=d.env), 0, ":reset", b"1\n")


def test_forks(t):
    r = cells(t, "x = 1", ":fork", "x = 2", "open('f', 'w').write('f');", ":fork", "x += 1", "x", ":back", "x", ":back", "x",
              ":files", ":back")
    if b"not a copy" in r.err and b"forks" in r.err:
        t.no_forks(r)
        return
    t.exits(r, 0, ":fork and :back", b"3\n2\n1\n")
    t.ok(b"this session is not a copy" in r.err, "until there is nowhere to go back to", r)
    r = cells(t, "x = 1", ":try x = 2", "x", ":try x = 3; 1 / 0", "x", ":try\nfor i in range(3):\n    x = i\nprint(x)", ":try",
              "import os", ":try os._exit(1)", "x", args=("--no-check",))
    t.exits(r, 0, ":try", b"2\n2\n2\n2\n")
    t.ok(r.err.count(b"nothing of the cell is kept") == 2 and b"usage: :try CODE" in r.err and b":reset" not in r.err,
         "what is said of it", r)
    r = cells(t, ":fork", ":try echo 1", "echo 2", args=("--lang", "bash"))
    t.ok(r.code == 0 and r.out == b"2\n" and r.err.count(b"bash cannot be forked") == 2, "in Bash", r)
    r = cells(t, ":fork", args=("--forks", "0"))
    t.ok(b"forks disabled" in r.err, "--forks 0", r)
    with Daemon(t) as d:
        r = cells(t, "x = 1", ":vars", args=("--daemon", "unix:" + d.socket))
        t.exits(r, 0, ":vars in a daemon's session", b"NAME  TYPE  VALUE\nx     int   1\n")
        r = cells(t, ":commit mine/box:1", args=("--daemon", "unix:" + d.socket))
        t.ok(b"backend jail makes no images" in r.err, ":commit of a daemon's session", r)
        r = cells(t, "x = 1", ":fork", "x = 2", ":fork", "x = 3", ":back", "x", ":try 1 / 0", args=("--daemon", "unix:" + d.socket))
        t.ok(r.code == 0 and r.out == b"2\n" and b"nothing of the cell is kept" in r.err, "in a daemon's session", r)
        t.exits(t.box("session", "list", env=d.env), 0, "of which none is left", b"no sessions\n")


class Terminal:
    """The program on a terminal of its own."""

    def __init__(self, t, *args, env=None, command="repl"):
        self.master, slave = pty.openpty()
        mode = termios.tcgetattr(slave)
        mode[3] &= ~termios.ECHO
        termios.tcsetattr(slave, termios.TCSANOW, mode)
        self.edits = "TERM" in (env or {})
        env = t.env(dict({"TERM": "dumb"}, **(env or {})))

        def own():
            os.setsid()
            import fcntl

            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.p = subprocess.Popen([t.glovebox, command, *args], stdin=slave, stdout=slave,
                                  stderr=slave, env=env, cwd=t.dir, preexec_fn=own)
        os.close(slave)

    def read(self, pattern, seconds=PATIENCE):
        """All that comes until it matches, or too long."""
        text, until = "", time.monotonic() + seconds
        while not re.search(pattern, text, re.S) and time.monotonic() < until:
            if not select.select([self.master], [], [], 0.1)[0]:
                continue
            try:
                text += os.read(self.master, 65536).decode("utf-8", "replace")
            except OSError:
                break
        return text

    def type(self, text):
        """To an editor once it reads keys, which is after it has shown its prompt: else Ctrl-D might be lost."""
        until = time.monotonic() + 20
        while self.edits and termios.tcgetattr(self.master)[3] & termios.ICANON and time.monotonic() < until:
            time.sleep(0.005)
        os.write(self.master, text.encode())

    def ask(self, text, pattern=r">>> $", seconds=PATIENCE):
        self.type(text)
        return self.read(pattern, seconds)

    def end(self):
        try:
            return self.p.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.wait()
            return None
        finally:
            os.close(self.master)


def test_terminal(t):
    term = Terminal(t)
    first = term.read(r">>> $")
    t.match(r"glovebox \S+, python; :help lists the commands\r\n>>> $", first, "a greeting and a prompt")
    t.equal(term.ask("6 * 7\n"), "42\r\n>>> ", "a value")
    t.equal(term.ask("def f(n):\n", r"\.\.\. $"), "... ", "a block goes on")
    t.equal(term.ask("    return n + 1\n", r"\.\.\. $"), "... ", "in the next line")
    t.equal(term.ask("\n"), ">>> ", "and ends with an empty one")
    t.equal(term.ask("f(1)\n"), "2\r\n>>> ", "it is there")
    t.equal(term.ask("[1,\n", r"\.\.\. $"), "... ", "an open bracket")
    t.equal(term.ask("2]\n"), "[1, 2]\r\n>>> ", "until it is closed")
    t.equal(term.ask('"""a\n', r"\.\.\. $"), "... ", "a long string")
    t.equal(term.ask('\n', r"\.\.\. $"), "... ", "with an empty line in it")
    t.equal(term.ask('b"""\n'), "'a\\n\\nb'\r\n>>> ", "until it is closed")
    t.match("SyntaxError", term.ask("x = = 1\n"), "what cannot become right is told at once")
    t.equal(term.ask("if 1: print(3)\n"), "3\r\n>>> ", "a block in one line")
    term.type("half a line")
    settle(term.p.pid)
    term.type("\x03")
    term.read(r">>> $")
    t.equal(term.ask("5\n"), "5\r\n>>> ", "Ctrl-C throws a line away")
    term.type("import time\n")
    term.read(r">>> $")
    term.type("print('go'); time.sleep(300)\n")
    term.read("go")
    settle(term.p.pid)
    begin = time.monotonic()
    said = term.ask("\x03", r">>> $")
    t.ok("KeyboardInterrupt" in said and time.monotonic() - begin < 60, "Ctrl-C ends a cell", said)
    t.equal(term.ask("f(2)\n"), "3\r\n>>> ", "and the session goes on")
    t.match(r"f\(2\)", term.ask(":history\n"), ":history")
    said = term.ask("time.sleep(2.5)\n")
    t.match(r"\r\x1b\[K[1-9] s, \d+ MiB", said, "the progress of a long cell")
    term.type("\x04")
    t.equal(term.end(), 0, "Ctrl-D ends it")
    history = os.path.join(t.home, ".local/state/glovebox/repl_history")
    info = os.stat(history)
    t.ok("def f(n):" in open(history).read() and info.st_mode & 0o077 == 0, "the history is kept",
         open(history).read())


def typed_input(t, term):
    term.read(r">>> $")
    t.equal(term.ask("x = input('name? ')\n", r"\? $"), "name? ", "the prompt of input()")
    time.sleep(4.5)  # longer than the cell's limit
    t.match(r">>> $", term.ask("\u00e9mile\n"), "a line for it, in its own time")
    t.equal(term.ask("x\n"), "'\u00e9mile'\r\n>>> ", "is its value")
    t.equal(term.ask("print('out', end=' '); y = input()\n", r"out $"), "out ", "what was printed comes before")
    t.equal(term.ask("\n"), ">>> ", "an empty line")
    term.ask("input('half: ')\n", r": $")
    t.match(r"'abc'\r\n>>> $", term.ask("abc\x04\x04"), "Ctrl-D twice after some text is the line's end")
    shown = term.ask("input('a\\x1b[2Jb: ')\n", r": $")
    t.equal(shown, "a\\x1b[2Jb: ", "a prompt is safe for a terminal")
    said = term.ask("\x04")
    t.ok("EOFError" in said and "glovebox" not in said.split("EOFError")[0], "Ctrl-D is EOFError", said)
    t.equal(term.ask("try: input('more? ')\nexcept KeyboardInterrupt: print('caught')\n", r"more\? $")[-6:], "more? ", "again")
    said = term.ask("\x03", r"caught.*>>> $")
    t.match(r"caught\r\n>>> $", said, "Ctrl-C is KeyboardInterrupt")
    term.ask("while True:\n  try: input('more? ')\n  except BaseException: pass\n\n", r"more\? $")
    term.ask("\x03", r"more\? $")
    said = term.ask("\x03", r">>> $")
    t.match(r">>> $", said, "a second Ctrl-C ends a program that catches it")
    term.ask(":reset\n")
    t.equal(term.ask("import getpass; p = getpass.getpass('secret: ')\n", r"secret: $"), "secret: ", "getpass()")
    t.equal(term.ask("hush\n"), "\r\n>>> ", "shows nothing")
    t.equal(term.ask("p\n"), "'hush'\r\n>>> ", "and has it")
    said = term.ask("input('x' * (5 << 20))\n")
    t.match(r"ValueError: input\(\): the arguments cannot be sent", said, "a prompt that is too long")
    t.equal(term.ask("import io, sys; sys.stdin = io.StringIO('mine'); input()\n"), "'mine'\r\n>>> ", "a stream of the program's")
    term.type("\x04")
    t.equal(term.end(), 0, "the end")


@once
def test_input_and_threads(t):
    """What other threads compute while input() waits is the cell's time."""
    term = Terminal(t, "--timeout", "2s")
    term.read(r">>> $")
    term.ask("import threading\ndef spin():\n    while not done: pass\n\n")
    term.ask("done = []; threading.Thread(target=spin).start(); input('name? ')\n", r"\? $")
    said = term.read(r">>> $")
    t.ok("KeyboardInterrupt" in said or "2s" in said, "a cell that computes is over without an answer", said)
    term.type("\x04")
    term.end()


def test_input(t):
    """The guest's input() reads the terminal."""
    typed_input(t, Terminal(t, "--timeout", "4s"))
    r = cells(t, "input()", "2")
    t.ok(r.out == b"2\n" and b"EOFError" in r.err, "without a terminal there is none", r)


def test_input_there(t):
    """In a daemon's session, too."""
    with Daemon(t) as d:
        place = "unix:" + d.socket
        typed_input(t, Terminal(t, "--timeout", "4s", "--daemon", place))
        r = cells(t, "input()", "2", args=("--daemon", place))
        t.ok(r.out == b"2\n" and b"EOFError" in r.err, "without a terminal there is none", r)
        i = t.box("session", "new", env=d.env).out.decode().strip()
        term = Terminal(t, "exec", i, "-c", "x = input('name? '); print(x)", env=d.env, command="session")
        t.equal(term.read(r"\? $"), "name? ", "session exec asks")
        t.equal(term.ask("typed\n", "typed\r\n"), "typed\r\n", "and has the line")
        t.equal(term.end(), 0, "the end")
        term = Terminal(t, "exec", i, "-c", "import time; input('? '); time.sleep(60)", env=d.env, command="session")
        term.read(r"\? $")
        said = term.ask("\x03", "KeyboardInterrupt")
        t.ok("KeyboardInterrupt" in said and term.end() == 130, "Ctrl-C is the cell's", said)
        r = t.box("session", "exec", i, "-c", "input()", env=d.env)
        t.ok(r.code == 1 and b"EOFError" in r.err, "without a terminal it is not asked", r)


@once
def test_pictures(t):
    code = "import base64\n%%\nclass P:\n  def _repr_png_(self): return base64.b64decode(b'" + PNG + "')"
    term = Terminal(t, env={"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1", "NO_COLOR": "1"})
    term.read(r">>> $")
    term.ask(code.replace("\n%%\n", "\n") + "\n\n")
    t.match("\x1b_Ga=T,.*\x1b", term.ask("P()\n", "\x1b_G.*>>> $"), "a terminal that can shows it")
    term.type("\x04")
    t.equal(term.end(), 0, "the end")
    r = cells(t, "open('f.txt', 'w').write('x')", "import os; os.mkdir('d'); open('d/g', 'w').write('y')", args=("--out", "files"))
    for path, content in (("files/f.txt", b"x"), ("files/d/g", b"y")):
        with open(t.path("here", *path.split("/")), "rb") as f:
            t.equal(f.read(), content, "--out keeps what cells write: " + path)
    r = cells(t, *code.split("\n%%\n"), "P()", args=("--out", "pictures"))
    t.ok(b"P object" in r.out and b"saved pictures/cell3-1.png" in r.err, "else it is a file", r)
    with open(t.path("here", "pictures", "cell3-1.png"), "rb") as f:
        t.equal(f.read(), base64.b64decode(PNG), "as it is")


@once
def test_bytes(t):
    """That are no text."""
    for env in ({"given": b"A\xff=1"}, {"given": b"A=\xff"}, {"given": b"B", "env": {"B": b"\xff"}}):
        r = t.box("repl", "--env", env["given"], stdin=b"1", env=env.get("env"))
        t.refused(r, 2, "is not UTF-8, which variables of a session", "the variable %r" % env)
    r = t.box("repl", "--lang", "r", "--quiet", stdin=b"x <- 5L\n%%\ncat('a\xff')\n%%\nx")
    if b"not installed" in r.err or r.code:
        t.skip("R", "no R here: " + r.err.decode("utf-8", "replace").strip())
    else:
        t.ok(b"[1] 5" in r.out and b"not UTF-8" in r.err, "a cell of R's: the session goes on", r)


@once
def test_first_line(t):
    """An error in a cell's first line repeats the line as it was written."""
    r = cells(t, "mkdir d; cd d; set -o noclobber", "while; do", "echo ${PWD##*/} $-", "echo $(", "f() {\n  done\n}", "echo on",
              args=("--lang", "bash", "--quiet"))
    t.match(rb"^d \S*C\S*\non\n$", r.out, "the folder and the options stay")
    t.ok(b"cell 2: line 1: syntax error near unexpected token `;'\ncell 2: line 1: `while; do'\n" in r.err and
         b"cell 5: line 2: `  done'\n" in r.err and b"cells_" not in r.err and b"builtin" not in r.err, "with its number", r)


@once
def test_other_languages(t):
    term = Terminal(t, "--lang", "bash", "--quiet")
    t.equal(term.read(r">>> $"), ">>> ", "--quiet has no greeting")
    t.equal(term.ask("for i in 1 2; do\n", r"\.\.\. $"), "... ", "do goes on")
    term.type("  echo $i\ndone\n")
    t.match("1\r\n2\r\n", term.read(r"2\r\n.*>>> $"), "until it is complete")
    t.equal(term.ask("echo a \\\n", r"\.\.\. $"), "... ", "a backslash goes on")
    t.equal(term.ask("b\n"), "a b\r\n>>> ", "for one line")
    term.type("echo go; sleep 300\n")
    term.read("go")
    settle(term.p.pid)
    term.ask("\x03", r">>> $")
    t.equal(term.ask("echo on\n"), "on\r\n>>> ", "Ctrl-C there")
    term.p.send_signal(signal.SIGTERM)
    t.equal(term.end(), 0, "SIGTERM ends it")
