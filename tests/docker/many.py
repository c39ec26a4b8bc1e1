# SPDX-License-Identifier: Apache-2.0
"""200 runs, eight at a time, of which each fifth is killed: nothing is left of any. By name alone: tests/docker/run.py many."""

import concurrent.futures
import glob
import os
import random
import subprocess
import time

import program
from ends import wait_for

RUNS, AT_ONCE = 200, 8


def run(docker, number, seed):
    """Whether it printed its number; None for one that was killed at some moment."""
    process = subprocess.Popen(program.command("-c", "print(%d)" % number), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=program.environment(docker.host))
    if number % 5:
        out, err = process.communicate(timeout=300)
        return out == b"%d\n" % number or (number, out, err)
    time.sleep(seed)
    process.kill()
    process.communicate(timeout=60)
    return None


def many(tap, docker):
    program.run(docker.host, "-c", "1")
    images = len(docker.get("/images/json"))
    chance = random.Random(os.environ.get("DOCKER_SEED", "1"))
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        seeds = [chance.uniform(0, 1.5) for _ in range(RUNS)]
        said = list(pool.map(lambda n: run(docker, n, seeds[n]), range(RUNS)))
    wrong = [s for s in said if s not in (True, None)]
    tap.ok(not wrong and said.count(None) == RUNS // 5, "%d runs, of which each fifth is killed" % RUNS, *wrong[:3])
    program.run(docker.host, "-c", "1")  # removes what was created and never started
    tap.ok(wait_for(lambda: not docker.containers()), "no container is left", docker.containers())
    tap.equal(len(docker.get("/images/json")), images, "nor an image")
    mounts = [line for line in open("/proc/self/mounts") if docker.folder in line and "overlay" in line]
    tap.equal(mounts, [], "nor a mount")
    tap.equal(glob.glob(docker.folder + "/exec/containerd/**/moby/*", recursive=True), [], "nor a process of the engine's for one")
