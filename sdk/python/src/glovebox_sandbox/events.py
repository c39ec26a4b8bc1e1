# SPDX-License-Identifier: Apache-2.0
"""Events of a run or a cell, in the order in which they happen. The last one is `Finished`, with the result."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Union

from .documents import each, from_document, nothing, object_or_none
from .printable import one_line, shown
from .results import Missing, Result, TestResult, Verdict, verdict_from
from .shown import Display, display_from
from .values import decode


@dataclass(frozen=True)
class Event:
    """An event; `time_ms` counts from 1970. An event of a newer daemon that has no class here is a plain `Event`."""

    time_ms: int = 0
    raw: Mapping[str, Any] = field(default_factory=nothing, repr=False, compare=False)


@dataclass(frozen=True)
class VerdictEvent(Event):
    """The guard has read the program."""

    id: str = ""
    verdict: Verdict = Verdict()


@dataclass(frozen=True)
class WarningEvent(Event):
    """A warning, such as a missing wall."""

    message: str = ""


@dataclass(frozen=True)
class Started(Event):
    """The program has started."""

    id: str = ""
    language: str = ""
    backend: str = ""
    isolation: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True)
class Stdout(Event):
    """A piece of the standard output; `data` has the exact bytes."""

    text: str = ""
    data: bytes = field(default=b"", repr=False)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.text[:200]!r}>"


@dataclass(frozen=True, repr=False)
class Stderr(Stdout):
    """A piece of the standard error; `data` has the exact bytes."""


@dataclass(frozen=True)
class DeniedEvent(Event):
    """The sandbox refused a system call for the first time."""

    name: str = ""


@dataclass(frozen=True)
class LimitReached(Event):
    """The program reached a limit."""

    limit: str = ""


@dataclass(frozen=True)
class FileEvent(Event):
    """A file is new, modified or deleted."""

    path: str = ""
    size: int = 0
    sha256: Optional[str] = None
    mime: str = ""
    change: str = ""


@dataclass(frozen=True)
class DisplayEvent(Event):
    """The program displayed a value, a picture or a table."""

    display: Display = Display()


@dataclass(frozen=True)
class Progress(Event):
    """The program is still running; one each second."""

    elapsed_ms: int = 0
    memory_bytes: int = 0
    cpu_ms: Optional[int] = None


@dataclass(frozen=True, repr=False)
class ToolCall(Event):
    """The guest calls a tool. It is answered before the next event is read."""

    call: int = 0
    session: str = ""
    name: str = ""
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=nothing)
    timeout_ms: int = 0

    def __repr__(self) -> str:
        given = [shown(value)[:200] for value in self.args] + [f"{name}={shown(value)[:200]}" for name, value in self.kwargs.items()]
        return one_line(f"<ToolCall {self.name}({', '.join(given)})>")


@dataclass(frozen=True)
class InputCall(Event):
    """The cell calls ``input()`` or, if `hidden`, ``getpass()``."""

    call: int = 0
    session: str = ""
    prompt: str = ""
    hidden: bool = False
    timeout_ms: int = 0


@dataclass(frozen=True)
class CaseEvent(Event):
    """A case of a test was judged."""

    number: int = 0
    name: str = ""
    call: Optional[str] = None
    passed: bool = False
    error_type: Optional[str] = None
    outcome: str = ""
    detail: Optional[str] = None


@dataclass(frozen=True)
class Finished(Event):
    """The last event, with the result."""

    result: Union[Result, TestResult] = Result()


@dataclass(frozen=True)
class BatchResult(Event):
    """A program of a batch has ended: its place among the programs, and its result."""

    index: int = 0
    result: Result = Result()


def event_from(line: Mapping[str, Any]) -> Event:
    """The event of a line of a stream."""
    read = _READERS.get(str(line.get("event")))
    return read(line) if read else from_document(Event, line, raw=line)


def _plain(kind: type[Event]) -> Callable[[Mapping[str, Any]], Event]:
    return lambda line: from_document(kind, line, raw=line)


def _output(kind: type[Stdout]) -> Callable[[Mapping[str, Any]], Event]:
    def read(line: Mapping[str, Any]) -> Event:
        encoded, text = line.get("base64"), str(line.get("text", ""))
        data = base64.b64decode(encoded) if encoded else text.encode("utf-8", "replace")
        return from_document(kind, line, raw=line, data=data, text=text)

    return read


def _tool_call(line: Mapping[str, Any]) -> Event:
    arguments = tuple(decode(value) for value in line.get("args") or ())
    named = {name: decode(value) for name, value in (object_or_none(line.get("kwargs")) or {}).items()}
    return from_document(ToolCall, line, raw=line, args=arguments, kwargs=named)


def _finished(line: Mapping[str, Any]) -> Event:
    document = object_or_none(line.get("result")) or {}
    is_test = "test_results" in document
    result = TestResult.from_document(document) if is_test else Result.from_document(document)
    return from_document(Finished, line, raw=line, result=result)


_READERS: dict[str, Callable[[Mapping[str, Any]], Event]] = {
    "verdict": lambda line: from_document(
        VerdictEvent, line, raw=line, verdict=verdict_from(line.get("verdict") or {})),
    "warning": _plain(WarningEvent),
    "started": lambda line: from_document(Started, line, raw=line, missing=each(Missing, line.get("missing"))),
    "stdout": _output(Stdout),
    "stderr": _output(Stderr),
    "denied": _plain(DeniedEvent),
    "limit": _plain(LimitReached),
    "file": _plain(FileEvent),
    "display": lambda line: from_document(
        DisplayEvent, line, raw=line, display=display_from(line.get("bundle") or {})),
    "progress": _plain(Progress),
    "tool": _tool_call,
    "input": _plain(InputCall),
    "case": _plain(CaseEvent),
    "finished": _finished,
}
