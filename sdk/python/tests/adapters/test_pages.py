# SPDX-License-Identifier: Apache-2.0
"""The programs in docs/python: what they import is there, and they run, with scripted models in place of real ones."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from pathlib import Path

import pytest
from page_models import MODELS

PAGES = Path(__file__).resolve().parents[4] / "docs" / "python"


def imports(block: str) -> list[tuple[str, list[str]]]:
    """The modules that a program imports, with the names that it takes from each."""
    tree = compile(block, "page", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)
    rows: list[tuple[str, list[str]]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            rows.append((node.module, [name.name for name in node.names]))
        elif isinstance(node, ast.Import):
            rows += [(name.name, []) for name in node.names]
    return rows


def is_there(module: str) -> bool:
    """Whether the framework is installed that a module is of; `google` is a folder that several share."""
    parts = module.split(".")
    try:
        return importlib.util.find_spec(".".join(parts[: 2 if parts[0] == "google" else 1])) is not None
    except ModuleNotFoundError:
        return False


def programs(page: Path) -> list[str]:
    """The programs of a page whose frameworks are those of this group of tests; none of any other page."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    here = all(is_there(module) for block in blocks for module, _ in imports(block))
    return blocks if here else []


BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in sorted(PAGES.glob("*.md"))
    for number, block in enumerate(programs(page))
]


@pytest.mark.parametrize("name", [page.stem for page in sorted(PAGES.glob("*.md")) if page.stem in MODELS and programs(page)])
def test_the_programs_of_a_page_run(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    names, printed = MODELS[name](monkeypatch.setattr)
    for block in programs(PAGES / f"{name}.md"):
        exec(compile(block, name, "exec"), names)
    assert capsys.readouterr().out.endswith(printed)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_program_finds_what_it_imports(block: str) -> None:
    for name, wanted in imports(block):
        module = importlib.import_module(name)
        assert [one for one in wanted if not hasattr(module, one)] == []
