# SPDX-License-Identifier: Apache-2.0
"""Streams while the program runs, and what ends it from outside."""

import json
import os
import select
import signal
import subprocess
import time

from box import PATIENCE
from procs import settle, started_with, wait_for


def gone(tag):
    wait_for(lambda: not started_with(tag))
    return started_with(tag)


def first_line(p):
    ready, _, _ = select.select([p.stdout], [], [], PATIENCE)
    return os.read(p.stdout.fileno(), 65536) if ready else b"(nothing)"


def whole_line(p):
    line = b""
    while not line.endswith(b"\n"):
        more = first_line(p)
        line += more
        if not more or more == b"(nothing)":
            break
    return line


def end(p):
    """Waits; never leaves anything behind. Returns (status as a shell says it, stdout, stderr)."""
    try:
        out, err = p.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        out, err = p.communicate()
        return None, out, err
    return p.returncode if p.returncode >= 0 else 128 - p.returncode, out, err


def test_live(t):
    for lang, code in (
        ("python", "import time; print('first'); time.sleep(100); print('last')"),
        (
            "python",
            "import sys, time; sys.stdout.write('fi'); sys.stdout.write('rst'); time.sleep(100)",
        ),
        ("js", "console.log('first'); setTimeout(() => console.log('last'), 100000)"),
        ("bash", "echo first; sleep 100"),
        ("r", "cat('first\\n'); Sys.sleep(100)"),
    ):
        p = t.start("run", "--timeout", "120s", "--lang", lang, "-c", code)
        line = first_line(p)
        t.ok(
            line.startswith(b"fi") and p.poll() is None,
            "%s: the first line comes before the end" % lang,
            line,
        )
        p.send_signal(signal.SIGINT)
        end(p)
    p = t.start("run", "--timeout", "120s", "--events", "-c",
                "import time; print('first'); time.sleep(100)")
    seen = b""
    while b"first" not in seen and select.select([p.stdout], [], [], PATIENCE)[0]:
        seen += os.read(p.stdout.fileno(), 65536)
    t.ok(b'"started"' in seen and b"first" in seen and p.poll() is None, "so do events", seen)
    p.send_signal(signal.SIGINT)
    end(p)
    p = t.start("run", "--timeout", "120s", "-c",
                "import time, sys; sys.stderr.write('warn\\n'); time.sleep(100)")
    ready, _, _ = select.select([p.stderr], [], [], PATIENCE)
    t.ok(
        ready and os.read(p.stderr.fileno(), 100) == b"warn\n" and p.poll() is None,
        "and standard error",
    )
    p.send_signal(signal.SIGINT)
    end(p)


def test_dialogue(t):
    p = t.start("run", "-c", "while True: print('got', input())", stdin=subprocess.PIPE)
    for i in range(20):
        p.stdin.write(b"%d\n" % i)
        p.stdin.flush()
        line = whole_line(p)
        if line != b"got %d\n" % i:
            break
    t.equal(line, b"got 19\n", "twenty questions and answers")
    code, _, err = end(p)
    t.ok(code == 1 and b"EOFError" in err, "and the end of input arrives", (code, err))


def up_and_asleep(tag):
    """A program of whose output nothing is to be seen before its end: its sleep can be found."""
    return "import subprocess\nprint('up', flush=True)\nsubprocess.run(['sleep', '%s'])" % tag


