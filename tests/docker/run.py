#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `docker`, against an engine of the tests' own (engine.py) and against one that is made up (pretender.py).

    tests/docker/run.py [NAME...]    all parts but the long ones, or those named
"""
import importlib
import os
import signal
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import engine  # noqa: E402
from tap import run_parts  # noqa: E402

ALONE = ["errors", "pretence", "pulls", "reach", "stalled"]  # need no engine
NAMES = ["contract", "runs", "limits", "hostile", "sessions", "pauses", "snapshots", "warm", "library", "images", "builds", "ends"]
BY_NAME = {"same": "warm", "packages": "packages", "many": "many", "gvisor": "gvisor",  # take minutes
           **dict.fromkeys(("suites", "commands", "models", "mcp", "escapes", "bounds", "served", "cheats"), "suites")}


def with_engine(name, docker):
    module = importlib.import_module(BY_NAME.get(name, name))

    def test(tap):
        (getattr(module, name) if name in BY_NAME else module.test)(tap, docker)

    test.__module__ = module.__name__
    return test


def skipped(name, reason):
    def test(tap):
        tap.skip(name, reason)

    test.__module__ = "engine"
    return test


def stop(*_):
    """The engine is to be ended, too, which takes a while: a second signal must not cut that short."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit("stopped")


def hear_interrupts():
    """A shell starts what is in the background deaf to Ctrl-C, and the programs under test would be, too."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def main(names):
    signal.signal(signal.SIGTERM, stop)
    hear_interrupts()
    sys.path.insert(0, HERE)
    parts = {name: importlib.import_module(name).test for name in ALONE + ["podman"] if name in names}
    wanted, reason = [n for n in NAMES + list(BY_NAME) if n in names], engine.why_not()
    if not wanted or reason:
        parts.update((n, skipped(n, "needs %s" % reason)) for n in wanted)
        return run_parts(parts)
    try:
        with engine.started() as docker:
            parts.update((n, with_engine(n, docker)) for n in wanted)
            return run_parts(parts)
    except engine.NoEngine as why:
        parts.update((n, skipped(n, "no container engine works here: %s" % why)) for n in wanted)
        return run_parts(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ALONE + NAMES))
