#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Warm runs from outside, in TAP: run.py [PART...]. That a warm run gives what a cold one gives (same.py, others.py, modules.py), wherever its
Python is (places.py), that it shares nothing with the runs beside and before it (apart.py, networks.py, users.py), and that nothing stays
(stays.py). $WARM_FEED names the program that runs them (build/tests/warm-feed)."""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import apart  # noqa: E402
import modules  # noqa: E402
import networks  # noqa: E402
import others  # noqa: E402
import places  # noqa: E402
import same  # noqa: E402
import stays  # noqa: E402
import users  # noqa: E402
from procs import own_mounts  # noqa: E402
from tap import run_parts  # noqa: E402

PARTS = {"same": same.test, "others": others.test, "modules": modules.test, "places": places.test, "apart": apart.test, "networks": networks.test,
         "users": users.test, "stays": stays.test}


own_mounts()
sys.exit(run_parts(PARTS, sys.argv[1:]))
