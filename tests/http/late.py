# SPDX-License-Identifier: Apache-2.0
"""How runs and cells ended is told truly by a daemon that could not look when they did: because it was stopped until
long after the limit, or has far too much to do. And what the death of a zygote costs: nothing."""

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

from daemon import SLEEP, Daemon
from procs import descendants, wait_for

LIMIT_MS = 600
AMPLE_MS = 5000  # for what has to come before the limit, on a busy machine too
SECONDS = float(os.environ.get("LATE_SECONDS") or 5)
CLIENTS = 24

LOOP = {"code": "while True: pass"}
SOON = {"code": "import time\ntime.sleep(0.2)\nprint('x')"}
TIMEOUT = (True, 124, 9, ["timeout"], "")
WELL = (False, 0, None, [], "x\n")
RUNS = [
    ("a warm loop", LOOP, TIMEOUT),
    ("a cold loop", dict(LOOP, cold=True), TIMEOUT),
    ("a loop in bash", {"code": "while :; do :; done", "language": "bash"}, TIMEOUT),
    ("children that sleep", {"code": "sleep 60 & sleep 60 & wait", "language": "sh"}, TIMEOUT),
    ("what ends in time, warm", SOON, WELL),
    ("what ends in time, cold", dict(SOON, cold=True), WELL),
    ("a shell that ends in time", {"code": "sleep 0.2; echo x", "language": "bash"}, WELL),
    ("one that kills itself", {"code": "import os, time\ntime.sleep(0.2)\nos.kill(os.getpid(), 9)"}, (False, 137, 9, [], "")),
    ("too much memory", {"code": "b = bytearray(300 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1",
                         "memory_bytes": 64 << 20}, (False, 137, 9, ["memory"], "")),
]


def end_of(r):
    return r["timed_out"], r["exit_code"], r["signal"], r["limits"], r["stdout"]


def seen_late(d, path, body, limit=LIMIT_MS):
    """The result of a request whose daemon is stopped a moment after it has begun."""
    c = d.begin("POST", path, dict({"timeout_ms": limit, "no_check": True}, **body), lines=True)
    try:
        answer = c.getresponse()
        line = answer.readline()
        while line and b'"event":"started"' not in line:
            line = answer.readline()
        d.process.send_signal(signal.SIGSTOP)
        time.sleep(limit / 1000 + 0.4)
        d.process.send_signal(signal.SIGCONT)
        return Lines(line + answer.read()).result
    finally:
        c.close()


class Lines:
    def __init__(self, text):
        self.events = [json.loads(line) for line in text.splitlines()]

    @property
    def result(self):
        return next((e["result"] for e in self.events if e["event"] == "finished"), self.events)


def test_runs(tap, d):
    for name, body, want in RUNS:
        d.post("/v1/run", dict(body, timeout_ms=200, no_check=True))  # so that one may wait
        r = seen_late(d, "/v1/run", body, LIMIT_MS if want is TIMEOUT else AMPLE_MS)
        tap.equal(end_of(r), want, "seen late: " + name, r)


def test_cells(tap, d):
    s = "/v1/sessions/" + d.post("/v1/sessions", {"forks": 3}).json["id"]
    f = "/v1/sessions/" + d.post(s + "/fork", {}).json["id"]
    for name, path in (("a session", s), ("a fork", f)):
        r = seen_late(d, path + "/exec", LOOP)
        tap.equal((r["timed_out"], r["exit_code"], r["cell"]["ended"]), (True, 124, "interrupted"),
                  name + ", seen late: a loop", r)
        r = seen_late(d, path + "/exec", SOON, AMPLE_MS)
        tap.equal((r["timed_out"], r["exit_code"], r["stdout"]), (False, 0, "x\n"), name + ": what ends in time", r)
        r = seen_late(d, path + "/exec", {"code": "import os, time\ntime.sleep(0.2)\nos.kill(os.getpid(), 9)"},
                      AMPLE_MS)
        tap.equal((r["timed_out"], r["signal"], r["limits"]), (False, 9, []), name + ": what kills itself", r)
        d.call("DELETE", path)


TIMEOUTS = [
    {"code": "while True: pass"},
    {"code": "import time; time.sleep(60)"},
    {"code": "while True: pass", "cold": True},
    {"code": "while :; do :; done", "language": "bash"},
    {"code": "sleep 60 & sleep 60 & wait", "language": "sh"},
    {"code": "import os, time\nfor _ in range(3):\n    if os.fork() == 0: time.sleep(60)\ntime.sleep(60)"},
]


