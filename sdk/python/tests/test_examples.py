# SPDX-License-Identifier: Apache-2.0
"""The examples run as their first lines say, with models that say what they were given."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from reading import reader

from glovebox_sandbox import Sandbox

PAGE = Path(__file__).parents[3] / "docs" / "python.md"
EXAMPLES = Path(__file__).parents[1] / "examples"


def output_of(name: str, *arguments: str) -> str:
    ended = subprocess.run([sys.executable, name, *arguments], cwd=EXAMPLES, env={**os.environ, "PYTHONPATH": path()},
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def path() -> str:
    return os.pathsep.join([str(EXAMPLES.parent / "src"), os.environ.get("PYTHONPATH", "")])


def test_data_analysis() -> None:
    said = output_of("data_analysis.py")
    assert "KeyError: 'Bergen'" in said and "new: means.txt" in said
    assert said.endswith("It rains most in Bergen: 2380 mm a year.\n")


def test_judge_candidates() -> None:
    said = output_of("judge_candidates.py", "--candidates", "100", "--at-once", "4")
    counts = [int(line.split(": ")[1].split()[0]) for line in said.splitlines()]
    assert sum(counts) == 100 and said.startswith("score 1.00:")


def test_tools_and_forks() -> None:
    said = output_of("tools_and_forks.py")
    assert "bought: tea, bread, honey" in said or "no forks here" in said
    assert "no forks here" in said or "asked for prices: 9 times" in said


def test_the_programs_of_the_page(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of docs/python.md, one after the other, as a reader would type them."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "test_sum.py").write_text(
        "import unittest\nclass Sum(unittest.TestCase):\n    def test_sum(self): self.assertEqual(1 + 1, 2)\n")
    reader.fill(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    names: dict[str, Any] = {"prices": {"tea": 2.5}}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    with Sandbox(tools=[names["price"]]) as box:
        assert box.exec("price('tea', 2)").value == 5.0
    printed = capsys.readouterr().out
    assert len(blocks) == 4 and printed.startswith("42\n1.0 ") and "\nOK\n" in printed
