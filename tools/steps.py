# SPDX-License-Identifier: Apache-2.0
"""Runs steps side by side, as far as they allow it, and reports each as it begins and ends. For tools/check."""

import os
import re
import shlex
import signal
import subprocess
import time
from typing import NamedTuple

NICE = ["nice", "-n", "10"]
SHOWN_LINES = 200  # of the log of a step that failed


class Step(NamedTuple):
    name: str
    lane: str  # "work" keeps the processors busy and has no deadlines; "wait" mostly waits, and has some
    needs: tuple  # steps that must have succeeded
    command: list
    env: dict = {}
    seed: tuple = ()  # a variable that repeats the step's random choices, and how the log names its value


def conflicts(apart):
    """{frozenset of two names} of {name: (others, reason)}."""
    return {frozenset((name, other)) for name, (others, _) in apart.items() for other in others if other != name}


def closure(steps, names):
    """The named steps and all that they need, in the order of the table."""
    by_name, wanted, todo = {s.name: s for s in steps}, set(), list(names)
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo += by_name[name].needs
    return [s for s in steps if s.name in wanted]


def read_totals(path, passed):
    """(passed, failed, skipped) of a step, and whether it spoke TAP. A step that did not is one check."""
    try:
        with open(path) as f:
            rows = [[int(word) for word in line.split()] for line in f]
    except FileNotFoundError:
        rows = []
    if not rows:
        return (1, 0, 0) if passed else (0, 1, 0), False
    totals = [sum(column) for column in zip(*rows)]
    if not passed and not totals[1]:
        totals[1] = 1  # it failed otherwise
    return tuple(totals), True


class Runner:
    """`lanes` says how many steps of each lane may run at once, `apart` which ones never do, `again` how a person
    repeats a step."""

    def __init__(self, steps, lanes, apart, logs, again, environment=None):
        self.waiting, self.lanes, self.apart, self.logs, self.again = list(steps), lanes, apart, logs, again
        self.environment = environment or {}
        self.running, self.good, self.totals, self.failed, self.left_out = {}, set(), {}, [], []
        self.unsteady = []
        self.chosen = {s.name for s in steps}

    def log(self, step):
        return os.path.join(self.logs, step.name + ".log")

    def tap(self, step):
        return os.path.join(self.logs, step.name + ".tap")

    # ---- starting ----

    def may_start(self, step):
        others = [s for s, _, _ in self.running.values()]
        return (all(n in self.good for n in step.needs)
                and sum(s.lane == step.lane for s in others) < self.lanes[step.lane]
                and not any(frozenset((step.name, s.name)) in self.apart for s in others))

    def start(self, step):
        if os.path.exists(self.tap(step)):
            os.unlink(self.tap(step))
        env = {**os.environ, **self.environment, **step.env, "TAP_TOTALS": self.tap(step)}
        nice = NICE if step.lane == "work" and self.running else []
        with open(self.log(step), "w") as log:
            process = subprocess.Popen([*nice, *step.command], stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT, env=env, start_new_session=True)
        self.running[process.pid] = step, process, time.monotonic()
        print(f"begins        {step.name}", flush=True)

    def start_some(self):
        for step in list(self.waiting):
            if any(n in self.failed + self.left_out for n in step.needs):
                self.waiting.remove(step)
                self.left_out.append(step.name)
            elif self.may_start(step):
                self.waiting.remove(step)
                self.start(step)

    # ---- ending ----

    def wait(self):
        pid, status, usage = os.wait4(-1, 0)
        if pid in self.running:
            step, process, began = self.running.pop(pid)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.report(step, process.returncode == 0, time.monotonic() - began,
                        usage.ru_utime + usage.ru_stime)

    def report(self, step, passed, seconds, processor):
        totals, spoke = read_totals(self.tap(step), passed)
        self.totals[step.name] = totals
        (self.good.add if passed else self.failed.append)(step.name)
        said = "%d passed, %d failed, %d skipped" % totals if spoke else ""
        print(f"{'ok' if passed else 'FAIL':4} {seconds:4.0f} s  {step.name:14} {processor:4.0f} s of processor  {said}".rstrip())
        with open(self.log(step), errors="replace") as f:
            lines = f.read().splitlines()
        if passed:
            shown = ["       " + line for line in lines if line.startswith(("skip ", "note: "))]
        else:
            shown = ["    | " + line for line in lines if not line.startswith("ok ")][-SHOWN_LINES:]
            shown.append("again alone:  " + self.command_for(step))
        print("".join(line + "\n" for line in shown), end="", flush=True)

    def command_for(self, step):
        name, pattern = step.seed or ("", "")
        found = []
        if name:
            with open(self.log(step), errors="replace") as f:
                found = re.findall(pattern, f.read())[:1]
        return self.again(step.name, {name: value for value in found})

    # ---- the story ----

    def run(self):
        """Whether all went well. {name: (passed, failed, skipped)} is in `totals` then."""
        try:
            while self.waiting or self.running:
                self.start_some()
                if self.running:
                    self.wait()
        finally:
            self.stop()
        for name in self.left_out:
            print(f"not run       {name}, which needs one that failed")
        return not self.failed

    def try_again(self, steps):
        """Runs steps that failed once more, one after the other, with nothing beside them. A step that passes now is
        `unsteady`; the log of its failure is kept."""
        for step in steps:
            self.failed.remove(step.name)
            os.replace(self.log(step), os.path.join(self.logs, step.name + ".first.log"))
            self.start(step)
            while self.running:
                self.wait()
            if step.name in self.good:
                self.unsteady.append(step.name)

    def stop(self):
        """Those that still run when we are interrupted; they clean up when they are asked to stop. Each began a session
        of its own, in which timeout(1) makes groups of its own."""
        for pid in self.running:
            for member in members(pid):
                os.kill(member, signal.SIGTERM)
        for pid in self.running:
            os.waitpid(pid, 0)


def members(session):
    """The processes of a session."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(name)) == session:
                yield int(name)
        except ProcessLookupError:
            pass


def shell_words(variables, words):
    return " ".join([f"{name}={shlex.quote(value)}" for name, value in variables.items()] + [shlex.quote(w) for w in words])
