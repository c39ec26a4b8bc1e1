# SPDX-License-Identifier: Apache-2.0
"""Containers with gVisor (`--runtime runsc`), a kernel of its own: what works there and what is said of the rest. Debian's
package is runsc. By name alone: tests/docker/run.py gvisor."""

import program

THREADS = """
import threading, time
all = [threading.Thread(target=time.sleep, args=(0.3,)) for _ in range(40)]
for t in all: t.start()
for t in all: t.join()
print("done")
"""
PROCESSES = """
import subprocess
all = [subprocess.Popen(["/usr/bin/sleep", "0.3"]) for _ in range(50)]
print([p.wait() for p in all] == [0] * 50)
"""
FORKS = "import os\nwhile True: os.fork()"


def result(docker, *words):
    return program.result(docker.host, "--runtime", "runsc", *words)


def gvisor(tap, docker):
    if "runsc" not in docker.get("/info")["Runtimes"]:
        return tap.skip("gVisor", "needs the program runsc (Debian: runsc)")
    for n in range(4):
        for name, code in (("threads", THREADS), ("processes", PROCESSES)):
            r = result(docker, "-c", code)
            tap.ok(r.get("success"), "%s, time %d" % (name, n + 1), r.get("exit_code"), r.get("stderr"), r.get("broken"))
    r = result(docker, "--cpu-time", "1s", "-c", "while True: pass")
    tap.ok(r.get("timed_out") and r.get("cpu_ms", 0) >= 900, "processor time is counted, and limited", r)
    r = result(docker, "--timeout", "20s", "-c", FORKS)
    tap.ok(r.get("success") is False and not docker.containers(), "a flood of forks ends", r)
    missing = [m["layer"] for m in r.get("missing", [])]
    tap.ok({"memory", "pids"} <= set(missing), "limits that cannot be verified are named", missing)
    for option in ("--memory=64m", "--pids=9", "--cpus=1"):
        done = program.run(docker.host, "--runtime", "runsc", option, "-c", "1")
        tap.ok(done.returncode == 125 and b"missing at backend docker" in done.stderr, "%s is refused" % option, program.said(done))
    tap.equal(docker.containers(), [], "no container is left")
