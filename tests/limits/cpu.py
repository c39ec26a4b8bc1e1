# SPDX-License-Identifier: Apache-2.0
"""Processor time of the whole tree: counted where it is used, and only when it is used."""

BURN = """
import os, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
"""

CASES = [
    ("one process", "while True: pass", []),
    ("one process in the kernel", "import os\nwhile True: os.urandom(65536)", []),
    ("a tree of processes", """
import os
for _ in range(3):
    if os.fork() == 0: break
while True: pass
""", ["--cpus", "0"]),
    ("threads", """
import threading, hashlib
def spin():
    while True: hashlib.sha256(bytes(1 << 20))
for _ in range(3): threading.Thread(target=spin, daemon=True).start()
spin()
""", ["--cpus", "0"]),
    ("short lives, each waited for", BURN + """
while True:
    if os.fork() == 0:
        burn(0.02); os._exit(0)
    os.wait()
""", []),
    ("short lives that nobody waits for but init", BURN + """
while True:
    pid = os.fork()
    if pid == 0:
        if os.fork() == 0: burn(0.02)
        os._exit(0)
    os.waitpid(pid, 0)
    time.sleep(0.03)
""", []),
]

# What is reaped by the kernel itself is in nobody's account: only a group counts it.
UNSEEN = ("short lives that nobody waits for at all", BURN + """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        burn(0.02); os._exit(0)
    time.sleep(0.03)
""", [])


def test(tap, user):
    has_group = "cpu" in (user.run("").isolation or ())
    for name, code, options in CASES + ([UNSEEN] if has_group else []):
        name = f"{user.name}: {name}"
        r = user.run(code, "--cpu-time", "500ms", "--timeout", "100s", *options)
        tap.ok(r.timed_out and r.exit_code == 124 and r.status == 124 and "cpu_time" in (r.limits or ())
               and "timeout" not in r.limits, f"{name}: ended, and says which limit", r)
        tap.ok(480 <= (r.cpu_ms or 0) <= 1500, f"{name}: after 0.5 s of it", r)
        tap.note(f"{r.cpu_ms} ms of processor time, {r.duration_ms} ms of the clock")
    r = user.run("while True: pass", "--cpu-time", "300ms")
    tap.ok(r.err.count("\n") == 1 and "processor time" in r.err and "--cpu-time" in r.err,
           f"{user.name}: one line says so, and what to do", r)
    r = user.run("import time; time.sleep(1.2); print('awake')", "--cpu-time", "700ms")
    tap.ok(r.success and r.stdout == "awake\n", f"{user.name}: sleep is not counted", r)
