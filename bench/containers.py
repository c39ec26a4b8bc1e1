# SPDX-License-Identifier: Apache-2.0
"""Runs in containers: as a whole command without a daemon, and in one that waits, through a daemon and the library. The engine
and its image are those of the tests."""

import os
import shutil
import sys
import time

import common
from daemon import Daemon

sys.path.append(os.path.join(common.ROOT, "tests", "docker"))
import engine  # noqa: E402
from library import alive, handle  # noqa: E402

BESIDE = "docker run --rm --network none, whole command"
COLD, WARM = "glovebox run --no-daemon, whole command", "warm, through the daemon"
SESSION, LIBRARY = "a session opens, through the daemon", "warm, through the library"
MADE_SECONDS = 20  # at most, until the next container waits


def ready(daemon):
    return common.wait_for(lambda: daemon.figures()["pool_ready"] >= 2, MADE_SECONDS)


def warm_run(daemon):
    ready(daemon)
    status, doc, took = daemon.ask("POST", "/v1/run", {"code": "print(1)"})
    if status != 200 or not doc["success"]:
        raise SystemExit("bench: a run failed: %s" % doc)
    return [took]


def session(daemon):
    ready(daemon)
    begin = time.perf_counter()
    path = daemon.session()
    took = (time.perf_counter() - begin) * 1e3
    daemon.ask("DELETE", path)
    return [took]


def library(docker, count):
    """With one handle, when a container waits: it is alone then, and its interpreter has started."""
    samples = []
    with handle(docker) as box:
        box.run()
        for _ in range(count):
            common.wait_for(lambda: len(alive(docker)) == 1, MADE_SECONDS)
            time.sleep(0.5)
            doc, ms = box.tell("print(1)")
            if not doc["success"]:
                raise SystemExit("bench: a run failed: %s" % doc)
            samples.append(ms)
    return samples


def containers():
    why = engine.why_not()
    if why:
        print("\nContainers: needs " + why)
        return
    try:
        measure()
    except engine.NoEngine as why_not:
        print("\nContainers: no engine works here: %s" % why_not)


def measure():
    count = max(10, common.ROUNDS // 5)
    with engine.started() as docker:
        common.ENV["DOCKER_HOST"] = docker.host
        command = [common.BOX, "run", "--no-daemon", "--log", "off", "--backend", "docker", common.ONE]
        common.spawn(command)  # makes the image
        with Daemon("--backend", "docker") as daemon:
            daemon.ask("POST", "/v1/run", {"code": "pass"})
            daemon.ask("DELETE", daemon.session())
            makers = {COLD: lambda: [common.spawn(command)], WARM: lambda: warm_run(daemon), SESSION: lambda: session(daemon)}
            if shutil.which("docker"):
                beside = ["docker", "-H", docker.host, "run", "--rm", "--network", "none", engine.IMAGE, "python3", "-I",
                          "-c", "print(1)"]
                makers = {BESIDE: lambda: [common.spawn(beside)], **makers}
            samples = common.in_turns(count, makers)
        samples[LIBRARY] = library(docker, count)
        report(samples)


def report(samples):
    table = common.Table("Runs of print(1) in containers, one after the other, when a container waits", "p50 ms", "p99 ms")
    for name, ms in samples.items():
        table.row(name, common.p50(ms), common.p99(ms))
    for name in (WARM, LIBRARY):
        common.budget("run in a container, " + name, "30 ms", common.pair(samples[name]), common.p50(samples[name]) <= 30, "")
