#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `e2b`, against a stand-in for E2B's service (standin.py).

    tests/e2b/run.py [PART...]    all parts that need only the stand-in, or those named
    tests/e2b/run.py sdk          E2B's own packages against the stand-in, from the registries
    tests/e2b/run.py slow         services that take their time: two minutes
    tests/e2b/run.py real         the protocol's checks against what E2B_API_URL and E2B_SANDBOX_URL name; with
                                  E2B_RECORD=tests/e2b/recorded the conversations are kept there
"""

import concurrent.futures
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import bare  # noqa: E402
import contract  # noqa: E402
import ends  # noqa: E402
import failing  # noqa: E402
import hostile  # noqa: E402
import kodeagent  # noqa: E402
import protocol  # noqa: E402
import recorded  # noqa: E402
import runs  # noqa: E402
import sdk  # noqa: E402
import sessions  # noqa: E402
import tls  # noqa: E402
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
            trial = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--fork",
                                    "true"],
                                   capture_output=True)
            reason = "user namespaces" if trial.returncode else ""
        except FileNotFoundError:
            reason = "unshare"
        test(tap) if not reason else tap.skip(name, "needs " + reason)

    run.__module__ = test.__module__
    return run


TOGETHER = 3
PARTS = {"sessions": sessions.test, "failing": failing.test, "hostile": hostile.test, "ends": ends.test, "runs": runs.test,
         "contract": contract.test, "protocol": own_protocol, "recorded": recorded.test, "bare": bare.test,
         "kodeagent": kodeagent.test, "tls": tls.test}
MORE = {"real": real_protocol, "slow": failing.slow, "sdk": sdk.test}


def alone(name):
    """A part in a process of its own: its lines."""
    done = subprocess.run([sys.executable, os.path.abspath(__file__), name], stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    planned = [line for line in lines if line.startswith("1..")]
    if not planned or (done.returncode and not any(line.startswith("not ok") for line in lines)):
        lines.append("not ok 0 - %s goes to its end" % name)
    return [line for line in lines if not line.startswith("1..")]


def side_by_side(names):
    """Most of their time the parts wait for sandboxes."""
    count, failed = 0, False
    with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        for lines in pool.map(alone, names):
            for line in lines:
                checked = re.match(r"(not )?ok \d+", line)
                count += bool(checked)
                failed |= line.startswith("not ok")
                print(re.sub(r"ok \d+", "ok %d" % count, line, count=1) if checked else line, flush=True)
    print("1..%d" % count)
    return 1 if failed or not count else 0


if __name__ == "__main__":
    parts = {name: with_namespaces(name, test) for name, test in PARTS.items()}
    chosen = sys.argv[1:]
    sys.exit(run_parts({**parts, **MORE}, chosen) if chosen else side_by_side(PARTS))
