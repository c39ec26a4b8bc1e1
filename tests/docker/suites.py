# SPDX-License-Identifier: Apache-2.0
"""The suites of other folders, with their programs in containers. A check that fails there must stand in differences.py,
with the reason why a container differs. They take minutes, so each part runs by name alone: tests/docker/run.py suites
(runs, sessions, the judge), commands (more of tests/cli), models (tests/llm), mcp, escapes, bounds (tests/limits),
served (the daemon), cheats."""

import os
import re
import subprocess
import time
from functools import partial

import differences
import program

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECONDS = 1800
LINE = re.compile(r"^(not )?ok \d+ (?:- (?:root: )?(.*?))?(?: ?# SKIP (.*))?$", re.M)
OPTIONS = {"escape": ["--backend", "docker"]}


def run(docker, suite):
    """How it ended, and for each check its name, whether it passed, and why it was skipped."""
    env = {**program.environment(docker.host), "GLOVEBOX_BACKEND": "docker", "SESSION_BACKEND": "docker", "CLI_AS": "root",
           "LIMITS_AS": "root"}
    folder, *words = suite.split()
    done = subprocess.run([os.path.join(TESTS, folder, "run.py"), *OPTIONS.get(folder, ()), *words], env=env, text=True,
                          capture_output=True, timeout=SECONDS)
    return done, [(name or skip, not bad, skip) for bad, name, skip in LINE.findall(done.stdout)]


def compare(tap, docker, suite, expected):
    began, (done, checks) = time.monotonic(), run(docker, suite)
    passed = sum(good and not skip for _, good, skip in checks)
    more = []
    for name in (name for name, good, _ in checks if not good):
        why = differences.reason(expected, name)
        if why:
            tap.skip("%s: %s" % (suite, name), why)
        else:
            more.append(name)
    tap.ok(passed and not more, "%s: %d checks hold in containers" % (suite, passed), *more, done.stderr[-500:])
    tap.note("%s: %.0f s" % (suite, time.monotonic() - began))


def compare_all(tap, docker, table):
    docker.add_more_images()
    for suite, expected in table.items():
        compare(tap, docker, suite, expected)
    tap.equal(docker.containers(), [], "no container is left")


suites = partial(compare_all, table=differences.SUITES)
escapes = partial(compare_all, table=differences.ESCAPES)
bounds = partial(compare_all, table=differences.LIMITS)
served = partial(compare_all, table=differences.SERVED)
commands = partial(compare_all, table=differences.COMMANDS)
models = partial(compare_all, table=differences.MODELS)
mcp = partial(compare_all, table=differences.MCP)
cheats = partial(compare_all, table=differences.CHEATS)
