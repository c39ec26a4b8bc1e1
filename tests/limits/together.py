# SPDX-License-Identifier: Apache-2.0
"""The memory of all guests of a daemon together: sessions, runs, and both. Programs hold less than their own limit
(512 MiB), so whatever is killed here was killed for the sum, and its result says so."""
import glob
import http.client
import json
import os
import subprocess
import sys
import threading
import time

from harness import PATIENCE

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "http"))
from daemon import Unix, free_port  # noqa: E402
from procs import wait_for  # noqa: E402

MOST = 256 << 20
HOLD = "x = bytearray(%d << 20)\nfor at in range(0, len(x), 4096): x[at] = 1\nprint(len(x) >> 20)\n"

LINGER = "import time; time.sleep(%d)" % (PATIENCE // 60)  # so that all hold it at the same time


class Daemon:
    """`owners`: names, each with a token of its own, that send their requests over TCP."""

    pids = []  # of all

    def __init__(self, user, *options, owners=()):
        self.user, self.path, self.port = user, os.path.join(user.home, "door"), free_port() if owners else None
        options += ("--listen", f"unix:{self.path}")
        if owners:
            options += ("--listen", f"127.0.0.1:{self.port}", "--token-file", self.tokens(owners))
        self.process = user.start("serve", "--log", "off", "--drain", "1s", *options)
        self.pids.append(self.process.pid)
        for _ in range(PATIENCE * 20):
            if os.path.exists(self.path) or self.process.poll() is not None:
                break
            time.sleep(0.05)

    def tokens(self, owners):
        path = os.path.join(self.user.home, "tokens")
        with open(path, "w") as f:
            f.writelines(f"{name} {name}-of-the-tests-0123456789\n" for name in owners)
        os.chmod(path, 0o600)
        os.chown(path, self.user.id, self.user.id)
        return path

    def ask(self, method, path, owner=None, **body):
        headers = {"Content-Type": "application/json"}
        if owner:
            headers["Authorization"] = f"Bearer {owner}-of-the-tests-0123456789"
        door = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE) if owner else Unix(self.path)
        try:
            door.request(method, path, json.dumps(body), headers)
            return json.loads(door.getresponse().read() or b"{}")
        finally:
            door.close()

    def run(self, code, **more):
        return self.ask("POST", "/v1/run", code=code, language="python", timeout_ms=PATIENCE * 1000, **more)

    def session(self, **more):
        return self.ask("POST", "/v1/sessions", language="python", **more).get("id")

    def cell(self, session, code, **more):
        return self.ask("POST", f"/v1/sessions/{session}/exec", code=code, timeout_ms=PATIENCE * 1000, **more)

    def state(self, session, **more):
        return self.ask("GET", f"/v1/sessions/{session}", **more)

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


FILES = "for i in range(%d): open(f'/tmp/{i}', 'wb').write(bytes(10 << 20))\nprint('written')"


def shmem_mib():
    with open("/proc/meminfo") as f:
        return [int(line.split()[1]) >> 10 for line in f if line.startswith("Shmem:")][0]


def test_owners(tap, user):
    """A program of one owner is not killed for what another owner holds, in memory or in files."""
    name = f"{user.name}: two owners"
    daemon = Daemon(user, "--guests-memory", "900m", "--sessions", "60", owners=("many", "one"))
    try:
        one = daemon.session(owner="one")
        r = daemon.cell(one, HOLD % 250, owner="one")
        tap.ok(r.get("success"), f"{name}: one takes 250 MiB", r)
        many = [daemon.session(owner="many") for _ in range(20)]
        tap.ok(all(many), f"{name}: the other opens sessions", many)
        for s in many[:10]:
            daemon.cell(s, HOLD % 100, owner="many")
        r = daemon.cell(one, "print(len(x) >> 20)", owner="one")
        tap.equal(r.get("stdout"), "250\n", f"{name}: the one lives, the other took 100 MiB ten times", short([r]))
        at_once([lambda s=s: daemon.cell(s, HOLD % 200, owner="many") for s in many[10:16]])
        r = daemon.cell(one, "print(len(x) >> 20)", owner="one")
        tap.equal(r.get("stdout"), "250\n", f"{name}: also when it takes 200 MiB six times at once", short([r]))
        for s in many[16:]:
            daemon.cell(s, FILES % 20, owner="many")
        r = daemon.cell(one, "print(len(x) >> 20)", owner="one")
        tap.equal(r.get("stdout"), "250\n", f"{name}: also when it writes 200 MiB of files in each", short([r]))
        dead = [s for s in many if daemon.cell(s, "1", owner="many").get("success") is not True]
        said = [daemon.cell(s, "1", owner="many") for s in dead]
        tap.ok(dead and all(map(is_killed, said)), f"{name}: later cells say what happened", short(said))
        for s in [one, *many]:
            daemon.ask("DELETE", f"/v1/sessions/{s}", owner="one" if s == one else "many")
        test_files(tap, name, daemon)
    finally:
        daemon.close()


