# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_thread_stays() -> Iterator[None]:
    """A test leaves no thread but those of pools that event loops and frameworks keep for their next work."""
    before = set(threading.enumerate())
    yield
    left = [thread.name for thread in threading.enumerate() if thread not in before and not thread.daemon]
    assert [name for name in left if not name.startswith(("asyncio", "ThreadPool"))] == []