def test_interrupt(t):
    for sig, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        tag = "3%05d" % (os.getpid() % 100000)
        program = (
            "import subprocess, signal, time\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\n"
            "for i in range(3): subprocess.Popen(['setsid', 'sleep', '%s'])\nprint('up')\nwhile True: time.sleep(1)"
            % tag
        )
        p = t.start("run", "-c", program)
        first_line(p)
        here = wait_for(lambda: len(started_with("sleep\0" + tag)) >= 3)
        begin = time.monotonic()
        p.send_signal(sig)
        got, out, err = end(p)
        seconds = time.monotonic() - begin
        t.equal(
            (got, seconds < 15),
            (code, True),
            "signal %d ends it at once" % sig,
            "%s s, %s" % (seconds, err),
        )
        t.ok(here and gone(tag) == [], "and all that it started", (here, started_with(tag)))
    codes = []
    for _ in range(10):
        p = t.start("run", "-c", "print('up')\nwhile True: pass")
        first_line(p)
        os.killpg(p.pid, signal.SIGINT)
        codes.append(end(p)[0])
    t.equal(codes, [130] * 10, "Ctrl-C goes to the whole group; so does it here")
    p = t.start("run", "--json", "-c", up_and_asleep(tag))
    wait_for(lambda: started_with("sleep\0" + tag))
    p.send_signal(signal.SIGINT)
    got, out, err = end(p)
    import json

    doc = json.loads(out)
    t.equal((got, doc["success"], doc["stdout"]), (130, False, "up\n"), "the result still comes")


def test_killed(t):
    """kill -9 of glovebox itself."""
    tag = "4%05d" % (os.getpid() % 100000)
    for _ in range(5):
        p = t.start("run", "--lang", "sh", "-c", "setsid sleep %s & sleep %s" % (tag, tag))
        wait_for(lambda: len(started_with("sleep\0" + tag)) >= 2)
        here = len(started_with("sleep\0" + tag))
        p.kill()
        end(p)
        left = gone("sleep\0" + tag)
        if left or not here:
            break
    t.ok(here and left == [], "the guest's whole tree is gone", (here, left))


def test_stopped(t):
    p = t.start(
        "run", "--timeout", "1s", "-c", "print('up')\nimport time\nwhile True: time.sleep(0.1)"
    )
    first_line(p)
    p.send_signal(signal.SIGSTOP)
    time.sleep(1.5)
    p.send_signal(signal.SIGCONT)
    t.equal(end(p)[0], 124, "the deadline counts while glovebox is stopped")


def test_terminal(t):
    """Ctrl-C typed at a terminal, and no terminal for the guest."""
    import pty

    code = (
        "import os, sys\nprint(sys.stdout.isatty(), sys.stdin.isatty())\n"
        "try: os.open('/dev/tty', os.O_RDWR); print('has a terminal')\nexcept OSError as e: print('no terminal', e.errno)\n"
        "import time; time.sleep(30)"
    )
    master, slave = pty.openpty()
    p = subprocess.Popen(
        [t.glovebox, "run", "-c", code],
        env=t.env(),
        cwd=t.dir,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: take_terminal(),
    )
    os.close(slave)
    seen = read_until(master, b"no terminal")
    t.ok(b"no terminal" in seen, "the guest has no controlling terminal", seen)
    os.write(master, b"\x03")
    begin = time.monotonic()
    try:
        code = p.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        p.kill()
        code = None
    t.ok(
        code == 130 and time.monotonic() - begin < 15,
        "Ctrl-C at the terminal ends it",
        (code, time.monotonic() - begin),
    )
    os.close(master)


def take_terminal():
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def read_until(fd, mark, timeout=PATIENCE):
    seen = b""
    while mark not in seen and select.select([fd], [], [], timeout)[0]:
        try:
            seen += os.read(fd, 65536)
        except OSError:
            break
    return seen


