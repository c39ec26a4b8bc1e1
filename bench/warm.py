# SPDX-License-Identifier: Apache-2.0
"""One client: a fresh, isolated Python for each request, out of the pool and on demand, all in turn with a fork
of Python without any wall, whole commands, and other sandboxes."""

import subprocess

import common
import others
from daemon import Daemon

TURNS = 10
PAUSED, BACK, DEMAND = "warm, 5 ms between requests", "warm, one after the other", "on demand (through the library)"
FORK = "fork of a warmed Python, no wall"
BY_DAEMON, ALONE = "glovebox run, by the daemon, whole command", "glovebox run --no-daemon, whole command"
PYTHON, BWRAP, DOCKER = "python3 -I -c, whole command", "bubblewrap, whole command", "docker run, whole command"
READY, ZYGOTE = 'pool_starts_total{from="ready"}', 'pool_starts_total{from="zygote"}'


class Demand:
    """Runs for which no jail waits. A daemon's pool cannot be made to have none, so these come straight through
    the library (bench/warm.c), whose pool keeps one jail, of the wrong kind."""

    def __init__(self):
        self.asked = self.made = 0

    def ms(self, count):
        if self.asked and not self.made:
            return []  # this host has no warm runs
        said = subprocess.run([common.program("bench/warm"), str(count), "1"], check=True, stdout=subprocess.PIPE,
                              env=dict(common.ENV, WARM_DEMAND="1", WARM_TIMES="1")).stdout.split()
        self.asked += count
        self.made += int(said[0])
        return [float(us) / 1e3 for us in said[1:]]


class Meter:
    """Functions that return samples, and how much processor time went by while each was at work."""

    def __init__(self):
        self.makers, self.spent = {}, {}

    def add(self, name, make, cpu_ms):
        """`cpu_ms` tells the time spent so far, or None where nobody knows."""
        def measured():
            before = cpu_ms()
            samples = make()
            if before is not None:
                self.spent[name] = self.spent.get(name, 0) + cpu_ms() - before
            return samples
        self.makers[name] = measured


def commands(daemon):
    """Whole commands beside it: {name: (command, how many a turn)}, and why others are missing."""
    box = [common.BOX, "run", common.ONE]
    found = {BY_DAEMON: (box + ["--daemon", "unix:" + daemon.socket], 5), ALONE: (box + ["--no-daemon"], 5),
             PYTHON: (others.bare(), 5)}
    missing = []
    for name, (command, why), count in ((BWRAP, others.bwrap(), 5), (DOCKER, others.docker(), 1)):
        if command:
            found[name] = (command, count)
        else:
            missing.append(why)
    return found, missing


def through_library():
    """The same without HTTP, straight through the library."""
    for threads in (1, 8):
        said = subprocess.run([common.program("bench/warm"), str(common.ROUNDS * 5), str(threads)], env=common.ENV,
                              stdout=subprocess.PIPE, text=True).stdout
        print("  through the library, %d at a time: %s" % (threads, said.strip()), flush=True)


def warm():
    count = common.ROUNDS * 3 // TURNS
    meter, demand = Meter(), Demand()
    with Daemon() as daemon, others.Bare() as bare:
        run = daemon.body("/v1/run", {"code": "print(1)"})
        daemon.warm_up(run)
        before = daemon.figures()
        meter.add(PAUSED, lambda: daemon.runs(run, count=count, pause_ms=5)["ms"], daemon.accounting.cpu_ms)
        meter.add(BACK, lambda: daemon.runs(run, count=count)["ms"], daemon.accounting.cpu_ms)
        meter.add(DEMAND, lambda: demand.ms(count), lambda: None)
        meter.add(FORK, lambda: bare.ms("fork", count), bare.cpu_ms)
        whole, missing = commands(daemon)
        for name, (command, times) in whole.items():
            meter.add(name, lambda c=command, n=times: [common.spawn(c) for _ in range(n)],
                      common.children_cpu_ms if name in (ALONE, PYTHON) else lambda: None)
        samples = common.in_turns(TURNS, meter.makers)
        after = daemon.figures()
    ready, made = after[READY] - before[READY], after[ZYGOTE] - before[ZYGOTE]
    report(samples, meter.spent, {PAUSED: "%.0f %% of these from the pool" % (100 * ready / max(1, ready + made)),
                                  DEMAND: "%.0f %% really" % (100 * demand.made / max(1, demand.asked))})
    for why in missing:
        common.Table.remark(why)
    through_library()
    budgets(samples)


def report(samples, spent, notes):
    table = common.Table("Warm runs of print(1), one client on the daemon's socket, log on, all in turn",
                         "p50 ms", "p99 ms", "ratio", "cpu ms")
    base = common.p50(samples[FORK])
    for name, ms in samples.items():
        cpu = spent[name] / len(ms) if spent.get(name) else None
        table.row(name, common.p50(ms), common.p99(ms), "%.2f" % (common.p50(ms) / base), cpu, note=notes.get(name, ""))
    table.remark("ratio: of the bare fork; cpu: of all processes, jails that are made for later included")


def budgets(samples):
    def p50(name):
        return common.p50(samples[name])
    fork = p50(FORK)
    rest = ", ".join("%s %s" % (name, common.figure(p50(key))) for name, key in (
        ("bare fork", FORK), ("python3", PYTHON), ("bubblewrap", BWRAP), ("docker", DOCKER)) if key in samples)
    for what, name, goal in (("warm run, from the pool", PAUSED, 0.5), ("  one after the other", BACK, 0.5),
                             ("warm run, on demand", DEMAND, 1.0)):
        met = p50(name) <= goal and common.p99(samples[name]) <= 4
        common.budget(what, "%.1f / 4 ms" % goal, common.pair(samples[name]), met,
                      rest if name == PAUSED else "%.2f x bare fork" % (p50(name) / fork))
    common.budget("glovebox run through the daemon", "5 ms", common.pair(samples[BY_DAEMON]), p50(BY_DAEMON) <= 5,
                  "python3 %s, without a daemon %s" % (common.figure(p50(PYTHON)), common.figure(p50(ALONE))))
