# SPDX-License-Identifier: Apache-2.0
"""Exit statuses, and the one line that says why."""

import os
import signal
import time

from box import PATIENCE, once
from procs import settle, wait_for


def test_own_status(t):
    for code in (0, 1, 2, 3, 42, 100, 124, 125, 126, 127, 128, 129, 137, 255):
        t.exits(
            t.run("--lang", "sh", "-c", "exit %d" % code), code, "the program's own %d" % code, b""
        )
    done = t.run("--lang", "sh", "-c", "exit 125")
    t.equal(done.err, b"", "the program's own 125 is not explained")


def test_signals(t):
    for number in (1, 2, 3, 4, 6, 8, 9, 10, 11, 13, 14, 15, 24, 31, 34, 64):
        done = t.run("--lang", "sh", "-c", "kill -%d $$; sleep 5" % number)
        t.exits(done, 128 + number, "signal %d" % number, b"")
        first, *hint = done.err.splitlines()
        t.ok(b"ended by signal %d" % number in first, "and a line about it", done)
        known = number not in (3, 10, 14, 34, 64)
        t.ok(len(hint) == known and all(line.startswith(b"glovebox: hint: ") for line in hint), "and a hint if there is one", done)
    done = t.run("-q", "--lang", "sh", "-c", "kill -9 $$")
    t.equal((done.code, done.err), (137, b""), "--quiet: no line")


def test_timeout(t):
    done = t.run("--timeout", "2s", "-c", "import time; print('begun'); time.sleep(60)")
    t.exits(done, 124, "a program that sleeps", b"begun\n")
    t.ok(
        done.err.count(b"\n") == 1
        and b"Execution timeout" in done.err
        and b"--timeout" in done.err,
        "says so in one line",
        done,
    )
    t.ok(1.9 < done.seconds < 20, "after that time", done.seconds)
    done = t.run(
        "--timeout",
        "300ms",
        "-c",
        "import signal, time\nfor s in range(1, 32):\n  try: signal.signal(s, signal.SIG_IGN)\n"
        "  except OSError: pass\nwhile True: pass",
    )
    t.exits(done, 124, "one that ignores every signal")
    done = t.run(
        "--timeout", "300ms", "--lang", "sh", "-c", "(trap '' TERM HUP; sleep 300) & kill -STOP $$"
    )
    t.exits(done, 124, "one that is stopped, with a child")
    t.exits(
        t.run("--timeout", "25s", "--lang", "sh", "-c", "sleep 300 & echo done"),
        0,
        "a child left behind ends with it",
        b"done\n",
    )
    done = t.run("--cpu-time", "300ms", "-c", "while True: pass")
    t.exits(done, 124, "processor time")
    t.ok(done.err.count(b"\n") == 1 and b"processor time" in done.err, "says so in one line", done)
    t.exits(t.run("--timeout", "0", "-c", "print(1)"), 0, "--timeout 0 is none", b"1\n")


def test_memory(t):
    done = t.run(
        "--memory", "64m", "-c", "x = []\nwhile True: x.append(bytearray(1 << 20))", timeout=60
    )
    t.exits(done, 137, "more than its memory", b"")
    t.ok(done.err.count(b"Memory limit exceeded") == 1 and b"--memory" in done.err, "says so", done)


@once
def test_memory_error(t):
    """docs/limits.md: the limit kills; MemoryError is for what the whole machine does not have."""
    code = "try: x = bytearray(%s)\nexcept MemoryError: print('caught')"
    done = t.run("--json", "--memory", "64m", "-c", code % "300 << 20")
    t.equal((done.code, done.json["oom_killed"], done.json["limits"], done.json["stdout"]), (137, True, ["memory"], ""),
            "beyond the limit the program is killed", done)
    child = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'x = bytearray(300 << 20)'])\nprint('on')"
    done = t.run("--memory", "64m", "-c", child)
    t.exits(done, 137, "with all of its processes", b"")
    t.exits(t.run("--memory", "64m", "-c", code % "1 << 50"), 0, "beyond the machine it may catch an error", b"caught\n")
    done = t.run("--json", "-c", "x = bytearray(1 << 50)")
    t.equal((done.code, done.json["exception"]["type"], done.json["oom_killed"], done.json["limits"]),
            (1, "MemoryError", False, []), "or end with it", done)


