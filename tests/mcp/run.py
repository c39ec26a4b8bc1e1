#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`glovebox mcp` from outside, in TAP: run.py [PART...]. Both generations of the protocol (eras), each tool (tools),
models that use them badly, and what the list costs (clumsy),
resources (resources), the client's folders (roots), broken and hostile clients (hostile), many calls at once, progress and cancellation (calls),
how it ends (life), clients' configurations (install), the daemon's /mcp (http), `--daemon`, which asks it (daemon).
Only by name: the official SDKs (sdk) and the conformance suite (conformance). $GLOVEBOX names the program (build/glovebox)."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import calls  # noqa: E402
import clumsy  # noqa: E402
import conformance  # noqa: E402
import eras  # noqa: E402
import hostile  # noqa: E402
import http_checks  # noqa: E402
import install  # noqa: E402
import life  # noqa: E402
import resources  # noqa: E402
import roots  # noqa: E402
import sdk  # noqa: E402
import through  # noqa: E402
import tools  # noqa: E402
from procs import own_mounts  # noqa: E402
from tap import run_parts  # noqa: E402

# What takes longest begins first.
PARTS = {
    "calls": calls.test,
    "http": http_checks.test,
    "life": life.test,
    "daemon": through.test,
    "tools": tools.test,
    "clumsy": clumsy.test,
    "roots": roots.test,
    "hostile": hostile.test,
    "resources": resources.test,
    "eras": eras.test,
    "install": install.test,
}


BY_NAME = {"sdk": sdk.test, "conformance": conformance.test}

AT_ONCE = 3  # the parts mostly wait


def part_alone(name):
    return subprocess.run([sys.executable, __file__, name], stdout=subprocess.PIPE, text=True, check=False)


def run_all():
    """Every part in a process of its own; their results under one plan. The exit status."""
    count = failed = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for done in pool.map(part_alone, PARTS):
            failed += done.returncode != 0
            for line in done.stdout.splitlines():
                result = re.match(r"((?:not )?ok) \d+(.*)", line)
                count += bool(result)
                if not line.startswith("1.."):
                    print(f"{result[1]} {count}{result[2]}" if result else line, flush=True)
    print(f"1..{count}")
    return 1 if failed else 0


own_mounts()
sys.exit(run_parts({**PARTS, **BY_NAME}, sys.argv[1:]) if sys.argv[1:] else run_all())
