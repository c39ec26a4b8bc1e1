# SPDX-License-Identifier: Apache-2.0
"""The contract of every backend (tests/backends), held against this one."""

import os
import subprocess

import product
from standin import Standin

PROGRAMS = os.path.dirname(os.path.realpath(product.GLOVEBOX))


def test(tap):
    path = os.path.join(product.ROOT, "build", "tests", "backends")
    if not os.path.exists(path):
        return tap.skip("the contract", "needs build/tests/backends (make backends)")
    with Standin() as standin:
        env = product.environment(standin, GLOVEBOX_FETCH=os.path.join(PROGRAMS, "glovebox-fetch"))
        done = subprocess.run([path, "e2b"], capture_output=True, text=True, timeout=120, env=env)
        bad = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
        tap.ok(done.returncode == 0 and not bad and "ok 200 " in done.stdout, "the contract holds", *bad,
               done.stderr[-500:])
        tap.equal(standin.living, [], "and no sandbox is left")
