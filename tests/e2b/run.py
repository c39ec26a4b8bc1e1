#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `e2b`, against a stand-in for E2B's service (standin.py).

    tests/e2b/run.py [PART...]    all parts that need only the stand-in, or those named
    tests/e2b/run.py slow         services that take their time: two minutes
    tests/e2b/run.py real         the protocol's checks against what E2B_API_URL and E2B_SANDBOX_URL name; with
                                  E2B_RECORD=tests/e2b/recorded the conversations are kept there
"""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import failing  # noqa: E402
import protocol  # noqa: E402
import recorded  # noqa: E402
import runs  # noqa: E402
from client import Client  # noqa: E402
from standin import Standin  # noqa: E402
from tap import run_parts  # noqa: E402


def own_protocol(tap):
    """What the other parts rely on: the stand-in answers as the real servers do."""
    with Standin() as standin:
        protocol.test(tap, Client(standin.url, standin.key))
        tap.equal(standin.living, [], "no sandbox is left")


def real_protocol(tap):
    names = ("E2B_API_URL", "E2B_API_KEY", "E2B_SANDBOX_URL")
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        return tap.skip("the real servers", "needs " + ", ".join(missing))
    client = Client(*(os.environ[name] for name in names))
    folder = os.environ.get("E2B_RECORD")
    for name, test in protocol.TESTS.items():
        del client.log[:]
        test(tap, client)
        if folder:
            recorded.write(os.path.join(folder, name + ".json"), client)


def with_namespaces(name, test):
    """A sandbox of the stand-in is made of them."""
    def run(tap):
        try:
            trial = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "true"],
                                   capture_output=True)
            reason = "user namespaces" if trial.returncode else ""
        except FileNotFoundError:
            reason = "unshare"
        test(tap) if not reason else tap.skip(name, "needs " + reason)

    run.__module__ = test.__module__
    return run


PARTS = {"protocol": own_protocol, "recorded": recorded.test, "runs": runs.test, "failing": failing.test}
MORE = {"real": real_protocol, "slow": failing.slow}

if __name__ == "__main__":
    chosen = sys.argv[1:]
    parts = {name: with_namespaces(name, test) for name, test in PARTS.items()}
    sys.exit(run_parts({**parts, **MORE}, chosen or PARTS))
