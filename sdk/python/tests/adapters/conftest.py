# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path) -> Iterator[None]:
    """A test leaves no thread, and no folder in the place for temporary files."""
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and not thread.daemon]
    assert [t.name for t in left if not t.name.startswith(("asyncio", "ThreadPool"))] == []


@pytest.fixture
def python() -> str:
    """The Python whose packages the tests have, for code that imports them."""
    return os.path.realpath(os.environ.get("ADAPTERS_PYTHON", os.sys.executable))  # type: ignore[attr-defined]
