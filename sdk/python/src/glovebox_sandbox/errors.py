# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package. Each message says what failed and what to do.

A program that fails inside the sandbox raises nothing here: its failure is a result. ``raise_for_status()`` of a
result turns it into a `RunError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from .printable import lines

if TYPE_CHECKING:
    from .results import Result, TestResult


def kind_of(value: object) -> str:
    """The value's type, for a message.

    >>> kind_of(1), kind_of("a"), kind_of(None)
    ('an int', 'a str', 'None')
    """
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def text_of(name: str, value: object, advice: str) -> str:
    """The value, or `UsageError` if it is no text."""
    if not isinstance(value, str):
        raise UsageError(f"{name} is {kind_of(value)}; {advice}")
    return value


class GloveboxError(Exception):
    """The base of all exceptions of this package. Messages can have words of a guest, so a terminal gets them without
    what it would obey."""

    def __str__(self) -> str:
        return lines(super().__str__())


class UsageError(GloveboxError, ValueError, TypeError):
    """An argument has a value or a type that is invalid, or the daemon does not know it."""


class PolicyError(GloveboxError, PermissionError):
    """The daemon's operator does not permit this, or the token is missing or wrong."""


class SessionError(GloveboxError):
    """The session is dead, closed or unknown to the daemon."""


class BusyError(GloveboxError):
    """The daemon has no room now. `retry_after` is the number of seconds after which to try again, if known."""

    def __init__(self, message: str, retry_after: Optional[float] = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnsupportedError(GloveboxError):
    """This host, this language or this version of the daemon cannot do it."""


class DeadlineError(GloveboxError, TimeoutError):
    """The answer did not arrive in time."""


class DaemonError(GloveboxError, ConnectionError):
    """There is no daemon, it could not be started, the connection was lost, or the daemon itself failed."""


class RunError(GloveboxError):
    """A run or a cell did not succeed; `result` is its result."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[type[RunError], tuple[str, Result]]:
        return type(self), (str(self), self.result)


class GuestError(RunError):
    """The program failed: an exception, or an exit status that is not 0."""


class RefusedError(RunError):
    """The guard or a policy refused the program; ``result.verdict`` says why."""


class LimitError(RunError):
    """The program reached a limit; ``result.limits`` has its name."""


class FaultError(RunError):
    """Glovebox, this host or the request failed, or the run was stopped. This says nothing about the program."""


class CheckError(GloveboxError):
    """A program did not pass the guard."""


class TestError(GloveboxError):
    """Not all cases passed, or some could not be judged; `result` is the result of the test."""

    __test__ = False  # pytest would take the class for a test

    def __init__(self, message: str, result: TestResult) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[type[TestError], tuple[str, TestResult]]:
        return type(self), (str(self), self.result)