def test_own_failures(t):
    t.refused(
        t.run("--backend", "inproc", "-c", "1"),
        125,
        "inproc|backend",
        "a backend that is not there yet",
    )
    t.refused(
        t.run("--backend", "nothing", "-c", "1"),
        2,
        "Unsupported code execution env: nothing",
        "a backend there never was",
    )
    t.refused(
        t.run("--backend", "local", "-c", "1"),
        2,
        "explicit opt-in to unsafe execution via WithAllowUnsafe",
        "the host without consent",
    )
    t.refused(
        t.run("--without", "seccomp", "-c", "1"),
        2,
        "--allow-unsafe",
        "less of the wall without consent",
    )
    done = t.run("-c", "print(1)", env={"GLOVEBOX_JAIL": "/no/such/helper"})
    t.refused(done, 125, "/no/such/helper|glovebox-jail", "no helper")
    done = t.run("-q", "-c", "print(1)", env={"GLOVEBOX_JAIL": "/no/such/helper"})
    t.refused(done, 125, "/no/such/helper|glovebox-jail", "--quiet does not hide our own failure")


def test_require(t):
    if not t.has("seccomp", "landlock", "userns"):
        return t.skip("--require of what is there", "needs all layers")
    t.exits(
        t.run("--require", "seccomp,landlock", "--require", "userns", "-c", "print(1)"),
        0,
        "layers that are there",
        b"1\n",
    )
    t.exits(t.run("--require", "namespaces", "-c", "print(1)"), 0, "a name for several", b"1\n")
    done = t.run(
        "--require", "seccomp", "--without", "landlock", "--allow-unsafe", "-c", "print(1)"
    )
    t.ok(done.code == 0 and b"1\n" == done.out, "less of the wall with consent", done)
    if not t.has("cpu"):
        done = t.run("--require", "cpu", "-c", "print(1)")
        t.refused(done, 125, "cpu", "a layer that is missing")
        done = t.run("--json", "--require", "cpu", "-c", "print(1)")
        t.equal(
            (done.code, done.json["verdict"]["allowed"]), (125, False), "and in the result", done
        )
    t.refused(
        t.run("--require", "seccomp", "--without", "seccomp", "--allow-unsafe", "-c", "1"),
        2,
        "contradict",
        "both ways",
    )
    t.refused(
        t.run("--require", "nothing", "-c", "1"),
        2,
        "'nothing' is not a layer",
        "a layer there never was",
    )
    t.refused(
        t.run("--without", "root;rm", "--allow-unsafe", "-c", "1"),
        2,
        "is not a layer",
        "nor such a one",
    )


