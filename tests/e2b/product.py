# SPDX-License-Identifier: Apache-2.0
"""The program under test, with this backend."""

import json
import os
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GLOVEBOX = os.environ.get("GLOVEBOX") or os.path.join(ROOT, "build", "glovebox")
SECONDS = 60


def command(*words):
    return [GLOVEBOX, "run", "--no-daemon", "--log", "off", "--no-check", "--quiet", "--backend", "e2b", *words]


def environment(standin, **more):
    own = {k: v for k, v in os.environ.items() if not k.startswith("E2B_") and not k.lower().endswith("_proxy")}
    return {**own, **standin.variables(), **more}


def run(standin, *words, stdin=b"", env=None, **more):
    return subprocess.run(command(*words), input=stdin, capture_output=True, timeout=SECONDS,
                          env=environment(standin, **(env or {})), **more)


def result(standin, *words, stdin=b"", **more):
    """The result's document; {"broken": output} when there is none."""
    done = run(standin, "--json", *words, stdin=stdin, **more)
    try:
        if b"Sanitizer" not in done.stderr:
            return json.loads(done.stdout)
    except ValueError:
        pass
    return {"broken": (done.stdout + done.stderr)[-2000:]}


def begin(standin, *words):
    """A run that has printed its first line."""
    process = subprocess.Popen(command(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE,
                               env=environment(standin))
    return process, process.stdout.readline()


def glovebox(standin, *words, stdin=b"", **more):
    return subprocess.run([GLOVEBOX, *words], input=stdin, capture_output=True, timeout=SECONDS,
                          env=environment(standin),
                          **more)


def repl(standin, cells, *words, lang="python"):
    done = glovebox(standin, "repl", "--no-daemon", "--log", "off", "--no-check", "--quiet", "--backend", "e2b",
                    "--lang",
                    lang, *words, stdin="\n%%\n".join(cells).encode())
    return done.stdout.decode(), done.stderr.decode()


def wait_for(condition, seconds=20):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def said(done):
    return "%d %r %r" % (done.returncode, done.stdout[-400:], done.stderr[-400:])
