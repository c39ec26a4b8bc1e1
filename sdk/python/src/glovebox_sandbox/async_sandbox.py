# SPDX-License-Identifier: Apache-2.0
"""`AsyncSandbox`: the verbs of `Sandbox` as coroutines."""

from __future__ import annotations

import asyncio
import sys
import warnings
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from . import verbs, workspace
from .asynchronous import AsyncDriver, Outcome
from .described import Described
from .events import BatchResult, Event
from .live import marked, watcher
from .schemas import AttemptOptions, CellOptions, CheckOptions, JudgeOptions, ProgramOptions, RunOptions, SandboxOptions
from .programs import OnProgress, Program, Programs, length, source_of
from .quantities import Time
from .results import FileInfo, Result, TestResult, Variable, Verdict
from .sandbox import Cases, OnEvent, ToolsGiven
from .state import State
from .steps import Steps, T
from .tools import Tools
from .workspace import FilePath

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

_MISSING: Any = object()


class AsyncSandbox(Described):
    """A place in which programs run behind a wall: `Sandbox`, for an event loop. Tools and `on_event` may be coroutine
    functions; they run in the loop that runs the cell. Cancelling a verb stops the program.

    >>> import asyncio
    >>> async def main():
    ...     async with AsyncSandbox(memory="256m") as box:
    ...         await box.exec("x = 6 * 7")
    ...         return (await box.exec("x")).value
    >>> asyncio.run(main())
    42
    """

    def __init__(self, *, url: Optional[str] = None, token: Optional[str] = None, language: str = "python",
                 tools: ToolsGiven = (), on_input: Optional[Callable[[str], Any]] = None,
                 **options: Unpack[SandboxOptions]) -> None:
        self._begin(AsyncDriver(url, token), State(language, Tools(tools), options, on_input))

    def _begin(self, driver: AsyncDriver, state: State) -> None:
        self._driver, self._state = driver, state
        self._opening: Optional[asyncio.Task[None]] = None

    @classmethod
    async def attach(cls, id: str, *, url: Optional[str] = None, token: Optional[str] = None, tools: ToolsGiven = (),
                     on_input: Optional[Callable[[str], Any]] = None) -> Self:
        """The sandbox of a session that is open in a daemon, by its id or name. `detach` leaves one open."""
        box = cls(url=url, token=token, tools=tools, on_input=on_input)
        try:
            await box._driver.run(verbs.attach(box._state, id))
        except BaseException:
            await box.close()
            raise
        return box

    async def run(self, code: str, *, on_event: Optional[OnEvent] = None, show: bool = False,
                  **options: Unpack[ProgramOptions]) -> Result:
        """Runs a program once, in a jail of its own."""
        watch = watcher(show, on_event)
        return marked(show, await self._driver.run(verbs.run(self._state, code, watch is not None, options), watch))

    async def batch(self, programs: Iterable[Program], **options: Unpack[RunOptions]) -> list[Result]:
        """Runs many programs, side by side, and returns their results in the same order."""
        return await self._driver.run(verbs.batch(self._state, programs, options))

    async def stream(self, programs: Programs, *, on_progress: Optional[OnProgress] = None,
                     **options: Unpack[RunOptions]) -> AsyncGenerator[tuple[int, Result], None]:
        """Runs many programs, side by side, and yields the number and the result of each as it ends. Programs are
        taken from `programs`, which may be an asynchronous generator, as they are needed. Closing the generator stops
        the rest. After each, ``on_progress(ended, total)`` is called; it may be a coroutine function."""
        steps = verbs.stream_batch(self._state, source_of(programs, True), on_progress, length(programs), options)
        events = self._driver.events(steps, Outcome())
        try:
            async for event in events:
                assert isinstance(event, BatchResult)
                yield event.index, event.result
        finally:
            await events.aclose()

    async def check(self, code: str, **options: Unpack[CheckOptions]) -> Verdict:
        """Reads a program with the guard and runs nothing."""
        return await self._driver.run(verbs.check(self._state, code, options))

    async def test(self, code: str, cases: Optional[Cases] = None, *, on_event: Optional[OnEvent] = None,
                   **options: Unpack[JudgeOptions]) -> TestResult:
        """Judges a program by cases. Expected values never enter the sandbox."""
        return await self._driver.run(verbs.test(self._state, code, cases, on_event is not None, options), on_event)

    async def exec(self, code: str, *, on_event: Optional[OnEvent] = None, show: bool = False,
                   **options: Unpack[CellOptions]) -> Result:
        """Runs a cell in the session."""
        steps = verbs.exec_cell(await self._opened(), code, options)
        return marked(show, await self._driver.run(steps, watcher(show, on_event)))

    async def attempt(self, code: str, *, on_event: Optional[OnEvent] = None, show: bool = False,
                      **options: Unpack[AttemptOptions]) -> Result:
        """Runs a cell that is undone unless it succeeds."""
        steps = verbs.attempt_cell(await self._opened(), code, options)
        return marked(show, await self._driver.run(steps, watcher(show, on_event)))

    async def events(self, code: str, *, once: bool = False,
                     **options: Unpack[CellOptions]) -> AsyncGenerator[Event, None]:
        """The events of a cell, or with `once` of a run, as they happen. Closing the generator stops the program.

        >>> import asyncio
        >>> async def main():
        ...     async with AsyncSandbox() as box:
        ...         return [event.text async for event in box.events("print('a')") if event.raw["event"] == "stdout"]
        >>> asyncio.run(main())
        ['a\\n']
        """
        steps = verbs.run(self._state, code, True, options) if once else verbs.exec_cell(
            await self._opened(), code, options)
        events = self._driver.events(steps, Outcome())
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    async def open(self) -> Self:
        """Opens the session now, instead of at the first verb that needs it."""
        await self._opened()
        return self

    async def fork(self, *, name: Optional[str] = None, idle: Optional[Time] = None) -> AsyncSandbox:
        """A copy with the same variables, files and tools."""
        state = await self._driver.run(verbs.fork(await self._opened(), name, idle))
        copy = AsyncSandbox.__new__(AsyncSandbox)
        copy._begin(self._driver.copy(), state)
        return copy

    async def commit(self, image: str) -> str:
        """Makes an image with this name, in which a session begins with the files of this one."""
        return await self._driver.run(verbs.commit(await self._opened(), image))

    async def set_network(self, net: str) -> None:
        """Replaces what this sandbox and its forks may reach, at once."""
        await self._driver.run(verbs.set_network(await self._opened(), net))

    async def network(self) -> str:
        """What this sandbox and its forks may reach now."""
        return await self._driver.run(verbs.network(await self._opened()))

    def _another(self) -> AsyncSandbox:
        """A sandbox with the same options and a session of its own."""
        another = AsyncSandbox.__new__(AsyncSandbox)
        another._begin(self._driver.copy(), self._state.another())
        return another

    async def interrupt(self) -> None:
        """Interrupts the running cell, from another task."""
        if self._state.id is not None:
            await self._driver.run(verbs.session_verb(self._state, "interrupt"))

    async def restart(self) -> None:
        """Starts a new guest in the same workspace: variables are gone, files stay."""
        await self._driver.run(verbs.session_verb(await self._opened(), "restart"))

    async def info(self) -> dict[str, Any]:
        """The daemon's description of the session."""
        return await self._driver.run(verbs.info(await self._opened()))

    @property
    def files(self) -> AsyncFiles:
        """The files of the workspace."""
        return AsyncFiles(self)

    @property
    def variables(self) -> AsyncVariables:
        """The variables of the session."""
        return AsyncVariables(self)

    async def detach(self) -> Optional[str]:
        """Closes this object and leaves the session open in the daemon; returns its id."""
        session = self._state.id
        self._state.close()
        await self._driver.close()
        return session

    async def close(self) -> None:
        """Closes the session and the connection. A second call does nothing."""
        try:
            await self._driver.run(verbs.close_session(self._state))
        finally:
            await self._driver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()

    def __del__(self) -> None:
        state = getattr(self, "_state", None)
        if state is not None and state.id is not None and not sys.is_finalizing():
            warnings.warn(f"unclosed {self!r}: use 'async with' or close()", ResourceWarning, source=self)

    async def _opened(self) -> State:
        """Several tasks may open the session at the same time: one does, and the others wait for it."""
        if self._state.id is None:
            if self._opening is None or self._opening.done():
                self._opening = asyncio.ensure_future(self._driver.run(verbs.open_session(self._state)))
            await asyncio.shield(self._opening)
        return self._state

    async def _do(self, verb: Callable[..., Steps[T]], *args: Any) -> T:
        return await self._driver.run(verb(await self._opened(), *args))


