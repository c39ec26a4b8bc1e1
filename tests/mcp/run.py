#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`glovebox mcp` from outside, in TAP: run.py [PART...]. Both generations of the protocol (eras), each tool (tools),
resources (resources), broken and hostile clients (hostile), many calls at once, progress and cancellation (calls),
how it ends (life), clients' configurations (install), the daemon's /mcp (http). Only by name: the official SDKs (sdk) and the
conformance suite (conformance). $GLOVEBOX names the program (build/glovebox)."""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import calls  # noqa: E402
import conformance  # noqa: E402
import eras  # noqa: E402
import hostile  # noqa: E402
import http_checks  # noqa: E402
import install  # noqa: E402
import life  # noqa: E402
import resources  # noqa: E402
import sdk  # noqa: E402
import tools  # noqa: E402
from procs import own_mounts  # noqa: E402
from tap import run_parts  # noqa: E402

PARTS = {
    "eras": eras.test,
    "tools": tools.test,
    "resources": resources.test,
    "hostile": hostile.test,
    "calls": calls.test,
    "life": life.test,
    "install": install.test,
    "http": http_checks.test,
}

BY_NAME = {"sdk": sdk.test, "conformance": conformance.test}

own_mounts()
sys.exit(run_parts({**PARTS, **BY_NAME}, sys.argv[1:] or list(PARTS)))
