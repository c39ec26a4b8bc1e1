# SPDX-License-Identifier: Apache-2.0
"""What a verb wants from the world, one step at a time.

Each verb is a generator that yields steps and receives their outcomes. It does no input or output itself: the drivers
(`blocking`, `asynchronous`) do, so that each verb is written once.
"""

from __future__ import annotations

import json
import numbers
import os
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, TypeVar, Union, cast

from .documents import nothing
from .errors import UsageError, kind_of
from .events import Event

PATIENCE = 90.0  # seconds to wait for an answer that is not behind a run


@dataclass(frozen=True)
class Request:
    """A request; `wait` is the number of seconds in which the answer must begin, and continue; None for any number."""

    method: str
    path: str
    body: bytes = field(default=b"", repr=False)
    content_type: str = "application/json"
    wait: Optional[float] = PATIENCE
    stream: bool = False


@dataclass(frozen=True)
class Answer:
    """An answer with its whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def kind(self) -> str:
        """The kind of an error; empty if the body is no error of a daemon's."""
        try:
            return str(json.loads(self.body)["error"]["kind"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return ""


@dataclass(frozen=True)
class Send:
    """Send a request: the outcome is its `Answer`."""

    request: Request


@dataclass(frozen=True)
class Open:
    """Begin a stream: the outcome is an `Answer`, whose body is there only if the status is an error."""

    request: Request


@dataclass(frozen=True)
class NextLine:
    """The next line of the stream, or None at its end."""


@dataclass(frozen=True)
class Call:
    """Call a function of the user's: the outcome is what it returns. A coroutine is awaited."""

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=nothing)


@dataclass(frozen=True)
class Emit:
    """Hand an event to the caller."""

    event: Event


@dataclass(frozen=True)
class Sleep:
    """Wait for a moment."""

    seconds: float


T = TypeVar("T")
Step = Union[Send, Open, NextLine, Call, Emit, Sleep]
Steps = Generator[Step, Any, T]


def json_request(method: str, path: str, document: Optional[Mapping[str, Any]] = None, *,
                 wait: Optional[float] = PATIENCE, stream: bool = False) -> Request:
    body = b"" if document is None else json_text(document).encode()
    return Request(method, path, body, wait=wait, stream=stream)


def _plain(value: object) -> Any:
    """What an option may be beside the types of JSON: a path, and a number of numpy or of a class of its own."""
    if isinstance(value, os.PathLike):
        return os.fsdecode(cast("os.PathLike[str]", value))
    if isinstance(value, numbers.Real):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    raise TypeError(f"it is {kind_of(value)}")


def json_text(value: object) -> str:
    """The value as JSON; `UsageError` for what JSON does not have."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("a text has half of a surrogate pair, which no UTF-8 has; remove it, for example with "
                         "text.encode('utf-8', 'replace').decode()") from None
    except (TypeError, ValueError) as error:
        raise UsageError(f"a value has no form in JSON: {error}") from None
    return text
