# SPDX-License-Identifier: Apache-2.0
"""Runs a second through the daemon at 1, 8 and 64 clients, what they cost the processors, and the same on one
processor alone; in turn with forks of Python without any wall and with other sandboxes."""

import os
import time

import cold
import common
import others
from daemon import Daemon

SLICE, TURNS = 1.5, 3
GUESTS = "guest_cpu_seconds_total"


class Load:
    """Slices of one kind of load on a daemon, added up."""

    def __init__(self, daemon, clients):
        self.daemon, self.count = daemon, clients
        self.run = daemon.body("/v1/run", {"code": "print(1)"})
        self.ms, self.seconds, self.own, self.guests, self.all = [], 0, 0, 0, 0

    def read(self):
        return self.daemon.own_cpu_ms(), self.daemon.figures()[GUESTS] * 1e3, self.daemon.accounting.cpu_ms() or 0

    def slice(self):
        own, guests, everything = self.read()
        answer = self.daemon.runs(self.run, clients=self.count, seconds=SLICE)
        after = self.read()
        self.ms += answer["ms"]
        self.seconds += answer["seconds"]
        self.own += after[0] - own
        self.guests += after[1] - guests
        self.all += after[2] - everything
        return []

    def rate(self):
        return len(self.ms) / self.seconds

    def row(self, table, name):
        n = len(self.ms)
        table.row(name, self.rate(), common.p50(self.ms), common.p99(self.ms), self.own / n, self.guests / n,
                  self.all / n if self.all else None)


def forks_for(bare, seconds):
    begin, n = time.monotonic(), 0
    while time.monotonic() < begin + seconds:
        n += len(bare.ms("fork", 20))
    return [n / (time.monotonic() - begin)]


def others_at_work(makers):
    missing = []
    for name, (command, why) in (("bubblewrap, 8 at a time", others.bwrap()),
                                 ("docker run, 8 at a time", others.docker())):
        if command:
            makers[name] = lambda c=command: [cold.commands_for(SLICE, 8, c)]
        else:
            missing.append(why)
    return missing


def throughput():
    last = max(os.sched_getaffinity(0))
    with Daemon() as daemon, Daemon(processor=last) as pinned, others.Bare() as bare, others.Bare(last) as one:
        loads = {"%d client%s" % (n, "s" * (n > 1)): Load(daemon, n) for n in (1, 8, 64)}
        loads["8 clients, daemon on one processor"] = Load(pinned, 8)
        for load in loads.values():
            load.daemon.warm_up(load.run)
        makers = {name: load.slice for name, load in loads.items()}
        makers["forks of a warmed Python, one at a time"] = lambda: forks_for(bare, SLICE)
        makers["the same on one processor"] = lambda: forks_for(one, SLICE)
        missing = others_at_work(makers)
        samples = common.in_turns(TURNS, makers)
    report(loads, {name: sum(rates) / len(rates) for name, rates in samples.items() if rates})
    for why in missing:
        common.Table.remark(why)


def report(loads, rates):
    table = common.Table("Throughput of runs of print(1) on the daemon's socket, log on, all in turn (%d processors)" %
                         os.cpu_count(), "runs/s", "p50 ms", "p99 ms", "cpu daemon", "cpu guest", "cpu all")
    for name, load in loads.items():
        load.row(table, name)
    for name, rate in rates.items():
        table.row(name, rate)
    table.remark("cpu: ms of a processor for each run; all: with jails and zygotes made and taken down")
    budgets(loads, rates)


def budgets(loads, rates):
    one = loads["8 clients, daemon on one processor"].rate()
    fork = rates["the same on one processor"]
    rest = ["bare forks %.0f" % fork] + ["%s %.1f" % (name.split()[0].strip(","), rate)
                                       for name, rate in rates.items() if "at a time" in name and "fork" not in name]
    common.budget("throughput, one processor", "750 runs/s", "%.0f runs/s (%.2f x forks)" % (one, one / fork),
                  one >= 750, ", ".join(rest))
    busiest = loads["64 clients"]
    for name, load in loads.items():
        if "one processor" not in name:
            common.budget("  all processors, " + name, "", "%.0f runs/s" % load.rate(), None)
    own = busiest.own / len(busiest.ms)
    common.budget("processor time of the daemon", "0.3 ms a run", "%.3f ms" % own, own <= 0.3)
