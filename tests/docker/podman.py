# SPDX-License-Identifier: Apache-2.0
"""The same with Podman's service, on a private socket and with storage of its own. By name alone: tests/docker/run.py
podman."""

import engine
import hostile
import images
import program
import runs
import sessions

PROGRAMS = ("podman", "conmon", "runc")
# These are about dockerd: its facts, and a runtime that its command line adds.
OTHERS = (runs.test_doctor, runs.test_runtime, sessions.test_mcp)


def tests():
    for module in (runs, sessions, hostile):
        yield from (function for name, function in sorted(vars(module).items())
                    if name.startswith("test_") and function not in OTHERS)
    yield from (images.test_dockerfile, images.test_file_alone, images.test_config, images.test_side_by_side)


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
