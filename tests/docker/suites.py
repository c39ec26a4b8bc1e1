# SPDX-License-Identifier: Apache-2.0
"""The suites of other folders, with their programs in containers: runs, sessions, the judge (more of sessions: `jails` in
sessions.py). A check that fails there must stand in the table below, with the reason why a container differs. Takes minutes,
so by name alone: tests/docker/run.py suites."""

import os
import re
import subprocess

import program

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECONDS = 1200
FAILED = re.compile(r"^not ok \d+ - (?:root: )?(.*)$", re.M)
PASSED = re.compile(r"^ok \d+", re.M)

NO_LANGUAGE = "the tests' engine has images for Python and Bash alone"
NO_PROGRAM = "the image has not this program, or no time zones"
SUITES = {  # with the checks that fail, and why
    "session ends": {"... in JavaScript": NO_LANGUAGE},
    "session guard": {},
    "session languages": {},
    "session hostile": {},
    "cli run.": {},
    "cli stream.": {},
    "cli suite.": {},
    "cli env.": {"env.scrubbed: only variables of ours": "the engine sets HOSTNAME",
                 "env.scrubbed: nor in /proc": NO_PROGRAM, "env.scrubbed: nor in js": NO_LANGUAGE,
                 "env.scrubbed: nor in r": NO_LANGUAGE, "env.given: TZ": NO_PROGRAM},
    "cli judge.": {"judge.times_of_a_busy_host: each has the time that it took": "the first case has the container's start",
                   **dict.fromkeys(("judge.killed_from_outside: test: killed from outside", "judge.killed_from_outside: no verdict",
                                    "judge.killed_from_outside: run: killed from outside"),
                                   "a guest is no descendant of glovebox, which the test looks for")},
}


def compare(tap, docker, suite, expected):
    """Runs a suite as it is, but for the backend."""
    env = {**program.environment(docker.host), "GLOVEBOX_BACKEND": "docker", "SESSION_BACKEND": "docker", "CLI_AS": "root"}
    folder, *words = suite.split()
    done = subprocess.run([os.path.join(TESTS, folder, "run.py"), *words], env=env, capture_output=True, text=True, timeout=SECONDS)
    failed, passed = FAILED.findall(done.stdout), len(PASSED.findall(done.stdout))
    more = [name for name in failed if name not in expected]
    tap.ok(passed and not more, "%s: %d checks hold in containers, %d differ as expected" % (suite, passed, len(failed) - len(more)),
           *more, done.stderr[-500:])


def suites(tap, docker):
    for suite, expected in SUITES.items():
        compare(tap, docker, suite, expected)
    tap.equal(docker.containers(), [], "no container is left")