def test_host_backend(t):
    os.environ["CANARY_OF_TESTS"] = "1"
    done = t.run(
        "--backend",
        "host",
        "--allow-unsafe",
        "--no-check",
        "-c",
        "import os; print(os.environ.get('SECRET'), os.getcwd() != %r)" % t.dir,
        env={"SECRET": "x"},
    )
    t.exits(done, 0, "runs with consent, its environment scrubbed", b"None True\n")
    t.match(
        "warning: You are running LLM-generated code on your host", done.err, "and with a warning"
    )
    tag = 10000000 + os.getpid()  # seconds that nobody else sleeps
    done = t.run(
        "--backend",
        "host",
        "--allow-unsafe",
        "--no-check",
        "--timeout",
        "300ms",
        "--lang",
        "sh",
        "-c",
        "sleep {0} & setsid sleep {0} & sleep {0}".format(tag),
    )
    t.exits(done, 124, "the time limit holds")

    def left():
        return [
            p
            for p in os.listdir("/proc")
            if p.isdigit() and b"sleep\0%d\0" % tag == read("/proc/%s/cmdline" % p)
        ]

    wait_for(lambda: not left())
    t.equal(left(), [], "and the whole tree is gone")
    done = t.run(
        "--backend",
        "host",
        "--allow-unsafe",
        "--no-check",
        "--json",
        "-c",
        "open('new.txt', 'w').write('x')",
    )
    t.equal(
        [(f["path"], f["size"]) for f in done.json["files"]],
        [("new.txt", 1)],
        "files come back",
        done,
    )
    t.equal(done.json["backend"], "host", "the result says where", done)


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def test_wrong_usage(t):
    for args, pattern in [
        (("--memory", "5q"), "'5q' is not a size; write it like"),
        (("--memory", ""), "is not a size"),
        (("--memory", "-1"), "is not a size"),
        (("--memory", "1e3"), "is not a size"),
        (("--memory", "99999999999999g"), "size|too large|range"),
        (("--memory", "1.5.5m"), "is not a size"),
        (("--memory", "0x10"), "is not a size"),
        (("--memory", "1 m m"), "is not a size"),
        (("--disk", "lots"), "is not a size"),
        (("--output-limit", "2g"), "out of range"),
        (("--timeout", "soon"), "is not a duration; write it like"),
        (("--timeout", "-1s"), "is not a duration"),
        (("--timeout", "5 parsecs"), "is not a duration"),
        (("--timeout", "nan"), "is not a duration"),
        (("--timeout", "inf"), "is not a duration"),
        (("--cpu-time", "x"), "is not a duration"),
        (("--cpus", "many"), "is not a number"),
        (("--cpus", "-0.5"), "is not a number"),
        (("--cpus", "99999"), "out of range"),
        (("--pids", "1.5"), "is not a whole number"),
        (("--pids", "-1"), "out of range"),
        (("--pids", "99999999999999999999"), "whole number|out of range"),
        (("--open-files", "x"), "is not a whole number"),
        (("--inodes", "x"), "is not a whole number"),
        (("--retries", "-1"), "out of range"),
        (("--retry-delay", "2h"), "out of range"),
        (("--net", "some"), "'some' is no network: none, host, or allow:HOST"),
        (("--net", "hosts"), "did you mean 'host'"),
        (("--memry", "1m"), "unknown option --memry; did you mean --memory"),
        (("--Memory", "1m"), "unknown option --Memory"),
        (("--xyzzy",), "unknown option --xyzzy"),
        (("-z",), "unknown option -z"),
        (("-json",), "unknown option -s; did you mean --json"),
        (("--json=1",), "takes no value"),
        (("--json", "--events"), "cannot be given together"),
        (("--net", "host", "--require", "netns"), "contradict"),
        (("--env", "=x"), "NAME=VALUE"),
        (("--env", ""), "NAME=VALUE"),
        (("--ro", "/no/such/place"), "/no/such/place"),
        (("--ro", "/usr:relative"), "absolute path"),
        (("--ro", "/usr:/"), "absolute path"),
        (("--ro", "/usr:/a/../b"), "absolute path"),
        (("--ro", ""), "--ro"),
        (("--config", "/no/such/file"), "/no/such/file"),
        (("--work-dir", ""), "--work-dir"),
        (("--out", ""), "--out"),
        (("--stdin", ""), "--stdin"),
        (("--stdin", "/no/such/file"), "/no/such/file"),
        (("--stdin", "/"), "folder|directory"),
        (("extra.py",), "one program too many"),
    ]:
        done = t.run(*args, "-c", "print('ran')")
        code = 2 if done.code != 125 else 125
        t.refused(done, code, pattern, " ".join(args))
    t.refused(
        t.run("a.py", "b.py"),
        2,
        "'b.py' is one program too many; arguments for the program come after --",
        "two programs",
    )
    t.refused(t.run("-c"), 2, "needs a value", "-c without a value")
    t.refused(t.run("--timeout"), 2, "needs a value: --timeout TIME", "--timeout without a value")
    t.refused(t.run(""), 2, "''|empty|name", "an empty name")
    t.exits(
        t.run(
            "--memory",
            "512MB",
            *(("--cpus", "1") if t.has("cpu") else ()),
            "--disk",
            "64MiB",
            "--timeout",
            "1.5m",
            "-c",
            "print(1)",
        ),
        0,
        "sizes as people write them",
        b"1\n",
    )


