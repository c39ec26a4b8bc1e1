# SPDX-License-Identifier: Apache-2.0
"""`Box` and `AsyncBox`: commands and files behind a wall."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from ..async_sandbox import AsyncSandbox
from ..errors import UnsupportedError
from ..schemas import SandboxOptions
from ..quantities import Time
from ..sandbox import Sandbox
from ..steps import Steps, T
from . import commands
from .commands import Command, OnOutput, Place
from .results import CommandResult, Entry

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

_OUTPUT = "16m"  # of each stream in a result, unless the options say otherwise


class Box:
    """A place in which commands run behind a wall. Files and background processes stay from one command to the next,
    ``cd`` and ``export`` do not. Commands run one after the other.

    >>> with Box() as box:
    ...     box.write("in.txt", "b\\na\\n")
    ...     box.exec("sort in.txt").stdout
    ...     box.exec(["ls", "nothing"]).exit_code
    b'a\\nb\\n'
    2
    """

    def __init__(self, *, url: Optional[str] = None, token: Optional[str] = None,
                 **options: Unpack[SandboxOptions]) -> None:
        options.setdefault("output_limit", _OUTPUT)
        self._begin(Sandbox(url=url, token=token, **options), Place())

    def _begin(self, sandbox: Sandbox, place: Place) -> None:
        self._sandbox, self._place = sandbox, place

    @classmethod
    def create(cls, *, url: Optional[str] = None, token: Optional[str] = None,
               **options: Unpack[SandboxOptions]) -> Self:
        """A box that is open."""
        box = cls(url=url, token=token, **options)
        try:
            box._do(commands.prepare)
        except BaseException:
            box.close()
            raise
        return box

    @classmethod
    def attach(cls, id: str, *, url: Optional[str] = None, token: Optional[str] = None) -> Self:
        """The box of a session that is open in a daemon, which `detach` left."""
        box = cls.__new__(cls)
        box._begin(Sandbox.attach(id, url=url, token=token), Place())
        return box

    def exec(self, command: Command, *, cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None,
             timeout: Optional[Time] = None, user: Union[str, int, None] = None, stdin: Union[bytes, str, None] = None,
             on_stdout: Optional[OnOutput] = None, on_stderr: Optional[OnOutput] = None) -> CommandResult:
        """Runs a text in a shell, or a list of words without one. A command that fails is a result."""
        return self._do(commands.run_command, command, cwd, env, timeout, user, stdin, (on_stdout, on_stderr))

    def read(self, path: str) -> bytes:
        """The content of a file; FileNotFoundError and its like as for files outside."""
        return self._do(commands.read, path)

    def write(self, path: str, data: Union[bytes, str], *, mode: Optional[int] = None) -> None:
        """Writes a file; its folders are made."""
        self._do(commands.write, path, data, mode)

    def list(self, path: str = ".") -> list[Entry]:
        """What is in a folder, but not below it."""
        return self._do(commands.entries, path)

    def stat(self, path: str) -> Entry:
        return self._do(commands.look, path)

    def exists(self, path: str) -> bool:
        return self._do(commands.exists, path)

    def delete(self, path: str, *, recursive: bool = False) -> None:
        self._do(commands.delete, path, recursive)

    def mkdir(self, path: str) -> None:
        """Makes a folder and those above it; one that is there already is no error."""
        self._do(commands.make_folder, path)

    def upload(self, local: Union[str, os.PathLike[str]], path: str) -> None:
        """Copies a file or a folder of yours to `path`."""
        self._do(commands.upload, local, path)

    def download(self, path: str, local: Union[str, os.PathLike[str]]) -> None:
        """Copies a file or a folder to `local`. Links are left out."""
        self._do(commands.download, path, local)

    def persist(self) -> bytes:
        """The workspace as a tar archive."""
        return self._do(commands.persist)

    def hydrate(self, data: bytes) -> None:
        """Unpacks a tar archive into the workspace. Links that leave it, and devices, are refused."""
        self._do(commands.hydrate, data)

    def fork(self) -> Box:
        """A copy: of all files where sessions can be forked, else of the workspace. Background processes stay with
        the original. Afterwards the two share nothing."""
        self._do(commands.prepare)
        copy = Box.__new__(Box)
        try:
            copy._begin(self._sandbox.fork(), replace(self._place))
        except UnsupportedError:
            copy._begin(self._sandbox._another(), Place())
            copy.hydrate(self.persist())
        return copy

    def status(self) -> str:
        """``"new"``, ``"running"``, ``"dead"`` or ``"closed"``."""
        return self._sandbox._driver.run(commands.status(self._sandbox._state))

    @property
    def id(self) -> Optional[str]:
        """The session's id; None before it is opened."""
        return self._sandbox.id

    @property
    def workspace(self) -> str:
        """The folder inside in which commands start."""
        self._do(commands.prepare)
        return self._place.workspace

    @property
    def user(self) -> str:
        """The user as which commands run."""
        self._do(commands.prepare)
        return self._place.user

    def detach(self) -> Optional[str]:
        """Closes this object and leaves the session open in the daemon; returns its id for `attach`."""
        return self._sandbox.detach()

    def close(self) -> None:
        """Ends everything inside. A second call does nothing."""
        self._sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return self._sandbox._state.shown("Box")

    def _do(self, verb: Callable[..., Steps[T]], *args: Any) -> T:
        return self._sandbox._do(verb, self._place, *args)


