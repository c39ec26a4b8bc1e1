# SPDX-License-Identifier: Apache-2.0
"""What is streamed is complete: every byte, to any reader, with bounded memory on our side."""

import hashlib
import os
import resource
import select
import time

from box import PATIENCE
from procs import children, settle, wait_for
from test_daemon_run import Daemon

BIG = 100 << 20
PROGRAM = """import hashlib, random, sys
block = random.Random(7).randbytes(1 << 19) + b"a line of text\\n" * 34953
sum_ = hashlib.sha256()
for i in range(%d):
    sys.stdout.buffer.write(block)
    sum_.update(block)
print(sum_.hexdigest(), file=sys.stderr)
"""
PEAK = 96 << 20
# A sanitizer keeps freed memory back (256 MiB of it), which is not what is measured here.
LEAN = {"ASAN_OPTIONS": "quarantine_size_mb=1:thread_local_quarantine_size_kb=64"}


def stand_still(p, pid):
    """Waits until the process has written and nothing moves any more, here or below `pid`: all wait for the reader."""
    select.select([p.stdout], [], [], PATIENCE)
    settle(p.pid)
    settle(pid)


def digest(p, late=None):
    """The SHA-256 and size of what comes out. `late`: the reader begins when all below this process stands still."""
    found, size = hashlib.sha256(), 0
    if late:
        stand_still(p, late)
    while True:
        block = p.stdout.read(1 << 20)
        if not block:
            return found.hexdigest(), size
        found.update(block)
        size += len(block)


def peak_of(pid):
    with open("/proc/%d/status" % pid) as f:
        return next(int(x.split()[1]) << 10 for x in f if x.startswith("VmHWM"))


