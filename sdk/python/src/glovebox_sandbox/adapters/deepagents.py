# SPDX-License-Identifier: Apache-2.0
"""Deep Agents: a backend whose commands and files are in a sandbox.

    from deepagents import create_deep_agent
    from glovebox_sandbox.adapters.deepagents import GloveboxBackend

    with GloveboxBackend(timeout="2m") as backend:
        agent = create_deep_agent(model=model, backend=backend)
        agent.invoke({"messages": [("user", "Write a program that counts words, and test it.")]})

The agent gets `execute` and the file tools of Deep Agents. All of them act inside the sandbox, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deepagents.backends.protocol import (
    ExecuteResponse,
    FileDownloadResponse,
    FileOperationError,
    FileUploadResponse,
)
from deepagents.backends.sandbox import BaseSandbox

from glovebox_sandbox.core import Box

__all__ = ["GloveboxBackend"]

NO_LIMIT_S = 3600  # what a daemon allows at most, unless its operator says otherwise
# Where Deep Agents keeps large outputs of commands and the beginnings of long conversations.
RESULTS = "/large_tool_results"
KEPT = (RESULTS, "/conversation_history")
# The first row that fits gives an error its name in Deep Agents.
ERRORS: tuple[tuple[type[OSError], FileOperationError], ...] = (
    (FileNotFoundError, "file_not_found"),
    (PermissionError, "permission_denied"),
    (IsADirectoryError, "is_directory"),
    (NotADirectoryError, "invalid_path"),
    (FileExistsError, "invalid_path"),
)


class GloveboxBackend(BaseSandbox):
    """A sandbox as a backend of Deep Agents. The options are those of `Box`: `memory="1g"`, `net="host"`.

    `box` is a `Box` of yours, which `close()` then leaves open. Threads and event loops may share a backend. An output
    that is too large for the model stays in a file inside, of which the model sees the beginning and the end; a `Box` of
    yours has a place for it if it was made with `writable=GloveboxBackend.KEPT`.
    """

    KEPT = KEPT

    def __init__(self, box: Box | None = None, **options: Any) -> None:
        if box is not None and options:
            raise ValueError("give either a box or its options: the options of an open box cannot change")
        if box is None:
            if options.get("backend") in (None, "jail"):
                options["writable"] = [*options.get("writable", ()), *KEPT]
            self._box = Box(**options)
        else:
            self._box = box
        self._owned = box is None
        self.enable_capture_offload = RESULTS in self._box._sandbox._state.options.get("writable", ())

    @property
    def box(self) -> Box:
        return self._box

    @property
    def id(self) -> str:
        """The name of the sandbox's session in the daemon."""
        if self._box.id is None:
            self._box.exec(["true"])
        return self._box.id or "glovebox"

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        """Runs a command in the sandbox's shell. A timeout is exit code 124; `timeout=0` means an hour."""
        result = self._box.exec(command, timeout=NO_LIMIT_S if timeout == 0 else timeout)
        output = result.output
        if result.message and not result.success:
            message = f"{result.message} (the sandbox failed, not the command)" if result.error_type == "ours" else result.message
            output = f"{output}\n{message}" if output else message
        return ExecuteResponse(output=output, exit_code=result.exit_code, truncated=result.truncated)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        def upload(path: str, content: bytes) -> FileUploadResponse:
            error, _ = attempt(path, lambda: self._box.write(path, content))
            return FileUploadResponse(path=path, error=error)

        return [upload(path, content) for path, content in files]

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        def download(path: str) -> FileDownloadResponse:
            error, content = attempt(path, lambda: self._box.read(path))
            return FileDownloadResponse(path=path, content=content, error=error)

        return [download(path) for path in paths]

    def close(self) -> None:
        """Ends the sandbox with all that runs in it; a second call does nothing."""
        if self._owned:
            self._box.close()

    def __enter__(self) -> GloveboxBackend:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def attempt(path: str, action: Callable[[], Any]) -> tuple[FileOperationError | str | None, Any]:
    """One file of several: its error is a part of the answer and does not stop the others."""
    if not path.startswith("/"):
        return "invalid_path", None
    try:
        return None, action()
    except OSError as error:
        return next((name for kind, name in ERRORS if isinstance(error, kind)), str(error)), None
