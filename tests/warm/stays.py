# SPDX-License-Identifier: Apache-2.0
"""What is left on the host, what a pool survives, and what it costs to keep."""

import os
import shutil
import signal
import time

from feed import Feed
from procs import PATIENCE, descriptors, mounts, wait_for


def below(pid):
    """Every process below this one."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as f:
                    fields = f.read().rpartition(")")[2].split()
                parents[int(name)] = int(fields[1])
            except (OSError, IndexError):
                pass
    found, more = set(), {pid}
    while more:
        more = {p for p, parent in parents.items() if parent in more} - found
        found |= more
    return found


def groups():
    """Directories of control groups that are ours, by name."""
    found = set()
    for top, folders, _ in os.walk("/sys/fs/cgroup"):
        found |= {f for f in folders if f.startswith("glovebox-")}
        if top.count("/") > 6:
            folders.clear()
    return found


def newest_group(pid):
    """The highest number among those of this process: they are counted as they are made."""
    return max((int(name.rpartition("-")[2]) for name in groups() if name.startswith("glovebox-%d-" % pid)), default=0)


def gone(pids, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        alive = [p for p in pids if os.path.exists("/proc/%d" % p)]
        if not alive:
            return []
        time.sleep(0.05)
    return alive


def test_close(tap):
    before, mounted = groups(), mounts()
    feed = Feed()
    tap.ok(feed.warm_up(PATIENCE), "one becomes ready", feed.stats())
    feed.ask(many=50, threads=4, code="pass")
    pids, pid = below(feed.process.pid), feed.process.pid
    tap.equal(feed.close(), 0, "the pool is closed")
    tap.equal(gone(pids), [], "no process stays")
    tap.equal({g for g in groups() - before if "-%d-" % pid in g}, set(), "no control group stays")
    tap.equal(mounts(), mounted, "no mount stays")


def test_kill(tap):
    feed = Feed()
    feed.warm_up(PATIENCE)
    feed.process.stdin.write('{"many": 1000, "threads": 4, "code": "import time; time.sleep(0.05)"}\n')
    feed.process.stdin.flush()
    pid, seen = feed.process.pid, [[]]
    wait_for(lambda: seen.append(below(pid)) or len(seen[-1]) > 4)
    pids = seen[-1]
    os.kill(pid, signal.SIGKILL)
    feed.process.wait()
    tap.ok(len(pids) > 4, "it had processes", pids)
    tap.equal(gone(pids), [], "killed under load, it leaves no process")
    with Feed() as other:
        other.run("pass", warm=False)  # sweeps
        tap.equal({g for g in groups() if "-%d-" % pid in g}, set(), "and the next run removes its control groups")


def zygotes(feed):
    found = []
    for pid in below(feed.process.pid):
        try:
            with open("/proc/%d/cmdline" % pid, "rb") as f:
                if b"at_start = set(sys.modules)" in f.read():
                    found.append(pid)
        except OSError:
            pass
    return found


def test_zygote_dies(tap):
    with Feed() as feed:
        feed.warm_up(PATIENCE)
        for pid in zygotes(feed):
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
        results = [feed.run("print(1)") for _ in range(5)]
        tap.ok(all(r["success"] for r in results), "runs go on when the zygote was killed", *[r["error"] for r in results])
        tap.ok(feed.warm_up(PATIENCE), "and there is a new one", feed.stats())
        tap.ok(feed.stats()["died"] >= 1, "which is told", feed.stats())


def test_renewal(tap):
    with Feed(forks=20) as feed:
        feed.warm_up(PATIENCE)
        answer = feed.ask(many=200, threads=2, code="pass")
        tap.equal(answer["failed"], 0, "200 runs while zygotes are renewed after 20 each")
        tap.ok(feed.stats()["renewed"] >= 3, "they were", feed.stats())


def open_beside(feed):
    """Descriptors but for those of jails that wait, six each."""
    return descriptors(feed.process.pid) - 6 * feed.stats()["ready"]


def memory_kib(pid):
    with open("/proc/%d/status" % pid) as f:
        return int([line for line in f if line.startswith("VmRSS")][0].split()[1])


def test_growth(tap):
    runs = int(os.environ.get("WARM_RUNS") or 1000)
    with Feed() as feed:
        feed.warm_up(PATIENCE)
        feed.ask(many=300, threads=4, code="print(1)")
        pid = feed.process.pid
        open_before, before = open_beside(feed), memory_kib(pid)
        answer = feed.ask(many=runs, threads=4, code="print(1)")
        tap.equal(answer["failed"], 0, "%d runs" % runs)
        # One that is being made has some as well.
        tap.ok(wait_for(lambda: open_beside(feed) <= open_before + 6), "no descriptors are lost", open_before, open_beside(feed))
        tap.ok(wait_for(lambda: memory_kib(pid) <= before + 2048 + runs // 100), "no memory is lost", before, memory_kib(pid))
        if os.path.exists("/sys/fs/cgroup/pids/tasks") and (os.geteuid() == 0 or newest_group(pid)):
            made = newest_group(pid)
            tap.ok(0 < made < runs // 2, "groups are used again", made)
        else:
            tap.skip("groups are used again", "no control groups of version 1, the only ones that are kept")


JS = {"language": "javascript"}


def until(feed, seconds=PATIENCE, **wanted):
    """Until the pool says this."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        stats = feed.stats()
        if all(stats[k] == v for k, v in wanted.items()):
            return True
        time.sleep(0.05)
    return False


