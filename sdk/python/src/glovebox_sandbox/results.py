# SPDX-License-Identifier: Apache-2.0
"""The results of runs, cells, checks and tests, with the names of the daemon's documents."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

from .documents import each, from_document, nothing, one
from .errors import CheckError, FaultError, GuestError, LimitError, RefusedError, RunError, TestError
from .for_model import LIMIT, text_for_model
from .printable import one_line, shown
from .quantities import Size
from .schemas import PlainResult
from .shown import Display, bundle_of, displays_from
from .values import Foreign, decode, decode_shown

_EMPTY: Mapping[str, Any] = {}
_ERRORS: dict[Optional[str], type[RunError]] = {"guest": GuestError, "refused": RefusedError, "limit": LimitError}


@dataclass(frozen=True)
class Failure:
    """A failure of Glovebox or of the request."""

    kind: str = ""
    message: str = ""


@dataclass(frozen=True)
class ProgramException:
    """The exception that ended a program or a cell."""

    type: str = ""
    message: str = ""
    line: Optional[int] = None
    column: Optional[int] = None
    file: Optional[str] = None
    cell: Optional[int] = None
    statement: Optional[str] = None
    traceback: str = ""
    hint: Optional[str] = None


@dataclass(frozen=True)
class Compilation:
    """The compilation before the run of a program in a compiled language."""

    success: bool = False
    exit_code: int = 0
    stderr: str = ""
    duration_ms: int = 0
    cached: bool = False


@dataclass(frozen=True)
class FileChange:
    """A new, modified or deleted file; `content` is there if the run was to collect it and it fitted."""

    path: str = ""
    size: int = 0
    sha256: Optional[str] = None
    mime: str = ""
    change: str = ""
    content: Optional[bytes] = field(default=None, repr=False)
    content_mode: Optional[int] = None
    content_skipped: Optional[str] = None


@dataclass(frozen=True)
class Skipped:
    """A file that was left out, and why. The last row of a long list has `more`, the number of further ones."""

    path: Optional[str] = None
    reason: str = ""
    direction: str = ""
    more: int = 0


@dataclass(frozen=True)
class Denied:
    """A system call that the sandbox refused, and how often."""

    name: str = ""
    count: int = 0


@dataclass(frozen=True)
class Connection:
    """What a program reached in the network, or was refused: a row for each destination. `port` is None if only the
    name was looked up."""

    host: str = ""
    port: Optional[int] = None
    address: Optional[str] = None
    allowed: bool = False
    reason: Optional[str] = None
    count: int = 0
    bytes_in: int = 0
    bytes_out: int = 0


@dataclass(frozen=True)
class Missing:
    """A layer of the wall that did not hold; `lost` is true if the run was to have it."""

    layer: str = ""
    why: str = ""
    lost: bool = False


@dataclass(frozen=True)
class Finding:
    """A finding of the guard, with its place in the program."""

    rule: str = ""
    severity: str = ""
    points: int = 0
    refuses: bool = False
    message: str = ""
    hint: Optional[str] = None
    name: Optional[str] = None
    module: Optional[str] = None
    call: Optional[str] = None
    label: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    end_line: Optional[int] = None
    end_column: Optional[int] = None
    prelude_line: Optional[int] = None
    excerpt: Optional[str] = None
    excerpt_column: Optional[int] = None


@dataclass(frozen=True)
class Verdict:
    """Whether the guard lets a program run, and what it found."""

    allowed: bool = False
    stage: Optional[str] = None
    reason: Optional[str] = None
    risk: int = 0
    findings: tuple[Finding, ...] = ()
    findings_left_out: int = 0

    def raise_for_status(self) -> Verdict:
        """Raises `CheckError` if the program is not allowed; returns the verdict."""
        if not self.allowed:
            raise CheckError(self.reason or "the guard refused the program")
        return self


@dataclass(frozen=True)
class Cell:
    """The cell that a result belongs to. After an attempt, `attempt` is ``"kept"``, ``"dropped"``, or ``"lost"`` when
    a cell reached the copy from before it, so that nothing could be undone and the session is over."""

    session: str = ""
    number: int = 0
    ended: str = ""
    attempt: Optional[str] = None
    exited: bool = False


@dataclass(frozen=True)
class Result(PlainResult):
    """The result of a run or of a cell. ``glovebox help results`` describes each field.

    `value`, `final_answer` are Python values. `raw` is the daemon's whole document. `was_shown` is true if the output
    and the displays were shown as they came (``show=True``).
    """

    value: Any = None
    results: tuple[Display, ...] = ()
    final_answer: Any = None
    exception: Optional[ProgramException] = None
    compile: Optional[Compilation] = None
    files: tuple[FileChange, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    verdict: Verdict = Verdict()
    denied: tuple[Denied, ...] = ()
    network: tuple[Connection, ...] = ()
    missing: tuple[Missing, ...] = ()
    limits_set: Mapping[str, float] = field(default_factory=nothing)
    usage: Mapping[str, Any] = field(default_factory=nothing)
    error: Optional[Failure] = None
    cell: Optional[Cell] = None
    context: Optional[Mapping[str, Any]] = field(default=None, compare=False)
    was_shown: bool = field(default=False, compare=False, repr=False)
    raw: Mapping[str, Any] = field(default_factory=nothing, compare=False)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Result:
        displays = displays_from(document.get("results"))
        shown = [display.data for display in displays if display.kind == "value"]
        return from_document(
            cls,
            document,
            raw=document,
            results=displays,
            value=decode_shown(document.get("value"), shown),
            final_answer=decode(document.get("final_answer")),
            exception=one(ProgramException, document.get("exception")),
            compile=one(Compilation, document.get("compile")),
            files=tuple(_file_change(file) for file in document.get("files") or ()),
            skipped=each(Skipped, document.get("skipped")),
            verdict=verdict_from(document.get("verdict") or _EMPTY),
            denied=each(Denied, document.get("denied")),
            network=each(Connection, document.get("network")),
            missing=each(Missing, document.get("missing")),
            error=one(Failure, document.get("error")),
            cell=one(Cell, document.get("cell")),
        )

    @property
    def stdout_raw(self) -> bytes:
        """The standard output as the program wrote it."""
        return self._stream("stdout")

    @property
    def stderr_raw(self) -> bytes:
        """The standard error as the program wrote it."""
        return self._stream("stderr")

    def _stream(self, name: str) -> bytes:
        encoded = self.raw.get(name + "_base64")
        return base64.b64decode(encoded) if encoded else str(getattr(self, name)).encode("utf-8", "replace")

    @property
    def failure(self) -> str:
        """One line about the failure; empty after a success."""
        if self.success:
            return ""
        if self.error:
            return self.error.message
        if not self.verdict.allowed:
            return self.verdict.reason or "the guard refused the program"
        if self.error_type == "limit" and self.summary:
            return self.summary
        if self.exception:
            return ": ".join(filter(None, (self.exception.type, self.exception.message)))
        return self.summary or f"the program ended with exit status {self.exit_code}"

    def raise_for_status(self) -> Result:
        """Raises `GuestError`, `RefusedError`, `LimitError` or `FaultError` after a failure; returns the result."""
        if self.success:
            return self
        advice = next((text for text in self.feedback if text != self.failure), "")
        message = f"{self.failure} ({advice})" if advice else self.failure
        raise _ERRORS.get(self.error_type, FaultError)(message, self)

    def for_model(self, limit: Optional[Size] = LIMIT) -> str:
        """The text for a model, of at most `limit` bytes, such as ``"8k"`` (None or 0: of any length): output, value,
        failure, advice, files.

        It is the text of `glovebox format` and of MCP. Long output has its head and tail.
        """
        own = {"success": self.success, "exit_code": self.exit_code, "stdout": self.stdout, "stderr": self.stderr}
        return text_for_model(self.raw or {**own, "advice": self.advice, "feedback": self.feedback}, limit)

    def __repr__(self) -> str:
        if not self.success:
            return one_line(f"<Result {self.error_type}: {self.failure[:200]}>")
        if self.is_final_answer:
            return one_line(f"<Result final_answer={shown(self.final_answer)[:200]}>")
        if self.value is not None:
            return one_line(f"<Result value={shown(self.value)[:200]}>")
        return f"<Result stdout={self.stdout[:200]!r}>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """The display for a notebook: the last picture, table or value; otherwise the output. What was shown as it came
        is left out."""
        if self.was_shown:
            return bundle_of([display for display in self.results if display.kind == "value"], repr(self))
        failure = "" if self.failure in self.stderr else self.failure
        texts = (self.stdout.rstrip("\n"), self.stderr.rstrip("\n"), failure)
        return bundle_of(self.results, "\n".join(filter(None, texts)) or "(no output)")


def text_of_value(value: object) -> str:
    """The text of a value for a model. A frame and a `Foreign` have several lines."""
    return str(value) if isinstance(value, Foreign) else shown(value)


def _file_change(document: Mapping[str, Any]) -> FileChange:
    content = document.get("content_base64")
    return from_document(FileChange, document, content=None if content is None else base64.b64decode(content))


def verdict_from(document: Mapping[str, Any]) -> Verdict:
    return from_document(Verdict, document, findings=each(Finding, document.get("findings")))


@dataclass(frozen=True)
class CaseException:
    """The exception that a tested call raised."""

    type: str = ""
    message: str = ""
    line: Optional[int] = None
    traceback: str = ""


@dataclass(frozen=True)
class Case:
    """The verdict about one case."""

    name: str = ""
    call: Optional[str] = None
    test: str = ""
    passed: bool = False
    error_type: Optional[str] = None
    outcome: str = ""
    output: Optional[str] = None
    actual: Optional[str] = None
    expected: Optional[str] = None
    detail: Optional[str] = None
    hint: Optional[str] = None
    duration_ms: float = 0.0
    stdout: str = ""
    stderr: str = ""
    weight: float = 1.0
    exception: Optional[CaseException] = None
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class Coverage:
    """Lines of the program: how many there are, how many ran, and those that never ran."""

    lines: int = 0
    run: int = 0
    never_run: tuple[int, ...] = ()


@dataclass(frozen=True)
class TestResult:
    """The verdict about a program. `score` is None if something could not be judged; `trustworthy` says whether the
    verdict may be relied on, and `doubt` why not. `stdout`, `exit_code` and the like are those of the program's run, as
    in a `Result`; `raw` is the daemon's whole document."""

    __test__ = False  # pytest would take the class for a test

    success: bool = False
    exit_code: int = -1
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    oom_killed: bool = False
    duration_ms: int = 0
    cpu_ms: int = 0
    max_memory_mb: float = 0.0
    feedback: tuple[str, ...] = ()
    total: int = 0
    passed: int = 0
    failed: int = 0
    errors: int = 0
    score: Optional[float] = None
    all_passed: bool = False
    outcome: str = ""
    trustworthy: bool = False
    doubt: Optional[str] = None
    message: Optional[str] = None
    test_results: tuple[Case, ...] = ()
    coverage: Optional[Coverage] = None
    feedback_text: str = ""
    raw: Mapping[str, Any] = field(default_factory=nothing, compare=False, repr=False)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> TestResult:
        coverage = document.get("coverage")
        return from_document(
            cls,
            document,
            raw=document,
            test_results=tuple(_case(case) for case in document.get("test_results") or ()),
            coverage=one(Coverage, coverage),
        )

    def raise_for_status(self) -> TestResult:
        """Raises `TestError` unless all cases passed; returns the result."""
        if not self.all_passed:
            raise TestError(self.message or self.doubt or f"{self.passed} of {self.total} cases passed", self)
        return self

    def __repr__(self) -> str:
        return f"<TestResult {self.passed} of {self.total} passed, score={self.score}>"


def _case(document: Mapping[str, Any]) -> Case:
    return from_document(Case, document, exception=one(CaseException, document.get("exception")))


@dataclass(frozen=True)
class FileInfo:
    """A file or, with a path that ends in ``/``, a folder of the workspace."""

    path: str = ""
    size: int = 0
    mtime_ms: int = 0

    @property
    def is_dir(self) -> bool:
        return self.path.endswith("/")


@dataclass(frozen=True)
class Variable:
    """A variable of a session: its name, the name of its type, and a short text of its value."""

    name: str = ""
    type: str = ""
    value: str = ""