def whole(t, name, *args, blocks=100, late=None, env=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    p = t.start(*args, env={**LEAN, **(env or {})})
    found, size = digest(p, late and (late.pid if late is not True else p.pid))
    said = p.stderr.read().decode()
    p.wait(PATIENCE)
    t.ok(p.returncode == 0 and found in said and size > blocks << 19, "%s: every byte" % name,
         "%s %s %s %s" % (p.returncode, size, found, said[-300:]))
    t.ok(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(before, PEAK >> 10),
         "%s: with little memory" % name)
    p.stdout.close()
    p.stderr.close()


def test_here(t):
    t.write("big.py", PROGRAM % 100)
    t.write("some.py", PROGRAM % 8)
    whole(t, "a pipe", "run", "--no-daemon", "--timeout", "80s", "big.py")
    whole(t, "a late reader", "run", "--no-daemon", "some.py", blocks=8, late=True)
    whole(t, "without a wall", "run", "--backend", "host", "--allow-unsafe", "--no-check", "some.py",
          blocks=8)
    with open(t.path("out"), "wb") as out:
        p = t.start("run", "--no-daemon", "some.py", stdout=out)
    said = p.communicate()[1].decode()
    with open(t.path("out"), "rb") as f:
        t.ok(hashlib.sha256(f.read()).hexdigest() in said, "a file: every byte", said[-300:])
    done = t.run("--no-daemon", "-c", "import sys; sys.stderr.write('e' * 3000001)")
    t.ok(done.err == b"e" * 3000001, "standard error, too", len(done.err))
    done = t.run("--no-daemon", "--events", "-c", "print('x' * 3000000)")
    text = "".join(e["text"] for e in done.events if e["event"] == "stdout")
    t.equal(len(text), 3000001, "events: every byte")
    result = done.events[-1]["result"]
    t.ok(result["stdout_truncated"] and result["stdout_bytes"] == 3000001
         and "output" in result["limits"], "the result keeps a part, and says so")
    t.exits(t.run("-c", "print('x' * 3000000)", "--json"), 0, "--json has the limit")


def test_cells(t):
    text = "".join("print(%d, 'y' * 100)\n" % i for i in range(3)) + "print('z' * 3000000)\n"
    done = t.box("repl", stdin=text.encode())
    t.ok(done.code == 0 and len(done.out) == 3 * 103 + 3000001, "repl: every byte", len(done.out))


def test_daemon(t):
    t.write("big.py", PROGRAM % 20)
    with Daemon(t, env=LEAN) as d:
        whole(t, "a daemon", "run", "--timeout", "80s", "big.py", blocks=20, env=d.env)
        whole(t, "warm", "run", "--timeout", "80s", "big.py", blocks=20, env=d.env, late=d.process)
        session = t.box("session", "new", "--timeout", "80s", env=d.env).out.decode().strip()
        whole(t, "a cell", "session", "exec", session, "big.py", blocks=20, env=d.env, late=d.process)
        peak = peak_of(d.process.pid)
        t.ok(peak < PEAK, "the daemon keeps nothing of it", peak)
        late_cell(t, d, session)


def late_cell(t, d, session):
    """The clock of a cell runs on while nobody reads; its session survives that."""
    p = t.start("session", "exec", "--timeout", "1s", session, "-c",
                "while True: print('y' * 1000)", env=d.env)
    select.select([p.stdout], [], [], PATIENCE)
    wait_for(lambda: b"busy" not in t.box("session", "list", env=d.env).out)
    out, err = p.communicate(timeout=PATIENCE)
    t.ok(p.returncode == 124 and b"not done after 1s" in err and len(out) < 16 << 20,
         "a cell whose reader stands still ends in time", err)
    done = t.box("session", "exec", session, "-c", "print(1)", env=d.env)
    t.exits(done, 0, "and its session goes on", b"1\n")


def test_reader(t):
    p = t.start("run", "--no-daemon", "--timeout", "1s", "--lang", "sh", "-c", "yes")
    begin = time.monotonic()
    select.select([p.stdout], [], [], PATIENCE)
    wait_for(lambda: not children(p.pid))
    out, err = p.communicate(timeout=PATIENCE)
    t.ok(p.returncode == 124 and len(out) < 2 << 20 and b"not done after 1s" in err,
         "the clock ends what waits for its reader", (p.returncode, len(out), err))
    p = t.start("run", "--no-daemon", "--lang", "sh", "-c", "yes")
    p.stdout.read(10)
    p.stdout.close()
    err = p.stderr.read()
    p.stderr.close()
    t.ok(p.wait(PATIENCE) == 141 and err.count(b"\n") == 1 and b"has no reader" in err,
         "a reader that goes away ends it, with one line", err)
    t.ok(time.monotonic() - begin < 20, "at once")
    with open("/dev/full", "wb") as full:
        for stream, name in (("stdout", "output"), ("stderr", "error")):
            p = t.start("run", "--no-daemon", "-c",
                        "import sys; sys.%s.write('x' * 3000000)" % stream, **{stream: full})
            said = b"".join(x or b"" for x in p.communicate(timeout=PATIENCE))
            t.ok(p.returncode == 125 and (stream == "stderr" or said.count(b"\n") == 1
                 and b"standard output: No space left" in said), "a full disk below %s" % name, said)


def test_line(t):
    """A note of ours begins a line on a terminal, whatever the program left there."""
    ours, theirs = os.openpty()
    p = t.start("run", "--no-daemon", "--timeout", "1s", "-c",
                "import time; print('part', end='', flush=True); time.sleep(9)",
                stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    while True:
        try:
            said += os.read(ours, 4096)
        except OSError:
            break
    os.close(ours)
    p.wait(PATIENCE)
    t.match(rb"part\r\nglovebox: Execution timeout", said, "a line of its own")
    done = t.run("--no-daemon", "--timeout", "1s", "-c",
                 "import sys,time; sys.stderr.write('part'); sys.stderr.flush(); time.sleep(9)")
    t.match(rb"^part\nglovebox: Execution timeout", done.err, "in a file of errors, too")
