# SPDX-License-Identifier: Apache-2.0
"""A suite of tests, on another backend: $GLOVEBOX_BACKEND names it, $DOCKER_HOST its engine. Suites that make an
environment of their own add these."""

import os

NAMES = ("GLOVEBOX_BACKEND", "DOCKER_HOST")


def variables():
    return {name: os.environ[name] for name in NAMES if os.environ.get(name)}
