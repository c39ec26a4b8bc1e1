# SPDX-License-Identifier: Apache-2.0
"""Google's Agent Development Kit: an environment whose commands and files are in a sandbox.

    from google.adk.agents import LlmAgent
    from google.adk.tools.environment import EnvironmentToolset
    from glovebox_sandbox.adapters.google_adk_environment import GloveboxEnvironment

    environment = GloveboxEnvironment(working_dir="/app", memory="1g")
    agent = LlmAgent(name="coder", model="...", tools=[EnvironmentToolset(environment=environment)])

ADK's tools Execute, ReadFile, EditFile and WriteFile then act inside the sandbox, and nowhere else.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from google.adk.environment import BaseEnvironment, ExecutionResult

from glovebox_sandbox import SessionError
from glovebox_sandbox.core import Box, CommandResult

from ._places import folders_of

__all__ = ["GloveboxEnvironment"]

T = TypeVar("T")


class GloveboxEnvironment(BaseEnvironment):
    """A sandbox as an environment of ADK. Options beside ADK's own are those of `Box`: `memory="1g"`, `net="host"`.

    `working_dir` is a folder inside, where commands begin and which relative paths are of: absolute, or below the
    workspace, which it is by default. `box` is a `Box` of yours, which `close()` leaves open. Threads and event loops may
    share an environment.
    """

    def __init__(self, box: Box | None = None, *, working_dir: str | os.PathLike[str] = "",
                 env_vars: Mapping[str, str] | None = None, **options: Any) -> None:
        if box is not None and (options or env_vars):
            raise ValueError("give either a box or its options: the options of an open box cannot change")
        self._given, self._box = box, box
        self._wanted, self._working_dir = os.fspath(working_dir), ""
        if env_vars:
            options["env"] = {**options.get("env", {}), **env_vars}
        if folders := folders_of([self._wanted], options.get("writable", ())):
            options["writable"] = folders
        self._options = options

    @property
    def working_dir(self) -> Path:
        if not self._working_dir:
            raise RuntimeError("the environment is not open; call initialize() first")
        return Path(self._working_dir)

    async def initialize(self) -> None:
        if self._working_dir:
            return
        if self._box is None:
            self._box = Box(**self._options)
        self._working_dir = await asyncio.to_thread(self._open, self._box)
        self._is_initialized = True

    def _open(self, box: Box) -> str:
        folder = str(PurePosixPath(box.workspace) / self._wanted)
        box.mkdir(folder)
        return folder

    async def close(self) -> None:
        """Ends the sandbox with all that runs in it; a second call does nothing."""
        box, self._box = self._box, self._given
        self._working_dir, self._is_initialized = "", False
        if box is not None and box is not self._given:
            await asyncio.to_thread(box.close)

    async def execute(self, command: str, *, timeout: float | None = None) -> ExecutionResult:
        """Runs a command in the sandbox's shell. Without `timeout`, its time is that of the sandbox."""
        box, folder = self._opened(), str(self.working_dir)
        return answer(await self._in_thread(lambda: box.exec(command, cwd=folder, timeout=timeout)))

    async def read_file(self, path: str | os.PathLike[str]) -> bytes:
        box, whole = self._opened(), self._path(path)
        return await self._in_thread(lambda: box.read(whole))

    async def write_file(self, path: str | os.PathLike[str], content: str | bytes) -> None:
        box, whole = self._opened(), self._path(path)
        await self._in_thread(lambda: box.write(whole, content))

    def _opened(self) -> Box:
        if self._box is None or not self._working_dir:
            raise RuntimeError("the environment is not open; call initialize() first")
        return self._box

    def _path(self, path: str | os.PathLike[str]) -> str:
        return str(PurePosixPath(self.working_dir) / os.fspath(path))

    async def _in_thread(self, action: Callable[[], T]) -> T:
        """The event loop stays free. A cancelled call ends its command."""
        work = asyncio.ensure_future(asyncio.to_thread(action))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.to_thread(self._opened()._sandbox.interrupt)
            await asyncio.wait([work])
            raise


def answer(result: CommandResult) -> ExecutionResult:
    """What ADK shows to the model; a limit that ended the command is named on its standard error."""
    if result.error_type == "ours":
        raise SessionError(result.message)
    stdout, stderr = (stream.decode(errors="replace") for stream in (result.stdout, result.stderr))
    if result.message and not result.success:
        stderr = f"{stderr.rstrip()}\n{result.message}".lstrip()
    return ExecutionResult(exit_code=result.exit_code, stdout=stdout, stderr=stderr, timed_out=result.timed_out)
