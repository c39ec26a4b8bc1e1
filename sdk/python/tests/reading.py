# SPDX-License-Identifier: Apache-2.0
"""The reader of documents (tests/llm/reader.py), for tests of the package and of its adapters."""

from __future__ import annotations

import sys
from pathlib import Path

_TESTS = [str(Path(__file__).parents[3] / "tests" / name) for name in ("llm", "python")]
sys.path[:0] = _TESTS
import reader  # type: ignore[import-not-found]  # noqa: E402

sys.path[:] = [path for path in sys.path if path not in _TESTS]

__all__ = ["reader"]