def test_reader_goes(t):
    script = (
        '"$G" run -c "%s" | head -1; echo "${PIPESTATUS[0]}"'
        % "import time\nfor i in range(1000000): print('line', i)"
    )
    done = t.command(["bash", "-c", script], env={"G": t.glovebox})
    t.equal((done.out, done.seconds < 25), (b"line 0\n141\n", True), "| head -1", done)
    p = t.start("run", "-c", "import time\nwhile True: print('x'); time.sleep(0.05)")
    first_line(p)
    p.stdout.close()
    begin = time.monotonic()
    code = p.wait(PATIENCE)
    t.ok(
        code == 141 and time.monotonic() - begin < 15, "a reader that goes away ends the run", code
    )
    p.stderr.close()
    p = t.start(
        "run",
        "-c",
        "import sys, time\nsys.stderr.write('x\\n'); time.sleep(0.3); sys.stderr.write('y\\n'); print('end')",
    )
    p.stderr.close()
    t.equal((p.stdout.read(), p.wait(PATIENCE)), (b"end\n", 0), "nobody reading the errors does not")
    p.stdout.close()
    with open("/dev/full", "wb") as full:
        done = t.command([t.glovebox, "run", "-c", "print('x')"])
        p = t.start("run", "-c", "print('x')", stdout=full)
        _, err = p.communicate(timeout=PATIENCE)
        t.ok(
            p.returncode == 125 and err == b"glovebox: cannot write to standard output: No space left on device\n",
            "a full disk behind standard output is told",
            (p.returncode, err),
        )
        p = t.start("run", "--json", "-c", "print('x')", stdout=full)
        _, err = p.communicate(timeout=PATIENCE)
        t.ok(
            p.returncode == 125 and err == b"glovebox: cannot write to standard output: No space left on device\n",
            "and with --json",
            (p.returncode, err),
        )


def test_slow_reader(t):
    p = t.start("run", "-c", "for i in range(200000): print(i)\n")
    select.select([p.stdout], [], [], PATIENCE)
    settle(p.pid)
    out, _ = p.communicate(timeout=PATIENCE)
    t.ok(
        p.returncode == 0 and out.startswith(b"0\n1\n") and out.endswith(b"199999\n"),
        "a reader that is slow gets it",
        len(out),
    )


def test_background(t):
    done = t.command(
        [
            "sh",
            "-c",
            'trap "" HUP; "$G" run -c "import time; print(1, flush=True); time.sleep(0.6); print(2)" & sleep 0.3; kill -HUP $!; wait $!; echo $?',
        ],
        env={"G": t.glovebox},
    )
    t.exits(done, 0, "nohup: an ignored hangup stays ignored", b"1\n2\n0\n")


def test_quiet(t):
    t.write("given", "x")
    done = t.run(
        "-q",
        "--timeout",
        "2s",
        "-c",
        "import sys; sys.stderr.write('its own\\n')\nwhile 1: pass",
    )
    t.equal((done.code, done.err), (124, b"its own\n"), "--quiet: only what the program says")
    done = t.run(
        "--timeout", "2s", "-c", "import sys; sys.stderr.write('its own\\n')\nwhile 1: pass"
    )
    t.equal(done.err.count(b"\n"), 2, "without it a line of ours more", done)
    done = t.run("-c", "print(1)")
    t.equal(done.err, b"", "a good run says nothing of its own")


def test_at_the_same_time(t):
    many = [
        t.start(
            "run",
            "--timeout",
            "60s",
            "-c",
            "import os, time; open('f', 'w').write('%d'); time.sleep(0.2); print(open('f').read(), os.listdir('.'))"
            % i,
        )
        for i in range(16)
    ]
    outs = [end(p)[:2] for p in many]
    t.equal(
        outs,
        (
            [(0, b"%d ['main.py', 'f']\n" % i) for i in range(16)]
            if "['main.py', 'f']" in str(outs[0])
            else [(0, b"%d ['f', 'main.py']\n" % i) for i in range(16)]
        ),
        "sixteen runs do not see each other",
    )


def test_progress(t):
    """A long quiet run can be told from a dead one."""
    p = t.start("run", "--no-daemon", "--events", "--no-check", "--timeout", "60s", "-c", "while True: pass")
    told = []
    while len(told) < 2:
        event = json.loads(p.stdout.readline() or b'{"event": "finished"}')
        if event["event"] in ("progress", "finished"):
            told.append(event)
    p.terminate()
    end(p)
    t.ok(
        all(e["event"] == "progress" and e["elapsed_ms"] >= 900 * (i + 1) for i, e in enumerate(told)),
        "--events: progress each second of a quiet run",
        told,
    )


def test_time_passes(t):
    done = t.run("--trace-time", "-c", "print(1)")
    t.ok(
        done.code == 0 and done.out == b"1\n" and b"program" in done.err and b" ms" in done.err,
        "--trace-time",
        done,
    )
