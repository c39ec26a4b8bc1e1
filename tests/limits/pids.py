# SPDX-License-Identifier: Apache-2.0
"""Processes and threads: as many as were allowed, and not one more."""

FORK = """
import os, time
made = 0
try:
    while made < 200:
        if os.fork() == 0:
            time.sleep(60); os._exit(0)
        made += 1
except BlockingIOError: pass
time.sleep(0.4)  # without groups, a watcher has to see it, also on a busy machine
print(1 + made)
"""

THREADS = """
import threading, time
made = 0
try:
    while made < 200:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        made += 1
except RuntimeError: pass
time.sleep(0.4)  # without groups, a watcher has to see it, also on a busy machine
print(1 + made, flush=True)
import os; os._exit(0)
"""

BOTH = """
import os, threading, time
made = 0
try:
    while made < 200:
        if made % 2:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        elif os.fork() == 0:
            time.sleep(60); os._exit(0)
        made += 1
except (BlockingIOError, RuntimeError): pass
time.sleep(0.4)  # without groups, a watcher has to see it, also on a busy machine
print(1 + made, flush=True)
os._exit(0)
"""

BOMB = """
import os, time
end = time.monotonic() + 1.5
while time.monotonic() < end:
    try: os.fork()
    except OSError: pass
"""


def test(tap, user):
    for name, code in [("processes", FORK), ("threads", THREADS), ("both", BOTH)]:
        for allowed in (1, 16, 64):
            r = user.run(code, "--pids", str(allowed))
            tap.equal(r.stdout, f"{allowed}\n", f"{user.name}: {allowed} {name} allowed, no more", r)
            tap.ok("pids" in (r.limits or ()) and r.success,
                   f"{user.name}: {allowed} {name}: limits says so, the program lives on", r)
    r = user.run(FORK, "--pids", "300")
    tap.ok(r.stdout == "201\n" and "pids" not in r.limits, f"{user.name}: fewer are no limit", r)
    r = user.run(FORK.replace("except BlockingIOError: pass", "finally: time.sleep(0.1)"), "--pids", "8")
    tap.ok(r.status == 1 and "Process limit reached: 8" in r.err and "--pids" in r.err,
           f"{user.name}: a program that fails of it is told", r)
    r = user.run(BOMB, "--pids", "40", "--timeout", "50s")
    tap.ok(r.json and "pids" in r.limits and r.seconds < 40, f"{user.name}: a fork bomb ends", r)
