#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random system calls by guests, while the host looks for what they changed. Speaks TAP.

    run.py                 a minute; WALL_SECONDS=3600 for an hour
    WALL_SEED=7 run.py     the calls of an earlier run again

Guests run fuzz.c: in cold jails as root and as an ordinary user, in warm jails, in sessions and in forks of them.
The observer (observer.py) compares settings, mounts, modules, folders, processes, control groups, memory, counters
and the kernel's log before and after. The canaries of tests/escape are there as well.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), name) for name in ("escape", "python")] + [HERE]

import observer  # noqa: E402
from canaries import Canaries, compile_c  # noqa: E402
from cases import Host  # noqa: E402
from neighbours import Neighbour  # noqa: E402
from procs import own_mounts, wait_for  # noqa: E402
from tap import Tap, running  # noqa: E402

SECONDS = int(os.environ.get("WALL_SECONDS", "60"))
SEED = int(os.environ.get("WALL_SEED") or random.randrange(1 << 31))
ROUND_S = 3
LIMITS = ["--memory", "128m", "--disk", "32m", "--pids", "40", "--output-limit", "64k", "--no-check", "--quiet"]
# What other programs on the host may have changed meanwhile.
SLACK_MIB = {"available": 2048, "unreclaimable slab": 192}
SLACK = {"queued signals": 64, "file locks": 64, "pages of TCP": 4096, "segments": 8}


