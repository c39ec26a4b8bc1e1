# SPDX-License-Identifier: Apache-2.0
"""The same with Podman's service, on a private socket and with storage of its own. By name alone: tests/docker/run.py
podman."""

import contract
import engine
import hostile
import images
import limits
import pauses
import program
import runs
import sessions
import snapshots
import warm

PROGRAMS = ("podman", "conmon", "runc")
# These are about dockerd: its facts, and a runtime that its command line adds.
OTHERS = (runs.test_doctor, runs.test_runtime, sessions.test_mcp, images.test_clean,
          # Its builds fail in other words, know RUN --mount, and its tmpfs has no limit for the number of files.
          images.test_failed, limits.test_inodes)
PARTS = (runs, sessions, hostile, limits, images, pauses, snapshots, warm, contract)


def tests():
    for module in PARTS:
        found = [function for name, function in vars(module).items() if name.startswith("test_")]
        yield from (function for function in found or [module.test] if function not in OTHERS)


def test_clean(tap, podman):
    done = program.subprocess.run([program.GLOVEBOX, "doctor", "--clean"], capture_output=True, timeout=60,
                                  env=program.environment(podman.host))
    tap.ok(done.returncode == 0 and not images.built(podman), "doctor --clean removes what was built", program.said(done))


def test(tap):
    reason = engine.why_not(PROGRAMS)
    if reason:
        tap.skip("podman", "needs %s" % reason)
        return
    try:
        with engine.started(engine.Podman) as podman:
            for function in [*tests(), test_clean]:
                function(tap, podman)
            tap.equal(podman.containers(), [], "no container is left")
    except engine.NoEngine as why:
        tap.skip("podman", "no service of Podman's works here: %s" % why)
