#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the attacks and checks that each failed, and for the reason it names. See README.md.

    run.py [--glovebox PROGRAM] [--jobs N] [--list] [--backend docker] [NAME...]

Speaks TAP; NAME picks attacks whose file name contains it.
"""
import argparse
import collections
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from canaries import Canaries, compile_c  # noqa: E402
from cases import Host, cases_of  # noqa: E402
from contained import ContainedCase, ContainedNeighbour  # noqa: E402
import headers  # noqa: E402
from neighbours import Neighbour  # noqa: E402

UNPRIVILEGED = 61957  # nobody's; as an ordinary user's uid when we are root


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--glovebox",
                        default=os.environ.get("GLOVEBOX", HERE + "/../../build/glovebox"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="print a table and run nothing")
    parser.add_argument("--warm", action="store_true", default=os.environ.get("ESCAPE_WARM") == "1",
                        help="through a daemon, where a run may be")
    parser.add_argument("--backend", choices=["docker"], help="in containers of the engine at $DOCKER_HOST")
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def print_list(attacks):
    for attack in attacks:
        print("%-28s %-28s %s" % (attack.name, ", ".join(attack.layers), attack.get("source")))
    print("%d attacks; stopped by:" % len(attacks), ", ".join(
        "%s %d" % pair for pair in collections.Counter(a.layers[0] for a in attacks).most_common()))


def build(attacks, scratch):
    """Puts the attacks where an ordinary user can read them: our own folder may be closed to others."""
    folder = os.path.join(scratch, "attacks")
    os.mkdir(folder)
    shutil.copy(os.path.join(HERE, "kit.py"), folder)
    for attack in attacks:
        if attack.extension == ".c":
            attack.binary = os.path.join(scratch, "bin", attack.name)
            attack.why_not = compile_c(attack.path, attack.binary, "-I" + HERE)
        else:
            attack.path = shutil.copy(attack.path, folder)


class Tap:
    def __init__(self):
        self.lock, self.count, self.failed = threading.Lock(), 0, 0

    def line(self, problems, name, skip=None):
        with self.lock:
            self.count += 1
            self.failed += bool(problems)
            print("%sok %d - %s%s" % ("not " if problems else "", self.count, name,
                                      " # SKIP " + skip if skip else ""))
            for problem in problems:
                for text in str(problem).splitlines():
                    print("#   " + text)
            sys.stdout.flush()

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    def done(self):
        print("1..%d" % self.count)
        return 1 if self.failed else 0


class Worker(threading.Thread):
    """Takes cases from the queue; its canaries are its own, so what touched them is known."""

    stopping = threading.Event()

    def __init__(self, number, todo, host, tap):
        super().__init__(daemon=True)
        self.number, self.todo, self.host, self.tap = number, todo, host, tap
        self.canaries, self.made = {}, 0

    def fresh(self, mode):
        self.made += 1
        folder = os.path.join(self.host.scratch, "%d-%s-%d" % (self.number, mode, self.made))
        return Canaries(folder, self.host.uids[mode])

    def run_case(self, case):
        """Without a wall its canaries are used up; and those that were touched, too."""
        if case.mode not in self.host.modes:
            return [], "only root can try this"
        kept = self.canaries.pop(case.mode, None)
        canaries = self.fresh(case.mode) if kept is None or case.bare else kept
        problems, skip = case.run(self.host, canaries)
        if case.bare or problems:
            canaries.close()
            canaries = kept if case.bare else None
        if canaries:
            self.canaries[case.mode] = canaries
        return problems, skip

    def run(self):
        while not self.stopping.is_set():
            try:
                case = self.todo.get_nowait()
            except queue.Empty:
                break
            self.tap.say("# begins " + case.title)  # several at once: each by its own name
            try:
                problems, skip = self.run_case(case)
            except Exception as error:  # a fault of the test itself must not look like success
                problems, skip = ["the test failed: %r" % error], None
            self.tap.line(problems, case.title, skip)
            if not self.stopping.is_set():
                self.tap.say("# ends " + case.title)


def left_over(host):
    """Processes and control groups that outlived their run."""
    for name, pids in (("process", host.descendants()), ("control group", host.control_groups())):
        for one in pids:
            yield "%s %s is left" % (name, one)


def run_all(attacks, host, jobs, tap):
    todo = queue.Queue()
    for attack in attacks:
        for case in [ContainedCase(attack, host.modes[0])] if host.backend else cases_of(attack):
            todo.put(case)
    workers = [Worker(n, todo, host, tap) for n in range(max(jobs, 1))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def start_neighbours(host):
    for mode in host.modes:
        def start(words, **popen):
            return host.start(mode, words, **popen)

        other = ContainedNeighbour(start, None) if host.backend else Neighbour(start, "root")
        host.neighbours[mode] = [Neighbour(start, None), other]


def stop_neighbours(host, tap):
    for mode, both in host.neighbours.items():
        for neighbour in both:
            said = neighbour.close()
            tap.line([said] if said else [], "the neighbour %sas %s is untouched" % (neighbour.kind, mode))


def stop(number, frame):
    """timeout(1) sends it twice: once to us, once to our group."""
    signal.signal(number, signal.SIG_IGN)
    Worker.stopping.set()  # what runs now stays the last that has begun
    sys.exit(128 + number)


def main():
    options = arguments()
    attacks = headers.load(os.path.join(HERE, "attacks"), options.names)
    if options.list:
        print_list(attacks)
        return 0
    scratch = tempfile.mkdtemp(prefix="glovebox-escape-")
    os.chmod(scratch, 0o755)
    tap = Tap()
    signal.signal(signal.SIGTERM, stop)
    try:
        host = Host(scratch, os.path.realpath(options.glovebox), UNPRIVILEGED, options.backend)
        build(attacks, scratch)
        start_neighbours(host)
        if options.warm:
            host.start_daemons()
        run_all(attacks, host, options.jobs, tap)
        stop_neighbours(host, tap)
        for mode, starts in host.stop_daemons():
            warm = starts.get("ready", 0) + starts.get("zygote", 0)
            tap.line([] if warm > 80 or options.names else [str(starts)], "%d attacks as %s were warm" % (warm, mode))
        tap.line(list(left_over(host)), "nothing is left behind")
        if not options.names and not options.backend:
            tap.line(["only %d" % host.proved] if host.proved < 15 else [],
                     "at least 15 attacks succeed where there is no wall (%d)" % host.proved)
    finally:
        Worker.stopping.set()
        for worker in threading.enumerate():
            if isinstance(worker, Worker):
                worker.join()
        for canaries in list(Canaries.alive):
            canaries.close()
        shutil.rmtree(scratch, ignore_errors=True)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
