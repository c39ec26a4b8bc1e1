# SPDX-License-Identifier: Apache-2.0
"""The program under test, with this backend."""

import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GLOVEBOX = os.environ.get("GLOVEBOX") or os.path.join(ROOT, "build", "glovebox")
SECONDS = 120


def command(*words):
    return [GLOVEBOX, "run", "--no-daemon", "--log", "off", "--no-check", "--quiet", "--backend", "docker", *words]


def environment(host):
    return {**os.environ, "DOCKER_HOST": host}


def run(host, *words, stdin=b"", **more):
    return subprocess.run(command(*words), input=stdin, capture_output=True, timeout=SECONDS, env=environment(host), **more)


def result(host, *words, stdin=b"", **more):
    """The result's document; {"broken": output} when there is none."""
    done = run(host, "--json", *words, stdin=stdin, **more)
    try:
        if b"Sanitizer" not in done.stderr:
            return json.loads(done.stdout)
    except ValueError:
        pass
    return {"broken": (done.stdout + done.stderr)[-2000:]}


def said(done):
    return "%d %r %r" % (done.returncode, done.stdout[-400:], done.stderr[-400:])
