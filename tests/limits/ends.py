# SPDX-License-Identifier: Apache-2.0
"""How a run ended is told truly by a glovebox that could not look when it did: it is stopped from the program's start
until long after the limit. What ended in time is no timeout, what did not is one, and a jail that someone on the host
killed is neither."""
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

from harness import PATIENCE, Events, Tree, children_of

LIMIT = 0.7  # seconds
AMPLE = 5.0  # for what has to come before the limit, on a busy machine too
HOG = "b = bytearray(400 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1"
LATE = {"timed_out": True, "exit_code": 124, "oom_killed": False, "success": False, "limits": ["timeout"]}
WELL = {"timed_out": False, "exit_code": 0, "signal": None, "limits": [], "success": True, "stdout": "x\n"}

# name, language, code, options, what the result is to say
CASES = [
    ("a loop", "python", "while True: pass", [], LATE),
    ("a sleep", "python", "import time; time.sleep(60)", [], LATE),
    ("children that sleep", "sh", "sleep 60 & sleep 60 & wait", [], LATE),
    ("a loop in a shell", "bash", "while :; do :; done", [], LATE),
    ("what ends in time", "python", "import time; time.sleep(0.2); print('x')", [], WELL),
    ("a shell that does", "sh", "sleep 0.2; echo x", [], WELL),
    ("a parent that does, not its child", "python",
     "import os, time\nif os.fork() == 0:\n    os.closerange(0, 99); time.sleep(60)\ntime.sleep(0.2); print('x')", [], WELL),
    ("a bad status", "python", "import time; time.sleep(0.2); raise SystemExit(3)", [],
     {"timed_out": False, "exit_code": 3, "signal": None, "limits": []}),
    ("a signal of its own", "python", "import os, time; time.sleep(0.2); os.kill(os.getpid(), 9)", [],
     {"timed_out": False, "exit_code": 137, "signal": 9, "limits": []}),
]
GROUPS = [
    ("too much memory", "python", HOG, ["--memory", "64m"], {"timed_out": False, "oom_killed": True, "exit_code": 137}),
]
LONG = [
    ("too much processor time", "python", "while True: pass", ["--cpu-time", "1s"],
     {"timed_out": True, "exit_code": 124, "limits": ["cpu_time"]}, 20, 3.5),
]


def stop_early(process):
    """Before it can have read that the program runs: when its helper is there. Too early does no harm."""
    until = time.monotonic() + PATIENCE
    while not children_of(process.pid) and process.poll() is None and time.monotonic() < until:
        pass
    time.sleep(0.003)  # for the files that it sends


def run_stopped(user, lang, code, options, limit, pause, early):
    """Its result; glovebox is stopped from the start of the program for so long."""
    process = user.start("run", "--events", "--no-check", "--timeout", f"{int(limit * 1000)}ms", "--lang", lang,
                         *options, "-c", code)
    events = Events(process)
    try:
        if early:
            stop_early(process)
        elif events.wait("started", PATIENCE) is None:
            return {"stderr": process.stderr.read()}
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(pause)
        os.kill(process.pid, signal.SIGCONT)
        process.wait(PATIENCE)
        return events.result()
    finally:
        process.kill()
        process.wait()
        events.thread.join(10)


def look(user, case, options, early):
    name, lang, code, own, want = case[:5]
    own_limit = LIMIT if want is LATE else AMPLE
    limit, pause = case[5:] or (own_limit, own_limit + (1 if early else 0.5))
    return run_stopped(user, lang, code, [*own, *options], limit, pause, early)


def report(tap, user, case, where, r):
    want = case[4]
    got = {k: r.get(k) for k in want}
    tap.equal(got, want, f"{user.name}{where}: seen late, {case[0]}", r)
    if want is LATE:
        tap.ok(r.get("duration_ms", 0) >= LIMIT * 1000, f"{user.name}{where}: with the time it had", r.get("duration_ms"))


def has_groups(user):
    return "memory" in (user.run("pass").isolation or [])


def test_killed(tap, user):
    process = user.start("run", "--events", "--timeout", "300s", "-c", "import time; time.sleep(300)")
    tree, events = Tree(process.pid), Events(process)
    try:
        begun = events.wait("started", PATIENCE)
        tree.look()
        os.kill(tree.alive()[0], signal.SIGKILL)
        process.wait(PATIENCE)
        r = events.result()
    finally:
        tree.kill()
        tree.close()
        process.kill()
        process.wait()
    said = r.get("error") and not (r["success"] or r["timed_out"] or r["limits"])
    tap.ok(begun and said and "killed from outside" in str(r["error"]),
           f"{user.name}: a jail that is killed from outside is said to be", r, process.stderr.read())


def test(tap, user):
    host = ["--backend", "host", "--allow-unsafe"]
    todo = [(case, [], False, "") for case in CASES + (GROUPS if has_groups(user) else []) + LONG]
    todo += [(case, [], True, ", from before the start") for case in CASES]
    todo += [(case, host, True, ", host backend") for case in CASES]
    with ThreadPoolExecutor(8) as pool:  # most of the time they sleep
        results = pool.map(lambda one: look(user, *one[:3]), todo)
        for (case, _, _, where), r in zip(todo, results):
            report(tap, user, case, where, r)
    test_killed(tap, user)
