# SPDX-License-Identifier: Apache-2.0
"""The memory of all guests of a daemon together: sessions, runs, and both. Programs hold less than their own limit
(512 MiB), so whatever is killed here was killed for the sum, and its result says so."""
import glob
import http.client
import json
import os
import socket
import subprocess
import threading
import time

from harness import PATIENCE

MOST = 256 << 20
HOLD = "x = bytearray(%d << 20)\nfor at in range(0, len(x), 4096): x[at] = 1\nprint(len(x) >> 20)\n"

LINGER = "import time; time.sleep(%d)" % (PATIENCE // 60)  # so that all hold it at the same time


class Door(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


class Daemon:
    def __init__(self, user, *options):
        self.user, self.path = user, os.path.join(user.home, "door")
        self.process = user.start("serve", "--listen", f"unix:{self.path}", "--log", "off", "--drain", "1s", *options)
        for _ in range(PATIENCE * 20):
            if os.path.exists(self.path) or self.process.poll() is not None:
                break
            time.sleep(0.05)

    def ask(self, method, path, **body):
        door = Door(self.path)
        try:
            door.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
            return json.loads(door.getresponse().read() or b"{}")
        finally:
            door.close()

    def run(self, code, **more):
        return self.ask("POST", "/v1/run", code=code, language="python", timeout_ms=PATIENCE * 1000, **more)

    def session(self):
        return self.ask("POST", "/v1/sessions", language="python").get("id")

    def cell(self, session, code):
        return self.ask("POST", f"/v1/sessions/{session}/exec", code=code, timeout_ms=PATIENCE * 1000)

    def close(self):
        self.process.terminate()
        try:
            self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()


def at_once(tasks):
    results = [None] * len(tasks)

    def work(number):
        results[number] = tasks[number]()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(tasks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def short(results):
    return [(r.get("success"), r.get("limits"), r.get("error_type"), r.get("error"), r.get("exit_code"))
            for r in results]


def is_killed(r):
    """For the sum, and said to be; also between two cells."""
    if (r.get("cell") or {}).get("ended") == "died" and "reached the memory that they may" in json.dumps(r.get("error")):
        return True
    return (not r.get("success") and r.get("limits") == ["guests_memory"] and not r.get("oom_killed")
            and r.get("error_type") == "ours" and "guests" in json.dumps(r.get("error")))


def check(tap, name, results, fit):
    held = [r for r in results if r.get("success")]
    killed = [r for r in results if is_killed(r)]
    tap.ok(len(held) <= fit, f"{name}: at most {fit} of {len(results)} hold what they took", short(results))
    tap.ok(len(held) + len(killed) == len(results), f"{name}: every other one was killed for the sum, and says so",
           short(results))


def test_sessions(tap, user, daemon, count=20):
    name = f"{user.name}: sessions"
    sessions = [daemon.session() for _ in range(count)]
    tap.ok(all(sessions), f"{name}: {count} are opened", sessions)
    check(tap, f"{name} of 300 MiB", at_once([lambda s=s: daemon.cell(s, HOLD % 300) for s in sessions[:4]]), 0)
    if count < 8:
        return
    quiet = [daemon.cell(s, "print(6 * 7)") for s in sessions[4:]]
    tap.ok(all(r.get("stdout") == "42\n" for r in quiet), f"{name}: those that took nothing are alive", short(quiet))
    at_once([lambda s=s: daemon.cell(s, HOLD % 90) for s in sessions[4:8]])
    check(tap, f"{name} of 90 MiB", [daemon.cell(s, "print(len(x))") for s in sessions[4:8]], 2)
    for session in sessions:
        daemon.ask("DELETE", f"/v1/sessions/{session}")


def test_idle(tap, user, daemon):
    """What a session holds between its cells counts; and it is not the newest that goes, but the largest."""
    name = f"{user.name}: an idle session"
    large, small = daemon.session(), daemon.session()
    r = daemon.cell(large, HOLD % 150)
    tap.ok(r.get("success"), f"{name}: 150 MiB fit", r)
    r = daemon.cell(small, HOLD % 120 + LINGER)
    after = daemon.cell(large, "print(len(x))")
    tap.ok(r.get("success") and not after.get("success"), f"{name}: it is the larger one, and goes", short([r, after]))
    for session in (large, small):
        daemon.ask("DELETE", f"/v1/sessions/{session}")


def test_runs(tap, user, daemon):
    name = f"{user.name}: runs"
    for warm in (False, True):  # the first ones teach the pool
        check(tap, f"{name}{' warm' if warm else ''}",
              at_once([lambda: daemon.run(HOLD % 90 + LINGER)] * 6), 2)
    r = daemon.run(HOLD % 90, memory_bytes=64 << 20)
    tap.ok(r.get("limits") == ["memory"] and r.get("oom_killed") and r.get("error_type") == "limit",
           f"{name}: a program above its own limit is reported as that", short([r]))
    r = daemon.run(HOLD % 90)
    tap.ok(r.get("success"), f"{name}: when the others are gone there is room again", short([r]))


def test_mixed(tap, user, daemon):
    session = daemon.session()
    tasks = [lambda: daemon.cell(session, HOLD % 90 + LINGER)]
    tasks += [lambda: daemon.run(HOLD % 90 + LINGER)] * 3
    check(tap, f"{user.name}: a session and runs", at_once(tasks), 2)
    tap.ok(daemon.process.poll() is None, f"{user.name}: the daemon is alive")


def directories():
    return [path for top in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup")
            for path in glob.glob(top + "/**/glovebox-*-all", recursive=True)]


def test(tap, user):
    before = set(directories())
    for option in ("--guests-memory", "--sessions-memory"):
        daemon = Daemon(user, option, str(MOST))
        try:
            if option == "--sessions-memory":
                test_sessions(tap, user, daemon, 4)  # its older name
                continue
            test_sessions(tap, user, daemon)
            test_idle(tap, user, daemon)
            test_runs(tap, user, daemon)
            test_mixed(tap, user, daemon)
        finally:
            daemon.close()
    tap.equal(set(directories()) - before, set(), f"{user.name}: no group is left")
