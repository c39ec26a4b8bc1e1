# SPDX-License-Identifier: Apache-2.0
"""The programs in docs/python: they compile, and what they import is there."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[4] / "docs" / "python"


def froms(block: str) -> list[ast.ImportFrom]:
    tree = compile(block, "page", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)
    return [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]


def is_here(block: str) -> bool:
    """Whether its frameworks are those of this group of tests."""
    roots = {str(node.module).split(".")[0] for node in froms(block)}
    return all(importlib.util.find_spec(root) is not None for root in roots)


BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in sorted(PAGES.glob("*.md"))
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S))
    if is_here(block)
]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_program_finds_what_it_imports(block: str) -> None:
    for node in froms(block):
        module = importlib.import_module(str(node.module))
        assert [name.name for name in node.names if not hasattr(module, name.name)] == []