def test_files(tap, name, daemon):
    """Owners' files alone, in sessions that do nothing: they are dead, listed as that, and let go."""
    before = shmem_mib()
    many = [daemon.session(owner="many") for _ in range(5)]
    written = [daemon.cell(s, FILES % 16, owner="many") for s in many]
    tap.ok(all(r.get("success") for r in written), f"{name}: 800 MiB of files fit", short(written))
    runs = [daemon.run(HOLD % 200, owner="one") for _ in range(3)]
    tap.ok(all(r.get("success") for r in runs), f"{name}: runs of 200 MiB beside 800 MiB of files succeed",
           short(runs))
    listed = [daemon.state(s, owner="many") for s in many]
    dead = [s for s in listed if s["state"] == "dead"]
    tap.ok(dead and all("--guests-memory" in s["why"] and s["memory_bytes"] < 1 << 20 for s in dead),
           f"{name}: they are listed as dead, with the reason", listed)
    held = shmem_mib() - before
    tap.ok(held <= 160 * (5 - len(dead)) + 100, f"{name}: the files of {len(dead)} are gone", f"{held} MiB are left")
    s = dead[0]["id"]
    r = daemon.cell(s, "print(6 * 7)", owner="many")
    again = daemon.cell(s, "1", owner="many")
    tap.ok(r["limits"] == ["guests_memory"] and r["cell"]["ended"] == "died" and is_killed(r) and is_killed(again),
           f"{name}: a cell of one says it, and so does the next", short([r, again]))
    r = daemon.ask("POST", f"/v1/sessions/{s}/restart", owner="many")
    r = daemon.cell(s, "import os\nprint(os.listdir('/tmp'))", owner="many")
    tap.equal(r.get("stdout"), "[]\n", f"{name}: it can be restarted, without its files", short([r]))


def test_forks(tap, user):
    """The files of a session that is closed while a fork of it lives; and a fork ends with its session."""
    name = f"{user.name}: a fork"
    daemon = Daemon(user, "--guests-memory", "500m", "--sessions", "20")
    try:
        before = shmem_mib()
        session = daemon.session(forks=2)
        daemon.cell(session, FILES % 10)
        fork = (made := daemon.ask("POST", f"/v1/sessions/{session}/fork")).get("id")
        if not tap.ok(fork, f"{name}: it is made", made):
            return
        daemon.ask("DELETE", f"/v1/sessions/{session}")
        gone = wait_for(lambda: shmem_mib() - before < 150, 10)
        tap.ok(gone, f"{name}: the files of its session go when that is closed", f"{shmem_mib() - before} MiB")
        below = daemon.ask("POST", f"/v1/sessions/{fork}/fork").get("id")
        daemon.cell(fork, HOLD % 300)
        listed = wait_for(lambda: [s for s in map(daemon.state, (fork, below)) if s["state"] == "dead"], 10)
        tap.ok(listed and all("--guests-memory" in s["why"] for s in listed),
               f"{name}: it is killed for the sum", listed, daemon.state(fork), daemon.state(below))
    finally:
        daemon.close()


def test_restarts(tap, user, *options):
    """A session that was restarted and then lost its files with its guest begins as at its opening."""
    name = " ".join([f"{user.name}: restarted, killed, restarted", *options])
    daemon = Daemon(user, "--guests-memory", "400m", "--sessions", "20", *options)
    try:
        session, other = daemon.session(files={"given": "of its opening"}), daemon.session()
        daemon.cell(session, "open('kept', 'w').write('of a cell')")
        daemon.ask("POST", f"/v1/sessions/{session}/restart")
        look = "import os\nprint(sorted(os.listdir('.')), open('given').read())"
        r = daemon.cell(session, look)
        tap.equal(r.get("stdout"), "['given', 'kept'] of its opening\n", f"{name}: it keeps its files at first", r)
        for _ in range(2):
            daemon.cell(session, HOLD % 250)
            daemon.cell(other, HOLD % 200 + LINGER)
            killed = daemon.state(session)
            tap.ok(killed["state"] == "dead" and "--guests-memory" in killed["why"], f"{name}: it is killed", killed)
            answer = daemon.ask("POST", f"/v1/sessions/{session}/restart")
            r = daemon.cell(session, look)
            tap.equal(r.get("stdout"), "['given'] of its opening\n", f"{name}: it begins as at its opening", answer, r)
            daemon.ask("POST", f"/v1/sessions/{other}/restart")
    finally:
        daemon.close()