class AsyncBox:
    """`Box` for an event loop; `on_stdout` and `on_stderr` may be coroutine functions. Cancelling `exec` ends the
    command."""

    def __init__(self, *, url: Optional[str] = None, token: Optional[str] = None,
                 **options: Unpack[SandboxOptions]) -> None:
        options.setdefault("output_limit", _OUTPUT)
        self._begin(AsyncSandbox(url=url, token=token, **options), Place())

    def _begin(self, sandbox: AsyncSandbox, place: Place) -> None:
        self._sandbox, self._place = sandbox, place

    @classmethod
    async def create(cls, *, url: Optional[str] = None, token: Optional[str] = None,
                     **options: Unpack[SandboxOptions]) -> Self:
        """A box that is open."""
        box = cls(url=url, token=token, **options)
        try:
            await box._do(commands.prepare)
        except BaseException:
            await box.close()
            raise
        return box

    @classmethod
    async def attach(cls, id: str, *, url: Optional[str] = None, token: Optional[str] = None) -> Self:
        """The box of a session that is open in a daemon, which `detach` left."""
        box = cls.__new__(cls)
        box._begin(await AsyncSandbox.attach(id, url=url, token=token), Place())
        return box

    async def exec(self, command: Command, *, cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None,
                   timeout: Optional[Time] = None, user: Union[str, int, None] = None,
                   stdin: Union[bytes, str, None] = None, on_stdout: Optional[OnOutput] = None,
                   on_stderr: Optional[OnOutput] = None) -> CommandResult:
        """Runs a text in a shell, or a list of words without one. A command that fails is a result."""
        return await self._do(commands.run_command, command, cwd, env, timeout, user, stdin, (on_stdout, on_stderr))

    async def read(self, path: str) -> bytes:
        return await self._do(commands.read, path)

    async def write(self, path: str, data: Union[bytes, str], *, mode: Optional[int] = None) -> None:
        await self._do(commands.write, path, data, mode)

    async def list(self, path: str = ".") -> list[Entry]:
        return await self._do(commands.entries, path)

    async def stat(self, path: str) -> Entry:
        return await self._do(commands.look, path)

    async def exists(self, path: str) -> bool:
        return await self._do(commands.exists, path)

    async def delete(self, path: str, *, recursive: bool = False) -> None:
        await self._do(commands.delete, path, recursive)

    async def mkdir(self, path: str) -> None:
        await self._do(commands.make_folder, path)

    async def upload(self, local: Union[str, os.PathLike[str]], path: str) -> None:
        await self._do(commands.upload, local, path)

    async def download(self, path: str, local: Union[str, os.PathLike[str]]) -> None:
        await self._do(commands.download, path, local)

    async def persist(self) -> bytes:
        """The workspace as a tar archive."""
        return await self._do(commands.persist)

    async def hydrate(self, data: bytes) -> None:
        """Unpacks a tar archive into the workspace. Links that leave it, and devices, are refused."""
        await self._do(commands.hydrate, data)

    async def fork(self) -> AsyncBox:
        await self._do(commands.prepare)
        copy = AsyncBox.__new__(AsyncBox)
        try:
            copy._begin(await self._sandbox.fork(), replace(self._place))
        except UnsupportedError:
            copy._begin(self._sandbox._another(), Place())
            await copy.hydrate(await self.persist())
        return copy

    async def status(self) -> str:
        """``"new"``, ``"running"``, ``"dead"`` or ``"closed"``."""
        return await self._sandbox._driver.run(commands.status(self._sandbox._state))

    @property
    def id(self) -> Optional[str]:
        return self._sandbox.id

    @property
    def workspace(self) -> str:
        """The folder inside in which commands start; known once the box is open."""
        return self._place.workspace

    @property
    def user(self) -> str:
        """The user as which commands run; known once the box is open."""
        return self._place.user

    async def detach(self) -> Optional[str]:
        """Closes this object and leaves the session open in the daemon; returns its id for `attach`."""
        return await self._sandbox.detach()

    async def close(self) -> None:
        await self._sandbox.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()

    def __repr__(self) -> str:
        return self._sandbox._state.shown("AsyncBox")

    async def _do(self, verb: Callable[..., Steps[T]], *args: Any) -> T:
        return await self._sandbox._do(verb, self._place, *args)
