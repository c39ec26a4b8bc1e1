#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Models and how they are reached, in TAP: run.py [PART...]. glovebox-fetch alone (fetch),
what servers answer (answers), commands: generate, programs (fix, transform, generate with cases),
questions (math, analyze), hostile (servers and models that attack), solve (and builtin: by the model itself), review, usage, tools (tool-schema and tool-call); the
daemon (daemon) and the library (library);
the command lines of README, docs and help (documents). Servers are scripts of ours (server.py), over real
connections. $GLOVEBOX names the program (build/glovebox)."""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE] + [os.path.join(os.path.dirname(HERE), name) for name in ("python", "http")]

import answers  # noqa: E402
import builtin  # noqa: E402
import daemon_tasks  # noqa: E402
import documents  # noqa: E402
import fetch  # noqa: E402
import generate  # noqa: E402
import hostile  # noqa: E402
import library  # noqa: E402
import programs  # noqa: E402
import questions  # noqa: E402
import review  # noqa: E402
import review_daemon  # noqa: E402
import solve  # noqa: E402
import tools  # noqa: E402
import usage  # noqa: E402
from tap import run_parts  # noqa: E402

PARTS = {
    "fetch": fetch.test,
    "answers": answers.test,
    "generate": generate.test,
    "programs": programs.test,
    "questions": questions.test,
    "hostile": hostile.test,
    "review": review.test,
    "review-daemon": review_daemon.test,
    "usage": usage.test,
    "tools": tools.test,
    "daemon": daemon_tasks.test,
    "library": library.test,
    "solve": solve.test,
    "builtin": builtin.test,
    "documents": documents.test,
}

sys.exit(run_parts(PARTS, sys.argv[1:]))
