# SPDX-License-Identifier: Apache-2.0
"""The result of a command."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

from ..errors import GloveboxError


class CommandError(GloveboxError):
    """A command did not succeed; `result` is its result."""

    def __init__(self, message: str, result: CommandResult) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[type[CommandError], tuple[str, CommandResult]]:
        return type(self), (str(self), self.result)


@dataclass(frozen=True)
class CommandResult:
    """What a command printed, and how it ended.

    `exit_code` is what a shell would give: 124 after the time, 126 and 127 for a command that cannot be started, 128+N
    after signal N. `error_type` is None after a success, ``"guest"`` if the command failed, ``"limit"`` if it reached
    a limit, ``"refused"`` or ``"ours"`` if it did not run. If `truncated`, the middle of an output is missing.
    """

    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int = 0
    truncated: bool = False
    error_type: Optional[str] = None
    timed_out: bool = False
    duration_ms: int = 0
    message: str = field(default="", compare=False)

    def __repr__(self) -> str:
        ended = f"exit_code={self.exit_code}" + (f" {self.error_type}" if self.error_type else "")
        ended += f" {self.message[:200]!r}" if self.message else ""
        return f"<CommandResult {ended} stdout={self.stdout[:200]!r} stderr={self.stderr[:200]!r}>"

    @property
    def success(self) -> bool:
        return self.exit_code == 0 and self.error_type is None

    @property
    def output(self) -> str:
        """The standard output, then the standard error, as text."""
        return (self.stdout + self.stderr).decode("utf-8", "replace")

    def raise_for_status(self) -> CommandResult:
        """Raises `CommandError` after a failure; returns the result."""
        if self.success:
            return self
        said = self.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        reason = self.message or said
        raise CommandError(f"the command ended with status {self.exit_code}" + (f": {reason}" if reason else ""), self)


@dataclass(frozen=True)
class Entry:
    """A file or folder inside the sandbox; `mode` is that of ``os.stat``."""

    path: str
    size: int = 0
    mode: int = 0
    mtime_ms: int = 0
    is_dir: bool = False
