# SPDX-License-Identifier: Apache-2.0
"""The contract of every backend (tests/backends), held against this one."""

import os
import subprocess

import program


def test(tap, docker):
    path = os.path.join(program.ROOT, "build", "tests", "backends")
    if not os.path.exists(path):
        tap.skip("the contract", "needs build/tests/backends (make backends)")
        return
    done = subprocess.run([path, "docker"], capture_output=True, text=True, timeout=600,
                          env=program.environment(docker.host))
    bad = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
    tap.ok(done.returncode == 0 and not bad and "ok 20 " in done.stdout, "the contract holds", *bad, done.stderr)
    tap.equal(docker.containers(), [], "and nothing is left")