def test_waiting(tap):
    """What waits without a zygote."""
    if not shutil.which("node", path="/usr/bin:/usr/local/bin:/bin"):
        tap.skip("interpreters that wait", "needs node")
        return
    before = groups()
    feed = Feed(ready=3)
    feed.run("1", **JS)
    tap.ok(until(feed, ready=1), "one node waits after the first run", feed.stats())
    feed.run("true", language="bash")
    tap.ok(until(feed, ready=2), "and a jail for bash", feed.stats())
    answer = feed.ask(many=30, threads=3, code="console.log(1)", **JS)
    tap.equal(answer["failed"], 0, "more at once than wait")
    tap.ok(until(feed, ready=3), "more wait when some were missed, as many as may", feed.stats())
    pids, pid = below(feed.process.pid), feed.process.pid
    for one in pids:
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            pass
    tap.equal(gone(pids), [], "all are killed")
    results = [feed.run("console.log(1)", **JS) for _ in range(3)]
    tap.ok(all(r["success"] and r["stdout"] == "1\n" for r in results), "and runs go on", *results)
    pids = below(pid)
    tap.equal(feed.close(), 0, "the pool is closed")
    tap.equal(gone(pids), [], "no process stays")
    tap.equal({g for g in groups() - before if "-%d-" % pid in g}, set(), "no control group stays")


def test_places(tap):
    """A kind that is new gets the place of one that is not asked for."""
    with Feed(ready=1) as feed:
        feed.run("true", language="bash")
        tap.ok(until(feed, ready=1), "one waits", feed.stats())
        feed.run("true", language="sh")
        time.sleep(0.2)
        tap.ok(until(feed, ready=1), "never more than may", feed.stats())
        end = time.monotonic() + PATIENCE  # the one that waited may still be the old kind's
        while (taken := feed.run("true", language="sh")["taken"]) != "ready" and time.monotonic() < end:
            time.sleep(0.1)
        tap.equal(taken, "ready", "the new kind has the place", feed.stats())
        tap.equal(feed.run("true", language="bash")["taken"], "cold", "which the old one lost", feed.stats())


def test_memory(tap):
    """What waits is bounded in bytes as well."""
    for memory, more in ((0, True), (100 << 10, False)):
        with Feed(memory=memory) as feed:
            feed.run("true", language="bash")
            tap.ok(until(feed, ready=1), "the first is made before it is known what they hold", feed.stats())
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end and not feed.stats()["memory"]:
                time.sleep(0.05)
            held = feed.stats()["memory"]
            tap.ok(held > 100 << 10, "then it is looked at", held)
            tap.equal(feed.run("true", language="bash")["taken"], "ready", "it is taken")
            tap.equal(until(feed, seconds=PATIENCE if more else 2, ready=1), more, "another one is made" if more else "no other is made",
                      feed.stats())


def test_zygotes(tap):
    """Zygotes, too: those that nobody asked for longest go."""
    kinds = [{"disk": n << 20} for n in (40, 41, 42)]
    for memory, kept in ((0, 3), (9 << 20, 1)):
        with Feed(memory=memory) as feed:
            tap.ok(all(feed.warm_up(PATIENCE, **kind) for kind in kinds), "each kind has one when it is asked for", feed.stats())
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end and feed.stats()["zygotes"] != kept:
                time.sleep(0.1)
            stats = feed.stats()
            tap.equal(stats["zygotes"], kept, "%d of them stay" % kept, stats)
            tap.ok(stats["memory"] >= kept * (2 << 20), "what they hold is told", stats)
            tap.ok(feed.warm_up(PATIENCE, **kinds[0]), "who went can come back", feed.stats())


def test(tap):
    test_waiting(tap)
    test_zygotes(tap)
    test_places(tap)
    test_memory(tap)
    test_close(tap)
    test_kill(tap)
    test_zygote_dies(tap)
    test_renewal(tap)
    test_growth(tap)
