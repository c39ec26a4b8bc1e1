#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The daemon from outside, in TAP: run.py [PART...]. Every address (api, sessions), cells that ask (asks), every setting
through every door (settings), what is refused
(refused), what is read before it runs (promises), broken and hostile clients (protocol), crowds (crowd), ends that are seen late (late), tokens
(tokens) and what each may have (shares), its description (openapi), a profile through every door (profiles), its life from start to SIGKILL (life), its memory (memory),
its logs (logs), in the background (background), the code of docs/http.md (documents), generated clients (clients).
$GLOVEBOX names the program (build/glovebox)."""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import api  # noqa: E402
import asks  # noqa: E402
import background  # noqa: E402
import clients  # noqa: E402
import crowd  # noqa: E402
import documents  # noqa: E402
import late  # noqa: E402
import life  # noqa: E402
import logs  # noqa: E402
import memory  # noqa: E402
import openapi  # noqa: E402
import profiles  # noqa: E402
import promises  # noqa: E402
import protocol  # noqa: E402
import refused  # noqa: E402
import sessions  # noqa: E402
import settings  # noqa: E402
import shares  # noqa: E402
import tokens  # noqa: E402
import wording  # noqa: E402
from procs import own_mounts  # noqa: E402
from tap import run_parts  # noqa: E402

PARTS = {
    "api": api.test,
    "sessions": sessions.test,
    "asks": asks.test,
    "settings": settings.test,
    "wording": wording.test,
    "refused": refused.test,
    "promises": promises.test,
    "protocol": protocol.test,
    "crowd": crowd.test,
    "late": late.test,
    "tokens": tokens.test,
    "shares": shares.test,
    "openapi": openapi.test,
    "profiles": profiles.test,
    "life": life.test,
    "memory": memory.test,
    "logs": logs.test,
    "background": background.test,
    "documents": documents.test,
    "clients": clients.test,
}


own_mounts()
sys.exit(run_parts(PARTS, sys.argv[1:]))
