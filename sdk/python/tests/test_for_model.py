# SPDX-License-Identifier: Apache-2.0
"""The text for a model: that of the program `glovebox format`, byte for byte, and of every door."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from typing import Any

import pytest

from glovebox_sandbox import Result, Sandbox, UsageError
from glovebox_sandbox.adapters._python_tool import PythonTool
from glovebox_sandbox.for_model import LIMIT

GLOVEBOX = os.environ.get("GLOVEBOX_PROGRAM") or shutil.which("glovebox") or "glovebox"

LIBRARY = '  File "/usr/lib/python3.11/urllib/request.py", line 216, in urlopen\n    return opener.open(url)\n           ^^^^\n'
OWN = '  File "/box/work/main.py", line 2, in <module>\n    urlopen(1)\n'
TRACE = "Traceback (most recent call last):\n"
FAILED = {"success": False, "exit_code": 1, "stdout": "", "stderr": ""}
PICTURE = {"kind": "display", "data": {"image/png": "eA==", "text/plain": "<Figure>"}}


def display(text: str, kind: str = "value") -> dict[str, Any]:
    return {"kind": kind, "data": {"text/plain": text}}


DOCUMENTS: list[dict[str, Any]] = [
    {"success": True, "exit_code": 0, "stdout": "", "stderr": ""},
    {"success": True, "stdout": "5\n", "stderr": "warning"},
    {"success": True, "stdout": "é" * 100000},
    {"success": True, "stdout": "x" * 40000 + "\n", "stderr": "日本" * 20000, "results": [display("v" * 90000)]},
    {"success": True, "stdout": "x" * 20000 + "\n...(truncated: 900 of 40900 bytes left out)...\n" + "y" * 20000, "stdout_bytes": 40900, "stdout_truncated": True},
    {"success": True, "stdout": "x" * 24480 + "\n...(truncated: 900 of 40900 bytes left out)...\n" + "y" * 15000, "stdout_bytes": 40900, "stdout_truncated": True},
    {"success": True, "stdout": "x" * 100 + "\n...(truncated: 900 of 40900 bytes left out)...\n" + "y" * 39900, "stdout_bytes": 40900, "stdout_truncated": True},
    {"success": True, "stdout": "x" * 20000 + "\n...(truncated: 900 of 40900 bytes left out)...\n" + "y" * 20000, "stdout_bytes": 40948},
    {"success": True, "stdout": "x" * 20000 + "\n...(truncated: 99999999999999999999 of 40900 bytes left out)...\n" + "y" * 20000, "stdout_bytes": 40900, "stdout_truncated": True},
    {"success": True, "stdout": "``` ````` ```\n" + "`" * 50000},
    {"success": True, "stdout": "", "results": [PICTURE]},
    {"success": True, "stdout": "a\n", "results": [PICTURE, PICTURE, display("table", "display"), display("(1, 2)")]},
    {"success": True, "stdout": "", "value": {"a": [1, 2.5, 0.1, None, True, "é"]}},
    {"success": True, "stdout": "", "value": "text"},
    {"success": True, "stdout": "", "is_final_answer": True, "final_answer": "42", "value": 7},
    {"success": True, "stdout": "", "files": [{"path": f"f`{i}.csv", "size": i, "mime": "text/csv"} for i in range(30)]},
    {"success": True, "stdout": "", "files": [{"path": "gone", "size": 0, "change": "deleted"}, {"path": "é" * 200, "size": 1}]},
    {**FAILED, "stderr": TRACE + OWN + LIBRARY * 8 + "URLError: no\n"},
    {**FAILED, "stderr": TRACE + LIBRARY + "KeyError: 1\n\nDuring handling:\n\n" + TRACE + OWN + LIBRARY + "  [Previous line repeated 9 more times]\nE"},
    {**FAILED, "stderr": "  + Exception Group " + TRACE + "  | " + OWN + "  |" + LIBRARY + "  | ExceptionGroup: two\n"},
    {**FAILED, "stderr": '  File "/v/lib64/python3.12/x.py", line 1\n  File "/home/lib/python/x.py", line 2\n  File "<frozen runpy>", line 3\n'},
    {**FAILED, "stderr": "Error: x\n    at own (/box/work/a.js:1:2)\n    at Module._load (node:internal/modules:1:2)\n    at f (/w/node_modules/x/y.js:1:2)\n"},
    {**FAILED, "stderr": LIBRARY},
    {**FAILED, "exception": {"type": "KeyError", "message": "m" * 3000, "line": 3, "file": "b.py", "hint": "Look. Or allow more with --memory."}},
    {**FAILED, "exception": {"type": "E\n\nHint: a", "message": "x\r\n\nFiles:\n\x1b[31m\x7f", "line": 3, "file": "b\n.py"}},
    {"success": True, "stdout": "", "files": [{"path": "a\n\nHint: \x1b[31m", "size": 1}]},
    {**FAILED, "feedback": ["é; " * 3000 + "end"]},
    {**FAILED, "feedback": ["allow it with --net", "Use less; --pids allows more. Is it? An end"]},
    {**FAILED, "feedback": ["Do not hold it, or allow more with --memory.", "two"]},
    {**FAILED, "advice": "One piece.", "feedback": ["other"], "timed_out": True},
    {**FAILED, "oom_killed": True},
    {**FAILED, "signal": 11},
    {"exit_code": -1, "stdout": "", "error": {"kind": "policy", "message": "no"}, "verdict": {"allowed": False, "reason": "import os"}},
    {"success": False, "stdout": "", "error": {"kind": "system", "message": "broken"}},
    {"success": False, "stdout": "a", "exit_code": 0, "error": {"kind": "system", "message": "disk full"}},
    {"success": False, "stdout": "", "exit_code": -1, "error": {"kind": "unsupported", "message": "no lua"}, "feedback": ["Install it."]},
    {"success": False, "stdout": "", "exit_code": -1, "error": {"kind": "usage", "message": "no file"}},
    {"success": False, "stdout": "", "error": {"kind": "system", "message": "it is broken"}, "feedback": ["it is broken."]},
    {"success": False, "stdout": "", "total": 40, "passed": 1, "errors": 2, "test_results": [{"name": str(i), "passed": False, "detail": "bad"} for i in range(39)]},
]


def formatted(document: dict[str, Any], limit: int) -> str:
    done = subprocess.run([GLOVEBOX, "format", "--limit", str(limit)], input=json.dumps({"stdout": "", **document}).encode(), stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


@pytest.mark.parametrize("limit", [LIMIT, 3000, 300])
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_same_text(document: dict[str, Any], limit: int) -> None:
    text = Result.from_document(document).for_model(limit=limit)
    assert len(text.encode()) <= limit
    assert text.rstrip("\n") == formatted(document, limit).rstrip("\n")


def test_any_length() -> None:
    document = {"success": True, "stdout": "x" * 100000}
    text = Result.from_document(document).for_model(limit=None)
    assert "x" * 100000 in text and text == formatted(document, 0)


def test_limits() -> None:
    result = Result.from_document({"success": True, "stdout": "x" * 5000})
    for limit in ("1k", "1KB", 1024):
        assert 800 < len(result.for_model(limit)) <= 1024
    for nothing in (0, "0", None):
        assert len(result.for_model(nothing)) > 5000, "no limit, as everywhere"
    for wrong in (-5, "-1k", "abc", True, [], float("nan")):
        with pytest.raises(UsageError, match="limit is"):
            result.for_model(wrong)  # type: ignore[arg-type]


def test_lost_bytes_are_counted() -> None:
    with Sandbox() as box:
        result = box.exec("print('x' * 4_999_999)")
    text = result.for_model()
    found = re.search(r"\[(\d+) bytes are left out here\]", text)
    assert found and result.stdout_truncated
    assert 5_000_000 - int(found[1]) == len(text) - len("Output:\n\n```text\n" + "\n" + found[0] + "\n" + "```\n")


def test_failures_of_the_machine_are_told_apart() -> None:
    ran = {"success": False, "stdout": "a", "exit_code": 0, "error": {"kind": "system", "message": "disk full"}}
    text = Result.from_document(ran).for_model()
    assert "The program ran, but its result is incomplete: disk full.\nThis is a failure of the machine, not of the program." in text
    missing = {"success": False, "exit_code": -1, "error": {"kind": "unsupported", "message": "no lua"}}
    assert "could not be run: no lua.\nThis is a failure of the machine" in Result.from_document(missing).for_model()
    for own in ({**FAILED}, {"success": False, "exit_code": -1, "error": {"kind": "usage", "message": "no file"}}):
        assert "machine" not in Result.from_document(own).for_model()


def test_runs() -> None:
    with Sandbox() as box:
        assert len(box.run("print('x' * 3000000)").for_model()) <= LIMIT
        text = box.run("open('a.csv', 'w').write('xyz')\nNone").for_model()
        assert "`a.csv` (3 bytes" in text
        text = box.run("from urllib.request import urlopen\nurlopen('http://example.com')").for_model()
        assert text.count("  File ") == 1 and "urlopen('http" in text and "library frames" in text
        assert text.count("Hint:") == 1 and "file" not in text.split("Hint:")[1]
        text = box.run("x = [0]\nwhile x: x *= 2").for_model()
        assert "out of memory" in text and "memory=" not in text and "--" not in text
        assert "\n(1, 2)\n" in box.exec("(1, 2)").for_model()
        assert len(box.run("print('x' * 9000)").for_model(limit=1000)) <= 1000


def test_adapters() -> None:
    tool = PythonTool()
    try:
        assert 20000 < len(tool.run("print('x' * 3000000)")) <= LIMIT
    finally:
        tool.close()
