# SPDX-License-Identifier: Apache-2.0
"""The types of this package have each member of the daemon's own description."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from glovebox_sandbox import Sandbox, events, results, shown, verbs

# Members of the document that a property or another field stands for.
ELSEWHERE = {"Result": {"stdout_base64", "stderr_base64"}, "File": {"content_base64", "path_base64"},
             "Skipped": {"path_base64"}, "Finding": {"excerpt_base64"}, "Case": set[str](),
             "StdoutEvent": {"event", "base64"}, "DisplayEvent": {"event", "bundle"}}
TYPES = {
    "Result": results.Result, "Failure": results.Failure, "Exception": results.ProgramException, "File": results.FileChange,
    "Skipped": results.Skipped, "Denied": results.Denied, "Missing": results.Missing, "Finding": results.Finding,
    "Verdict": results.Verdict, "Cell": results.Cell, "TestResult": results.TestResult, "Case": results.Case,
    "CaseException": results.CaseException, "Coverage": results.Coverage, "SessionFile": results.FileInfo,
    "Variable": results.Variable, "Display": shown.Display, "Dropped": shown.Dropped, "VerdictEvent": events.VerdictEvent,
    "StartedEvent": events.Started, "StdoutEvent": events.Stdout, "LimitEvent": events.LimitReached,
    "DisplayEvent": events.DisplayEvent, "ProgressEvent": events.Progress, "ToolEvent": events.ToolCall,
    "InputEvent": events.InputCall, "CaseEvent": events.CaseEvent}


@pytest.fixture(scope="module")
def schemas() -> Any:
    with Sandbox() as box:
        return box._driver.run(verbs.ask("GET", "/openapi.json"))["components"]["schemas"]


@pytest.mark.parametrize("name", TYPES)
def test_each_member_has_a_field(schemas: Any, name: str) -> None:
    known = {field.name for field in dataclasses.fields(TYPES[name])}  # type: ignore[arg-type]
    assert set(schemas[name]["properties"]) - known - ELSEWHERE.get(name, {"event"}) == set()
