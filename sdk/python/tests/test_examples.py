# SPDX-License-Identifier: Apache-2.0
"""The examples run as their first lines say, with models that say what they were given."""

import os
import subprocess
import sys
from pathlib import Path

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