def time_out(d, until, number):
    wrong, count = [], 0
    while time.monotonic() < until:
        body = dict(TIMEOUTS[(number + count) % len(TIMEOUTS)], timeout_ms=200 + 20 * (number % 8), no_check=True)
        r = d.post("/v1/run", body).json
        if not r.get("timed_out") or r["exit_code"] != 124 or r["limits"] != ["timeout"]:
            wrong.append((body, {k: r.get(k) for k in ("error", "timed_out", "exit_code", "signal", "limits", "duration_ms")}))
        count += 1
    return count, wrong


def test_busy(tap):
    with Daemon("--workers", "32", "--queue", "64") as d:
        d.run("pass")
        until = time.monotonic() + SECONDS
        with ThreadPoolExecutor(CLIENTS) as pool:
            answers = list(pool.map(lambda i: time_out(d, until, i), range(CLIENTS)))
        count, wrong = sum(a[0] for a in answers), sum((a[1] for a in answers), [])
        tap.ok(count > CLIENTS and not wrong, "each of many timeouts is told as one", count, len(wrong), *wrong[:5])
        print("# %d timeouts, %d told otherwise" % (count, len(wrong)))


def depth(pid):
    with open("/proc/%d/status" % pid) as f:
        return next(len(line.split()) for line in f if line.startswith("NSpid:"))


def zygotes(d):
    """Their forks have the same words, and are in pid namespaces below."""
    found = []
    for pid, _ in descendants(d.pid):
        try:
            with open("/proc/%d/cmdline" % pid, "rb") as f:
                named = b"at_start = set(sys.modules)" in f.read()
            if named:
                found.append((depth(pid), pid))
        except OSError:
            pass
    return [pid for d, pid in found if d == min(found)[0]]


def test_zygote(tap, d):
    """The kernel kills with it the guests that it forked, not those that they forked themselves."""
    s = "/v1/sessions/" + d.post("/v1/sessions", {"forks": 3}).json["id"]
    d.post(s + "/exec", {"code": "x = 7"})
    f = "/v1/sessions/" + d.post(s + "/fork", {}).json["id"]
    begun = time.monotonic()  # how long it takes when nothing is killed, on this machine now
    usual = d.post("/v1/sessions", {"forks": 3}).json["id"]
    for one in (usual, d.post("/v1/sessions/%s/fork" % usual, {}).json["id"], d.post(f + "/fork", {}).json["id"]):
        d.call("DELETE", "/v1/sessions/" + one)
    usual = time.monotonic() - begun
    for turn in range(3):
        victims = wait_for(lambda: zygotes(d))
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        begun = time.monotonic()
        new = d.post("/v1/sessions", {"forks": 3})
        fork = d.post("/v1/sessions/%s/fork" % new.json["id"], {})
        tap.equal((new.status, fork.status), (201, 201), "a session opened when the zygote was killed can be forked", new, fork)
        fork = d.post(f + "/fork", {})
        tap.ok(fork.status == 201 and time.monotonic() - begun < min(25, 4 + 10 * usual), "so can one that lives on", victims, fork)
        r = d.post("/v1/sessions/%s/exec" % fork.json["id"], {"code": "x"}) if fork.status == 201 else fork
        tap.equal(r.json.get("value"), 7, "with what it had", r)
    r = d.post(s + "/exec", {"code": "x"})
    tap.ok(r.status in (409, 500) and "forked from was killed" in str(r.json["error"]), "one that died with it says so", r)


def killed(d, body, victim):
    """The result of a request, one of whose processes is killed by us."""
    c = d.begin("POST", "/v1/run", dict({"timeout_ms": 20000, "no_check": True}, **body))
    try:
        pid = wait_for(lambda: victim(d))
        os.kill(pid, signal.SIGKILL)
        r = c.getresponse()
        return r.status, json.loads(r.read())
    finally:
        c.close()


def parent_of_guest(d):
    for pid, _ in d.guests():
        with open("/proc/%d/stat" % pid) as f:
            return int(f.read().rpartition(")")[2].split()[1])
    return None


def test_killed(tap, d):
    """Its init, by someone on the host: an error of ours. The guest itself: a signal."""
    status, r = killed(d, {"code": SLEEP % 30, "cold": True}, parent_of_guest)
    tap.ok(status == 500 and "killed from outside" in str(r["error"]) and not r["timed_out"] and not r["limits"],
           "a jail that someone on the host kills is an error that says so", status, r)
    status, r = killed(d, {"code": SLEEP % 30}, lambda d: next((p for p, _ in d.guests()), None))
    tap.equal((status, r["error"], r["signal"], r["timed_out"]), (200, None, 9, False), "a guest that is killed has its signal", r)


def test(tap):
    with Daemon("--workers", "8") as d:
        test_runs(tap, d)
        test_cells(tap, d)
        test_zygote(tap, d)
        test_killed(tap, d)
    test_busy(tap)