class AsyncFiles:
    """The workspace of a sandbox. Paths are relative to it."""

    def __init__(self, box: AsyncSandbox) -> None:
        self._box = box

    def __repr__(self) -> str:
        return f"<AsyncFiles of {self._box!r}>"

    async def read(self, path: FilePath) -> bytes:
        """The content of a file; FileNotFoundError if there is none."""
        return await self._box._do(workspace.read_file, path)

    async def read_text(self, path: FilePath, encoding: str = "utf-8", errors: str = "strict") -> str:
        return (await self.read(path)).decode(encoding, errors)

    async def write(self, path: FilePath, data: Union[str, bytes]) -> None:
        """Writes a file; its folders are made."""
        await self._box._do(workspace.write_file, path, data)

    async def list(self, folder: FilePath = "") -> list[FileInfo]:
        """All files in a folder and below it."""
        return await self._box._do(workspace.list_files, folder)

    async def exists(self, path: FilePath) -> bool:
        return await self._box._do(workspace.has_file, path)

    async def delete(self, path: FilePath) -> None:
        await self._box._do(workspace.delete_file, path)

    async def upload(self, local: FilePath, path: FilePath = "") -> Sequence[str]:
        """Copies a file or a folder of yours into the workspace; returns the paths there."""
        return await self._box._do(workspace.upload, local, path)

    async def download(self, path: FilePath, local: Optional[FilePath] = None) -> Path:
        """Copies a file to `local`, a file or a folder, or into the current folder; returns its path."""
        return await self._box._do(workspace.download, path, local)


class AsyncVariables:
    """The variables of a session, as Python values."""

    def __init__(self, box: AsyncSandbox) -> None:
        self._box = box

    def __repr__(self) -> str:
        return f"<AsyncVariables of {self._box!r}>"

    async def get(self, name: str, default: Any = _MISSING) -> Any:
        """The value of a variable; without a default, KeyError if there is none."""
        found = await self.get_many([name])
        if name in found or default is not _MISSING:
            return found.get(name, default)
        raise KeyError(name)

    async def get_many(self, names: Iterable[str]) -> dict[str, Any]:
        """The variables of these names that exist."""
        return await self._box._do(workspace.get_variables, names)

    async def set(self, **values: object) -> None:
        await self.set_many(values)

    async def set_many(self, values: Mapping[str, object]) -> None:
        await self._box._do(workspace.set_variables, values)

    async def list(self) -> Sequence[Variable]:
        """Names, types and short texts of the variables that cells made."""
        return await self._box._do(workspace.list_variables)
