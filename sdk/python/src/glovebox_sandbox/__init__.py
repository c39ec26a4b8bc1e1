# SPDX-License-Identifier: Apache-2.0
"""Run code that a language model wrote, safely and fast.

>>> with Sandbox(timeout="5s", memory="256m") as box:
...     box.exec("x = 6 * 7").success
...     box.exec("x").value
True
42
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from .async_sandbox import AsyncFiles, AsyncSandbox, AsyncVariables
from .errors import (BusyError, CheckError, DaemonError, DeadlineError, FaultError, GloveboxError, GuestError, LimitError,
                     PolicyError, RefusedError, RunError, SessionError, TestError, UnsupportedError, UsageError)
from .evaluation import Evaluation, evaluate
from .events import (BatchResult, CaseEvent, DeniedEvent, DisplayEvent, Event, FileEvent, Finished, InputCall, LimitReached, Progress,
                     Started, Stderr, Stdout, ToolCall, VerdictEvent, WarningEvent)
from .results import (Case, CaseException, Cell, Connection, Coverage, Denied, Failure, FileChange, FileInfo, Finding, Missing,
                      ProgramException, Result, Skipped, TestResult, Variable, Verdict)
from .sandbox import Cases, Files, Sandbox, Variables
from .shown import Display, Dropped
from .tools import Parameter, Tool, Tools, tool
from .values import Foreign
from .version import VERSION

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .schemas import CheckOptions, JudgeOptions, ProgramOptions

__version__ = VERSION


def run(code: str, *, show: bool = False, **options: Unpack[ProgramOptions]) -> Result:
    """Runs a program once.

    >>> run("print(6 * 7)").stdout
    '42\\n'
    """
    with Sandbox() as box:
        return box.run(code, show=show, **options)


def check(code: str, **options: Unpack[CheckOptions]) -> Verdict:
    """Reads a program with the guard and runs nothing.

    >>> check("print(1)").allowed
    True
    """
    with Sandbox() as box:
        return box.check(code, **options)


def test(code: str, cases: Optional[Cases] = None, **options: Unpack[JudgeOptions]) -> TestResult:
    """Judges a program by cases.

    >>> test("def double(x): return 2 * x", [{"args": [4], "expected": 8}], func="double").all_passed
    True
    """
    with Sandbox() as box:
        return box.test(code, cases, **options)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext glovebox_sandbox``: cells with ``%%glovebox`` run in a sandbox."""
    from .notebook import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    from .notebook import unload

    unload(shell)


test.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a test

__all__ = [
    "AsyncFiles", "AsyncSandbox", "AsyncVariables", "BatchResult", "BusyError", "Case", "CaseEvent", "CaseException", "Cell", "CheckError",
    "Connection", "Coverage", "DaemonError", "DeadlineError", "Denied", "DeniedEvent", "Display", "DisplayEvent", "Dropped", "Evaluation", "Event",
    "Failure", "FaultError", "FileChange", "FileEvent", "FileInfo", "Files", "Finding", "Finished", "Foreign",
    "GloveboxError", "GuestError", "InputCall", "LimitError", "LimitReached", "Missing", "Parameter", "PolicyError",
    "ProgramException", "Progress", "RefusedError", "Result", "RunError", "Sandbox", "SessionError", "Skipped", "Started",
    "Stderr", "Stdout", "TestError", "TestResult", "Tool", "ToolCall", "Tools", "UnsupportedError", "UsageError",
    "Variable", "Variables", "Verdict", "VerdictEvent", "WarningEvent", "check", "evaluate", "run", "test", "tool",
]