class Fuzz:
    """Rounds of one seed after the other. How many calls guests made, and what went wrong."""

    def __init__(self, host, binary):
        self.host, self.binary, self.rounds, self.calls, self.unheard = host, binary, 0, 0, 0
        self.hosts = [os.readlink("/proc/self/ns/" + name) for name in ("pid", "mnt", "net", "ipc", "uts")]

    def words(self):
        self.rounds += 1
        return ["./fuzz", str(SEED + self.rounds), str(ROUND_S), *self.hosts]

    def run(self, mode, command, env=None):
        with running("%s as %s, round %d" % (" ".join(command[:2]), mode, self.rounds)):
            return self.run_one(mode, command, env)

    def run_one(self, mode, command, env):
        # The program may write anything into its output.
        process = self.host.start(mode, command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        out, err = process.communicate(timeout=120)
        made = re.findall(rb"\nfuzzed (\d+)\n", out)
        self.calls += int(made[-1]) if made else 0
        self.unheard += not made
        return process.returncode, out, err

    def environment(self, canaries):
        for name, value in canaries.environment().items():
            yield from ("--env", "CANARY_%s=%s" % (name, value))

    def cold(self, mode, canaries):
        self.run(mode, ["run", "--no-daemon", "--log", "off", *LIMITS, "--timeout", "10s", *self.environment(canaries),
                        "--file", self.binary, "--lang", "sh", "-c", "exec " + " ".join(self.words())])

    def daemon(self, mode):
        return {"GLOVEBOX_SOCKET": self.host.daemons[mode][0]}

    def warm(self, mode, canaries):
        words = self.words()
        self.run(mode, ["run", *LIMITS, "--timeout", "10s", *self.environment(canaries), "--file", self.binary, "--lang",
                        "python", "-c", "import os; os.execv(%r, %r)" % (words[0], words)], env=self.daemon(mode))

    def session(self, mode, canaries):
        """A cell, and then the same in a fork of the session, if there is one."""
        env = self.daemon(mode)
        limits = [x for x in LIMITS if x != "--quiet"]
        status, out, err = self.run(mode, ["session", "new", "--lang", "python", *limits, "--timeout", "10s",
                                           *self.environment(canaries), "--file", self.binary], env=env)
        self.unheard -= 1
        if status:
            return
        ids = [out.decode().strip()]
        self.cell(mode, ids[0])
        status, out, err = self.run(mode, ["session", "fork", ids[0]], env=env)
        self.unheard -= 1
        if status == 0:
            ids.append(out.decode().strip())
            self.cell(mode, ids[1])
        for one in ids:
            self.run(mode, ["session", "close", one], env=env)
            self.unheard -= 1

    def cell(self, mode, one):
        self.run(mode, ["session", "exec", one, "-c", "import subprocess\nprint(subprocess.run(%r).returncode)"
                        % self.words()], env=self.daemon(mode))


def rounds(fuzz, canaries, until):
    """Every way to run, in turn."""
    while True:
        for mode in fuzz.host.modes:
            for how in (fuzz.cold, fuzz.warm, fuzz.session):
                if time.monotonic() > until:
                    return
                how(mode, canaries[mode])


def check_guests(tap, fuzz, ended):
    tap.ok(fuzz.calls > 500 * SECONDS, "%d system calls in %d rounds, %d of them cut short" %
           (fuzz.calls, fuzz.rounds, fuzz.unheard), "too few calls")
    tap.ok(all(ended), "the daemons ended as they should", ended)


def check_host(tap, before, host):
    wait_for(lambda: not observer.guests() and not list(host.control_groups()))
    now = observer.Look()
    tap.equal(list(before.changed(now)), [], "settings, mounts, modules, folders and our own process are as before")
    tap.equal(list(before.kernel_says(now)), [], "the kernel met no fault of its own")
    tap.equal(list(host.descendants()), [], "no process is left")
    tap.equal(list(host.control_groups()), [], "no control group is left")
    tap.ok(abs(now.offset - before.offset) < 2, "the clock was not set", now.offset - before.offset)
    for name, was in before.counters.items():
        tap.ok(now.counters[name] <= was + SLACK[name], "%s of the host" % name, now.counters[name], "was", was)
    # Memory comes back late: namespaces are freed after a while.
    for name, sign in (("available", 1), ("unreclaimable slab", -1)):
        back = wait_for(lambda n=name, s=sign: s * (observer.memory()[n] - before.memory[n]) > -SLACK_MIB[n], 30)
        tap.ok(back, "memory: %s is as before, within %d MiB" % (name, SLACK_MIB[name]), observer.memory()[name],
               "was", before.memory[name])
    tap.ok(now.memory["huge pages in use"] <= before.memory["huge pages in use"], "no huge page is taken")


def test(tap, scratch):
    host = Host(scratch, os.path.realpath(os.environ.get("GLOVEBOX", HERE + "/../../build/glovebox")), observer.UNPRIVILEGED)
    binary = os.path.join(scratch, "bin", "fuzz")
    why = compile_c(os.path.join(HERE, "fuzz.c"), binary, "-I" + HERE)
    if why:
        tap.ok(False, "the fuzzer can be built", why)
        return
    outside = subprocess.run([binary, "1", "1", "x", "y"], capture_output=True, text=True)
    tap.ok(outside.returncode == 2 and "not inside" in outside.stdout, "it tries nothing outside", outside)
    canaries = {mode: Canaries(os.path.join(scratch, "canary-" + mode), host.uids[mode]) for mode in host.modes}
    neighbours = {mode: Neighbour(lambda a, m=mode, **p: host.start(m, a, **p), None) for mode in host.modes}
    host.start_daemons()
    fuzz = Fuzz(host, binary)
    fuzz.cold(host.modes[0], canaries[host.modes[0]])  # what is made once is there now
    before = observer.Look()
    rounds(fuzz, canaries, time.monotonic() + SECONDS)
    for mode in host.modes:
        tap.equal(canaries[mode].touched(), [], "nothing of the host's was touched as " + mode)
        said = neighbours[mode].close()
        tap.ok(not said, "the other jail as %s is untouched" % mode, said)
    list(host.stop_daemons())
    check_guests(tap, fuzz, [process.returncode == 0 for _, process in host.daemons.values()])
    for one in canaries.values():
        one.close()
    check_host(tap, before, host)


def main():
    own_mounts()
    tap, scratch = Tap(), tempfile.mkdtemp(prefix="glovebox-wall-")
    os.chmod(scratch, 0o755)
    print("# WALL_SEED=%d WALL_SECONDS=%d" % (SEED, SECONDS), flush=True)
    try:
        test(tap, scratch)
    finally:
        for one in list(Canaries.alive):
            one.close()
        shutil.rmtree(scratch, ignore_errors=True)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