def test_tried(tap, user):
    """Near the ceiling processes are marked for the kernel; the copy from before a cell is left alone."""
    name = f"{user.name}: a cell that is tried near the ceiling"
    daemon = Daemon(user, "--guests-memory", "400m", "--sessions", "20")
    try:
        session = daemon.session(forks=2)
        daemon.cell(session, "y = 7")
        tried = HOLD % 315 + "import time; time.sleep(3)\nraise ValueError('no')"
        r = daemon.cell(session, tried, attempt=True)
        tap.equal((r.get("exception") or {}).get("type"), "ValueError", f"{name}: it holds 315 of 400 MiB and fails", r)
        tap.equal(r["cell"]["attempt"], "dropped", f"{name}: it is undone", r["feedback"])
        r = daemon.cell(session, "print(y)")
        tap.equal(r.get("stdout"), "7\n", f"{name}: the session continues from before it", r)
    finally:
        daemon.close()


def test_kept(tap, user):
    """What a fork has of a session that is closed: it counts, and no guest of another owner is killed for it."""
    name = f"{user.name}: a fork of a closed session"
    daemon = Daemon(user, "--guests-memory", "400m", "--sessions", "20", owners=("many", "one"))
    try:
        session, other = daemon.session(forks=2, owner="many"), daemon.session(owner="one")
        daemon.cell(session, HOLD % 180, owner="many")  # less than its share, so that it can be forked
        fork = (made := daemon.ask("POST", f"/v1/sessions/{session}/fork", owner="many")).get("id")
        if not tap.ok(fork, f"{name}: it is made", made):
            return
        daemon.ask("DELETE", f"/v1/sessions/{session}", owner="many")
        r = daemon.cell(fork, "old = x\n" + HOLD % 70 + "print(len(old) >> 20)", owner="many")
        tap.equal(r.get("stdout"), "70\n180\n", f"{name}: it has 180 MiB of it, and takes 70", r)
        r = daemon.cell(other, HOLD % 170 + LINGER, owner="one")
        tap.ok(r.get("success"), f"{name}: another owner's session, which takes 170 MiB, is not killed for it", short([r]))
        r = daemon.cell(fork, "print(len(x) >> 20)", owner="many")
        tap.ok(is_killed(r), f"{name}: the fork is", short([r]))
    finally:
        daemon.close()


EMPTY = "for i in range(50000): open(f'/tmp/{i}', 'w').close()\nimport os\nos._exit(3)"
SLOWLY = "import time\nx = []\nfor i in range(200): x.append(b'1' * (1 << 20)); time.sleep(0.02)\n"


def test_empty_files(tap, user):
    """Empty files of sessions that are dead have no blocks, but memory."""
    name = f"{user.name}: empty files of dead sessions"
    daemon = Daemon(user, "--guests-memory", "400m", "--sessions", "20", owners=("many", "one"))
    try:
        many, one = [daemon.session(owner="many") for _ in range(6)], daemon.session(owner="one")
        for s in many:
            daemon.cell(s, EMPTY, owner="many", no_check=True)
        r = daemon.cell(one, SLOWLY, owner="one")
        tap.ok(r.get("success"), f"{name}: another owner's cell is not killed for them", short([r]))
    finally:
        daemon.close()


def scores(daemon, session, **more):
    """Those of a session and its forks: a guest sees its own alone."""
    return daemon.cell(session, "print(open('/proc/self/oom_score_adj').read().strip())", **more).get("stdout")


def test_marks(tap, user):
    """Who is marked near the ceiling is as before when there is room again; so is a fork that was made meanwhile."""
    name = f"{user.name}: marks"
    daemon = Daemon(user, "--guests-memory", "400m", "--sessions", "20")
    try:
        session, other = daemon.session(forks=2), daemon.session()
        before = scores(daemon, session)
        daemon.cell(other, HOLD % 315 + LINGER)
        fork = daemon.ask("POST", f"/v1/sessions/{session}/fork").get("id")
        if not directories():
            tap.ok(fork and scores(daemon, fork) == before, f"{name}: without groups there are none")
            return
        marked = wait_for(lambda: scores(daemon, fork) == "1000\n", 10)
        tap.ok(marked, f"{name}: near the ceiling the owner's guests are marked", scores(daemon, fork))
        daemon.ask("DELETE", f"/v1/sessions/{other}")
        for s in (session, fork):
            again = wait_for(lambda s=s: scores(daemon, s) == before, 10)
            tap.ok(again, f"{name}: with room again they are as before", before, scores(daemon, s))
    finally:
        daemon.close()


def directories():
    return [path for top in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup")
            for pid in Daemon.pids for path in glob.glob(f"{top}/**/glovebox-{pid}-*-all", recursive=True)]


def test(tap, user):
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
    test_owners(tap, user)
    test_forks(tap, user)
    test_restarts(tap, user)
    test_restarts(tap, user, "--lock-policy")  # where its files are read before
    test_tried(tap, user)
    test_marks(tap, user)
    test_kept(tap, user)
    test_empty_files(tap, user)
    tap.equal(directories(), [], f"{user.name}: no group is left")
