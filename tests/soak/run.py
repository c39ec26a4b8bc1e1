#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Many runs of every kind, two at a time, with glovebox and its helper killed at random: afterwards
nothing is left. SOAK_RUNS (2000) says how many; SOAK_SEED repeats one.

Only processes that this test started are signalled: glovebox by its handle, and the helper it has just
started, found as its child.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))

from left import left_over, state  # noqa: E402
from procs import PATIENCE, own_mounts  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
GLOVEBOX = os.environ.get("GLOVEBOX", os.path.join(ROOT, "build", "glovebox"))
# No daemon of this machine's has a part in this.
ENV = {**os.environ, "GLOVEBOX_SOCKET": "unix:/nowhere/glovebox.sock"}
STUCK_S = 120
RUNS = int(os.environ.get("SOAK_RUNS", "2000"))
SEED = int(os.environ.get("SOAK_SEED", str(time.time_ns() % 1000000)))
MARK = f"soak-{os.getpid()}-mark"

PROGRAMS = [
    ("python", "print(1)", []),
    ("sh", "echo 1", []),
    ("python", "1/0", []),
    ("python", "while True: pass", ["--timeout", "200ms"]),
    ("sh", "sleep 100 & sleep 100 & sleep 100", ["--timeout", "150ms"]),
    ("python", "x = bytearray(200_000_000)", ["--memory", "64m"]),
    ("python", "print('x' * 5_000_000)", []),
    ("python", "import os\nfor i in range(200): open(f'f{i}', 'w').write('x')\nos.mkdir('d')", []),
    ("python", "import os\nfor i in range(30):\n  try: os.fork()\n  except OSError: pass\n"
               "import time; time.sleep(5)", ["--pids", "16", "--timeout", "300ms"]),
    ("python", "import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0: time.sleep(60)\n"
               "os._exit(0)", []),
    ("python", "import ctypes; ctypes.CDLL(None).mount(b'a', b'b', b'c', 0, None)", []),
    ("sh", "exec sleep 3", ["--timeout", "5s"]),
]


def own_children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return [int(p) for p in f.read().split()]
    except OSError:
        return []


def processes():
    """Everything whose command line or environment bears our mark, or that is a helper."""
    found = set()
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as f:
                environ = f.read()
            with open(f"/proc/{name}/cmdline", "rb") as f:
                command = f.read()
        except OSError:
            continue
        if MARK.encode() in environ or MARK.encode() in command:
            found.add((int(name), command[:80]))
    return found


def start(rng, home):
    language, code, options = rng.choice(PROGRAMS)
    command = [GLOVEBOX, "run", "--log", os.path.join(home, "log.db"), "--lang", language, "-c", code,
               "--env", f"SOAK={MARK}", "--out", os.path.join(home, "out")] + options
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env={**ENV, "SOAK": MARK})
    fate = rng.choice(["live"] * 5 + ["kill"] * 3 + ["interrupt", "kill helper"])
    return process, fate, time.monotonic() + rng.choice([0, 0.001, 0.003, 0.01, 0.05, 0.2]) * rng.random() * 2


def strike(process, fate):
    if process.poll() is not None:
        return
    if fate == "kill":
        process.kill()
    elif fate == "interrupt":
        process.send_signal(signal.SIGINT)
    elif fate == "kill helper":
        for child in own_children(process.pid):
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has just ended


def soak(home):
    rng = random.Random(SEED)
    running, fates, stuck = [], {}, 0
    for _ in range(RUNS):
        running.append(start(rng, home))
        while len(running) >= 2:
            now = time.monotonic()
            for item in list(running):
                process, fate, when = item
                if fate != "live" and now >= when:
                    strike(process, fate)
                    running[running.index(item)] = (process, "live", now + STUCK_S)
                elif fate == "live" and now > when + STUCK_S and process.poll() is None:
                    process.kill()
                    stuck += 1
                if process.poll() is not None:
                    fates[process.returncode] = fates.get(process.returncode, 0) + 1
                    running = [r for r in running if r[0] is not process]
            time.sleep(0.001)
    for process, _, _ in running:
        process.wait(timeout=STUCK_S)
    return fates, stuck


def gone(seconds):
    """True when within this time no process bears the mark any more."""
    end = time.monotonic() + seconds
    while processes():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def library(results):
    program = os.path.join(os.path.dirname(GLOVEBOX), "soak-library")
    build = os.path.dirname(GLOVEBOX)
    made = subprocess.run(["cc", "-O1", "-I", os.path.join(ROOT, "include"), "-o", program,
                           os.path.join(HERE, "library.c"), "-L", build, "-lglovebox",
                           f"-Wl,-rpath,{build}"], capture_output=True, text=True)
    if made.returncode:
        results.append((False, f"the library's program builds: {made.stderr[:500]}"))
        return
    runs = str(max(60, RUNS // 5))
    said = subprocess.run([program, runs], capture_output=True, text=True, timeout=1800).stdout.split()
    os.unlink(program)
    print(f"# {runs} runs in one process: {' '.join(said)}")
    ok = len(said) == 8
    results.append((ok and said[1] == said[2], "the library keeps no descriptor"))
    results.append((ok and int(said[5]) < int(said[4]) + 4096, "nor memory (4 MiB)"))
    results.append((ok and said[7] == "0", "and never failed itself"))


def begins(what):
    """For tests/run-tap, which names what has begun last when a suite dies."""
    print("# begins " + what, flush=True)


def main():
    own_mounts()
    home = tempfile.mkdtemp(prefix="soak-")
    subprocess.run([GLOVEBOX, "run", "--log", "off", "--lang", "sh", "-c", ":"], stdin=subprocess.DEVNULL, env=ENV)
    before = state()
    began = time.monotonic()
    begins(f"{RUNS} runs, seed {SEED}")
    fates, stuck = soak(home)
    begins("what is left")
    results = [(stuck == 0, f"no run was stuck for {STUCK_S} s")]
    results.append((gone(PATIENCE), "soon no process is left"))
    # Who was killed could not clean up: the next run does it for him.
    last = subprocess.run([GLOVEBOX, "run", "--log", os.path.join(home, "log.db"), "-c", "print(1)"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, env=ENV)
    results.append((last.stdout == "1\n", f"a last run works {last.stderr}"))
    for what, new in left_over(before).items():
        results.append((not new, f"no {what} are left {new[:3] if new else ''}"))
    log = subprocess.run([GLOVEBOX, "log", "stats", "--log", os.path.join(home, "log.db"), "--json"],
                         capture_output=True, text=True)
    results.append((log.returncode == 0, f"the log can be read {log.stderr}"))
    begins("runs of the library")
    library(results)
    shutil.rmtree(home, ignore_errors=True)
    print(f"# {RUNS} runs, seed {SEED}, {time.monotonic() - began:.0f} s, exit statuses {fates}")
    for i, (ok, name) in enumerate(results, 1):
        print(f"{'ok' if ok else 'not ok'} {i} - {name}")
    print(f"1..{len(results)}")
    return not all(ok for ok, _ in results)


sys.exit(main())
