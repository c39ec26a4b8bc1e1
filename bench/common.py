# SPDX-License-Identifier: Apache-2.0
"""What all parts of the bench share: the programs under test, turns, figures, tables."""

import atexit
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.path.join(ROOT, os.environ.get("BUILD", "build")))
BOX = os.path.join(BUILD, "glovebox")
HELPER = os.path.join(BUILD, "glovebox-jail")
PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")
ROUNDS = max(10, int(os.environ.get("ROUNDS", "100")))
HERE = os.path.join(ROOT, "bench")

sys.path.append(os.path.join(ROOT, "tests", "python"))
from procs import wait_for  # noqa: E402, F401

folder = tempfile.mkdtemp(prefix="glovebox-bench-")
atexit.register(shutil.rmtree, folder, True)
ONE = os.path.join(folder, "one.py")
with open(ONE, "w") as f:
    f.write("print(1)\n")

# Nothing of the user's: neither settings nor log nor a daemon that happens to run.
ENV = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state"), HOME=folder,
           XDG_CONFIG_HOME=os.path.join(folder, "config"), GLOVEBOX_JAIL=HELPER,
           PATH=os.path.dirname(PYTHON) + ":" + os.environ.get("PATH", "/usr/bin:/bin"))
for name in ("XDG_RUNTIME_DIR", "GLOVEBOX_SOCKET", "GLOVEBOX_CONFIG"):
    ENV.pop(name, None)


def program(name):
    """build/NAME, made when it is not there."""
    path = os.path.join(BUILD, name)
    if not os.path.exists(path):
        subprocess.run(["make", "-s", "-C", ROOT, "BUILD=" + BUILD, path], check=True)
    return path


def stop(process, seconds=10):
    """Asks a process of ours to end, twice (a daemon does not wait for anybody then), and sees to it."""
    for end in (process.terminate, process.terminate, process.kill):
        if process.poll() is None:
            end()
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                pass


def remove_empty(top):
    """A folder and all below it that hold nothing but folders, as control groups do."""
    for place, _, _ in os.walk(top, topdown=False):
        try:
            os.rmdir(place)
        except OSError:
            pass


# ---- taking turns, and what comes of it ----

def in_turns(rounds, makers):
    """{name: function that returns samples}, all in turn, so that a drifting machine slows each alike."""
    samples = {name: [] for name in makers}
    for _ in range(rounds):
        for name, make in makers.items():
            samples[name] += make()
    return samples


def quantile(samples, share):
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def p50(samples):
    return quantile(samples, 0.5)


def p99(samples):
    return quantile(samples, 0.99)


def spawn(command, env=None):
    """Milliseconds from a command's start to its end."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
    begin = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, env or ENV, file_actions=quiet)
    _, status = os.waitpid(pid, 0)
    took = (time.perf_counter() - begin) * 1e3
    if status:
        sys.exit("bench: %s failed with status %d" % (" ".join(command), status))
    return took


def cpu_ms(pid, with_children=False):
    """What a process has spent; children count when they were waited for."""
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15 if with_children else 13])) * 1e3 / os.sysconf("SC_CLK_TCK")


def children_cpu_ms():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (use.ru_utime + use.ru_stime) * 1e3


# ---- tables ----

def figure(value, unit=""):
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    digits = 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    return "%.*f%s" % (digits, value, unit)


class Table:
    """Columns of figures behind a name, printed as they come."""

    def __init__(self, title, *columns):
        print("\n%s" % title, flush=True)
        print("  %-48s" % "" + "".join(" %10s" % c for c in columns), flush=True)

    def row(self, name, *values, note=""):
        line = "  %-48s" % name + "".join(" %10s" % figure(v) for v in values)
        print((line + ("  " + note if note else "")).rstrip(), flush=True)

    @staticmethod
    def remark(text):
        print("  (%s)" % text, flush=True)


budgets = []


def budget(what, goal, measured, met, beside=""):
    """A line of the table at the end. `met` is None where there is no budget, or nothing was measured."""
    budgets.append((what, goal, measured, {True: "yes", False: "NO", None: "-"}[met], beside))


def print_budgets():
    if not budgets:
        return
    print("\nBudgets, and what was measured here (p50 / p99)")
    form = "  %-34s %-21s %-26s %-4s %s"
    print(form % ("", "budget", "measured", "met", "beside it in the same run"))
    for row in budgets:
        print((form % row).rstrip())


def pair(samples, unit=" ms"):
    return "%s / %s%s" % (figure(p50(samples)), figure(p99(samples)), unit)
