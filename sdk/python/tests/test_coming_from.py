# SPDX-License-Identifier: Apache-2.0
"""docs/coming-from.md: every command, request and call in its tables runs. Where a line needs an engine or a key, the error
must name it: then the line's options are right. A table's calls of an adapter run where its framework is installed."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from reading import reader

from glovebox_sandbox import GloveboxError, Sandbox
from glovebox_sandbox.address import Address, listens
from glovebox_sandbox.finding import find_program

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "coming-from.md").read_text()
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
ELSEWHERE = re.compile(r"backend[ =]\"?(docker|e2b)|Runner\(\"(docker|e2b)")
LACKS = {"docker": "no container engine runs", "e2b": "E2B needs a key"}


def rows(section: str, column: int) -> list[str]:
    """The code spans in a column of a section's table, in their order."""
    lines = [line for line in SECTIONS[section].splitlines() if line.startswith("| ")][1:]
    cells = [re.split(r"(?<!\\)\|", line)[column].replace("\\|", "|") for line in lines]
    return [span for cell in cells for span in re.findall(r"`([^`]+)`", cell)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reader's files, and `glovebox` in the path."""
    here = tmp_path_factory.mktemp("coming")
    reader.furnish(str(here))
    return here


@pytest.fixture(scope="module")
def environment(folder: Path) -> dict[str, str]:
    return dict(reader.environment(str(folder)))


@pytest.fixture(scope="module")
def model() -> Iterator[Any]:
    with reader.Model() as server:
        yield server


@pytest.mark.parametrize("section", SECTIONS)
def test_the_commands(section: str, folder: Path, environment: dict[str, str], model: Any) -> None:
    commands = [span for span in rows(section, 2) if span.startswith("glovebox")]
    assert len(commands) > 5
    for command in commands:
        model.asked(command)
        named = model.variables() if "--model" in command else {}
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env={**environment, **named}, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        said = f"{command}\n{done.stdout}{done.stderr}"
        elsewhere = ELSEWHERE.search(command)
        if elsewhere:
            assert done.returncode == 125 and LACKS[elsewhere[1]] in done.stderr, said
        else:
            assert done.returncode == 0, said
        assert not named or len(model.requests) > model.before, said


@pytest.fixture(scope="module")
def daemon(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """A daemon's socket: of a user who has no engine and no key."""
    path = f"{folder}/daemon.sock"
    process = subprocess.Popen([find_program(), "serve", "--quiet", "--listen", f"unix:{path}"], env=environment)
    try:
        while not listens(Address(path=path)) and process.poll() is None:
            time.sleep(0.02)
        yield path
    finally:
        process.terminate()
        process.wait()


def test_the_requests(daemon: str) -> None:
    spans = [span for section in SECTIONS for span in rows(section, 2) if re.match(r"[A-Z]+ /", span)]
    assert len(spans) > 5
    session = ""
    with httpx.Client(transport=httpx.HTTPTransport(uds=daemon), base_url="http://localhost", timeout=60) as client:
        for span in spans:
            method, target, body = (span + " ").replace("{id}", session).split(" ", 2)
            answer = client.request(method, target, json=json.loads(body) if body.strip() else None)
            assert answer.status_code < 300, f"{span}\n{answer.text}"
            assert answer.json().get("success", True), f"{span}\n{answer.text}"
            session = answer.json()["id"] if target == "/v1/sessions" else session


@pytest.mark.parametrize("section", SECTIONS)
def test_the_calls(section: str, folder: Path, daemon: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GLOVEBOX_URL", f"unix:{daemon}")
    names: dict[str, Any] = {"Sandbox": Sandbox, "code": reader.CODE, "tools": reader.TOOLS, "cases": reader.CASES, "model": None}
    block = re.search(r"^```python\n(.*?)^```", SECTIONS[section], re.M | re.S)
    absent: set[str] = set()
    for line in ast.parse(block[1] if block else "").body:
        try:
            exec(compile(ast.Module([line], []), section, "exec"), names)
        except ModuleNotFoundError:
            absent |= {alias.asname or alias.name for alias in getattr(line, "names")}
    with Sandbox() as box:
        names["box"] = box
        for span in rows(section, 3):
            tree = ast.parse(span)
            used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            if absent & used:  # what it would have made is absent, too
                absent |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
                continue
            call(span, names)


def call(span: str, names: dict[str, Any]) -> None:
    elsewhere = ELSEWHERE.search(span)
    try:
        exec(compile(span, span, "exec"), names)
    except GloveboxError as error:
        assert elsewhere and LACKS[elsewhere[1] or elsewhere[2]] in str(error), f"{span}: {error}"


def test_it_has_five_tables_and_is_found() -> None:
    assert len(SECTIONS) == 5
    assert "docs/coming-from.md" in (ROOT / "README.md").read_text()


def test_no_page_installs_what_is_not_published() -> None:
    for page in [ROOT / "README.md", ROOT / "sdk/python/README.md", *(ROOT / "docs").rglob("*.md")]:
        assert not re.search(r"(pip|uv|npm|npx) [a-z -]*glovebox-sandbox", page.read_text()), page
