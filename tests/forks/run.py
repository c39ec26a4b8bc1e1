#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Forks of sessions, attacked from inside and looked at from the host, in TAP: run.py [PART...]. Who asks for a
fork's namespaces without being asked (gate), forks that are made wrongly (joins), what a fork is (inside), its open
files (files), its disk (copies), what it is shown (views), limits (limits, bounds), crowds (crowds), relatives that are
closed at once (relatives), ends (ends), load (load). $GLOVEBOX names the program. FORKS_AS=user, as root: the daemon is
an ordinary user's."""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE] + [os.path.join(os.path.dirname(HERE), name) for name in ("http", "python")]

import bounds  # noqa: E402
import copies  # noqa: E402
import crowds  # noqa: E402
import ends  # noqa: E402
import files  # noqa: E402
import gate  # noqa: E402
import inside  # noqa: E402
import joins  # noqa: E402
import limits  # noqa: E402
import load  # noqa: E402
import relatives  # noqa: E402
import views  # noqa: E402
from family import Families, no_forks  # noqa: E402
from procs import own_mounts  # noqa: E402
from tap import Tap, run_parts  # noqa: E402

PARTS = {
    "gate": gate.test,
    "joins": joins.test,
    "inside": inside.test,
    "files": files.test,
    "copies": copies.test,
    "views": views.test,
    "limits": limits.test,
    "bounds": bounds.test,
    "crowds": crowds.test,
    "relatives": relatives.test,
    "ends": ends.test,
    "load": load.test,
}


def main():
    own_mounts()
    with Families() as d:
        why = no_forks(d)
    if not why:
        return run_parts(PARTS, sys.argv[1:])
    tap = Tap()
    for part in sys.argv[1:] or PARTS:
        tap.skip(part, "no forks here: " + why)
    return tap.done()


sys.exit(main())