def test_bad_programs(t):
    t.refused(t.run("missing.py"), 2, "missing.py: No such file", "a file that is not there")
    os.mkdir(t.path("here/folder"))
    t.refused(t.run("folder"), 2, "folder: is a folder", "a folder")
    t.refused(t.run("/dev/zero"), 2, "/dev/zero: is not a regular file", "/dev/zero")
    t.refused(t.run("/dev/null"), 2, "/dev/null: is not a regular file", "/dev/null")
    os.mkfifo(t.path("here/fifo.py"))
    t.refused(t.run("fifo.py"), 2, "fifo.py: is not a regular file", "a FIFO")
    os.symlink("loop.py", t.path("here/loop.py"))
    t.refused(t.run("loop.py"), 2, "loop.py: ", "a link to itself")
    t.refused(t.run("missing.py/x.py"), 2, "x.py: ", "a path through nothing")
    t.refused(
        t.run("a\nb\x1b[31m.py"),
        2,
        r"a\\x0ab\\x1b\[31m.py: No such file",
        "an odd name cannot write on the terminal",
    )
    t.refused(t.run(b"\xff\xfe"), 2, "No such file", "a name that is not UTF-8")
    t.refused(t.run("x" * 5000), 2, "name too long|No such file", "a name that is too long")
    path = t.write("big.py", b"")
    with open(path, "wb") as f:
        f.truncate(100 << 20)
    t.refused(
        t.run("big.py"),
        2,
        "big.py: is larger than 16 MiB; give data with --file",
        "100 MiB of program",
    )
    with open(path, "rb") as f:
        t.refused(t.run("-", stdin=f), 2, "larger than 16 MiB", "and from standard input")
    with open("/dev/zero", "rb") as f:
        t.refused(t.run("-", stdin=f), 2, "larger than 16 MiB", "and without an end")
    if os.geteuid() != 0:
        t.write("locked.py", "print(1)", 0)
        t.refused(
            t.run("locked.py"), 2, "locked.py: Permission denied", "a file that cannot be read"
        )
    for name, data, want in (
            ("elf.py", b"\x7fELF\x02\x01\x01\0", "elf.py: is not text, but a compiled program; --file elf.py gives"),
            ("a.js", b"\x89PNG\r\n", "but an image"), ("utf16.py", "print(1)".encode("utf-16"), "is text in UTF-16; save it in UTF-8"),
            ("data.py", b"\0\1\xff\xfe" * 100, "is not text; --file data.py"), ("a.md", b"# A\n", "is Markdown.*glovebox blocks a.md"),
            ("A.MD", b"# A\n", "is Markdown"), ("x.CSV", b"1,2\n", "is data")):
        t.write(name, data)
        for command in "run", "test":
            t.refused(t.box(command, name), 2, want, "%s %s" % (command, name))
    t.exits(t.run("--lang", "python", "a.md"), 0, "Markdown that is Python", b"")
    t.write("latin.py", "# coding: latin-1\nprint('é')\n".encode("latin-1"))
    t.exits(t.run("latin.py"), 0, "another encoding", "é\n".encode())
    path = t.write("nul.py", b"print(1)\n\0")
    t.exits(t.run(path), 126, "a NUL in the text", b"")
    t.exits(t.run("--no-check", path), 0, "which the interpreter reads to", b"1\n")
    path = t.write("nul.sh", b"echo 1\0\n")
    t.exits(t.run("--lang", "sh", path), 126, "a NUL in a shell's text", b"")
    t.exits(t.run("--no-check", "--lang", "sh", path), 0, "which the shell skips")
    path = t.write("one.py", b"x = '" + b"y" * (15 << 20) + b"'\nprint(len(x))")
    t.exits(t.run(path, timeout=60), 0, "15 MiB in one line", b"15728640\n")
    chapter = t.run("--profile", "chapter", path, timeout=60)
    t.exits(chapter, 126, "which is more than the chapter profile allows", b"")
    path = t.write("one.py", b"x = '" + b"y" * 9000000 + b"'\nprint(len(x))")
    t.exits(t.run(path, timeout=60), 0, "9 MB in one line", b"9000000\n")


def test_unwritable_here(t):
    os.chmod(t.dir, 0o500)
    try:
        t.exits(
            t.run("-c", "open('x', 'w').write('x'); print('ok')"),
            0,
            "in a folder that cannot be written",
            b"ok\n",
        )
    finally:
        os.chmod(t.dir, 0o700)
    gone = t.path("gone")
    os.mkdir(gone)
    script = 'cd "$D" && rmdir "$D" && "$G" run -c "print(1)"'
    t.exits(
        t.command(["sh", "-c", script], env={"G": t.glovebox, "D": gone}),
        0,
        "in a folder that is gone",
        b"1\n",
    )


def test_retries(t):
    events = t.write("own.py", "raise SystemExit(1)")
    done = t.run("--json", "--retries", "3", events)
    t.equal(
        (done.code, done.json["attempts"]), (1, 1), "the program's failure is not tried again", done
    )
    done = t.run("--json", "--timeout", "200ms", "-c", "while 1: pass")
    t.equal(done.json["attempts"], 1, "nor is a timeout", done)
    broken = t.write("bin/helper", "#!/bin/sh\necho x >> %s\nexit 1\n" % t.path("tries"), 0o755)
    done = t.run(
        "--json",
        "--retries",
        "2",
        "--retry-delay",
        "100ms",
        "-c",
        "1",
        env={"GLOVEBOX_JAIL": broken},
    )
    doc = done.json
    t.equal(
        (done.code, doc["attempts"], doc["error"] is None),
        (125, 3, False),
        "our own failure is",
        done,
    )
    t.ok(
        read(t.path("tries")).count(b"x") == 3 and 0.2 <= done.seconds < 20,
        "as often and as late as asked",
        done.seconds,
    )
    done = t.run("--json", "--retries", "0", "-c", "1", env={"GLOVEBOX_JAIL": broken})
    t.equal((done.code, done.json["attempts"]), (125, 1), "--retries 0", done)
    tries = read(t.path("tries")).count(b"x")
    begin = time.monotonic()
    p = t.start(
        "run", "--retries", "5", "--retry-delay", "30s", "-c", "1", env={"GLOVEBOX_JAIL": broken}
    )
    wait_for(lambda: read(t.path("tries")).count(b"x") > tries)
    settle(p.pid)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=PATIENCE)
    t.ok(
        p.returncode == 130 and time.monotonic() - begin < 25,
        "Ctrl-C while it waits",
        (p.returncode, err),
    )
