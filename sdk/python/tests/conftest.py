# SPDX-License-Identifier: Apache-2.0
"""All tests use the daemon that the package starts, or one of their own; never one of the user's."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

import glovebox_sandbox

_HOME = tempfile.TemporaryDirectory(prefix="glovebox-sdk-")
for name in ("GLOVEBOX_SOCKET", "GLOVEBOX_URL", "GLOVEBOX_TOKEN", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
    os.environ.pop(name, None)
os.environ.update(HOME=_HOME.name, XDG_RUNTIME_DIR=_HOME.name, GLOVEBOX_LOG="off")


@pytest.fixture(scope="session", autouse=True)
def no_daemon_stays() -> Iterator[None]:
    from glovebox_sandbox import private

    yield
    private.stop()
    assert set(os.listdir(_HOME.name)) <= {".local"}, "only what was found out about this machine stays"


@pytest.fixture(autouse=True)
def names_for_doctests(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace.update(Stdout=glovebox_sandbox.Stdout, squares={})
