# SPDX-License-Identifier: Apache-2.0
"""`Sandbox`: programs, cells, files, variables and tools, from blocking code."""

from __future__ import annotations

import contextlib
import sys
import threading
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from . import verbs, workspace
from .blocking import Driver
from .described import Described
from .events import BatchResult, Event
from .live import marked, watcher
from .schemas import AttemptOptions, CellOptions, CheckOptions, JudgeOptions, ProgramOptions, RunOptions, SandboxOptions
from .programs import OnProgress, Program, length, source_of
from .quantities import Time
from .results import FileInfo, Result, TestResult, Variable, Verdict
from .state import State
from .steps import Steps, T
from .tools import Function, Tool, Tools
from .workspace import FilePath

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

ToolsGiven = Union[Iterable[Union[Tool, Function]], Mapping[str, Union[Tool, Function]]]
Cases = Sequence[Mapping[str, object]]
OnEvent = Callable[[Event], object]
_MISSING: Any = object()


class Sandbox(Described):
    """A place in which programs run behind a wall.

    `exec` runs cells, which share variables and files; `run` runs a program by itself. The session of the cells is
    opened when the first verb needs it, and closed by `close` or at the end of a ``with``.

    Options are limits (``timeout="5s"``, ``memory="256m"``, ``cpus=0.5``) and the rest of what a run may have
    (``files=``, ``env=``, ``allow_imports=``); `SandboxOptions` lists them. Without `url`, a running daemon of yours is
    used, or one is started that belongs to this process.

    >>> with Sandbox(memory="256m") as box:
    ...     box.exec("x = 6 * 7").success
    ...     box.exec("x").value
    True
    42
    """

    def __init__(self, *, url: Optional[str] = None, token: Optional[str] = None, language: str = "python",
                 tools: ToolsGiven = (), on_input: Optional[Callable[[str], Optional[str]]] = None,
                 **options: Unpack[SandboxOptions]) -> None:
        self._begin(Driver(url, token), State(language, Tools(tools), options, on_input))

    def _begin(self, driver: Driver, state: State) -> None:
        self._driver, self._state, self._opening = driver, state, threading.Lock()

    @classmethod
    def attach(cls, id: str, *, url: Optional[str] = None, token: Optional[str] = None, tools: ToolsGiven = (),
               on_input: Optional[Callable[[str], Optional[str]]] = None) -> Self:
        """The sandbox of a session that is open in a daemon, by its id or name. `detach` leaves one open."""
        box = cls(url=url, token=token, tools=tools, on_input=on_input)
        try:
            box._driver.run(verbs.attach(box._state, id))
        except BaseException:
            box.close()
            raise
        return box

    # ---- runs ----

    def run(self, code: str, *, on_event: Optional[OnEvent] = None, show: bool = False,
            **options: Unpack[ProgramOptions]) -> Result:
        """Runs a program once, in a jail of its own: it shares nothing with the cells. With ``collect=True``, the
        result's `files` have their content. With `show`, output and pictures appear as they come.

        >>> with Sandbox() as box:
        ...     box.run("import sys; print(sys.argv[1:])", args=["a", "b"]).stdout
        "['a', 'b']\\n"
        """
        watch = watcher(show, on_event)
        return marked(show, self._driver.run(verbs.run(self._state, code, watch is not None, options), watch))

    def batch(self, programs: Iterable[Program], **options: Unpack[RunOptions]) -> list[Result]:
        """Runs many programs, side by side, and returns their results in the same order. A program is a text, or a
        dict with ``code`` and options of its own.

        >>> with Sandbox() as box:
        ...     [result.stdout for result in box.batch(["print(1)", {"code": "print(2)", "timeout": "2s"}])]
        ['1\\n', '2\\n']
        """
        return self._driver.run(verbs.batch(self._state, programs, options))

    def stream(self, programs: Iterable[Program], *, on_progress: Optional[OnProgress] = None,
               **options: Unpack[RunOptions]) -> Iterator[tuple[int, Result]]:
        """Runs many programs, side by side, and yields the number and the result of each as it ends. Programs are
        taken from `programs`, which may be a generator, as they are needed: any number fits into memory. Leaving the
        loop stops the rest. After each, ``on_progress(ended, total)`` is called; the total of a generator is None.

        >>> with Sandbox() as box:
        ...     for number, result in box.stream(f"print({n} ** 2)" for n in range(3)):
        ...         squares[number] = result.stdout
        >>> sorted(squares.items())
        [(0, '0\\n'), (1, '1\\n'), (2, '4\\n')]
        """
        steps = verbs.stream_batch(self._state, source_of(programs, False), on_progress, length(programs), options)
        with contextlib.closing(self._driver.events(steps)) as events:
            for event in events:
                assert isinstance(event, BatchResult)
                yield event.index, event.result

    def check(self, code: str, **options: Unpack[CheckOptions]) -> Verdict:
        """Reads a program with the guard and runs nothing.

        >>> with Sandbox() as box:
        ...     box.check("import os; os.system('ls')").findings[0].rule
        'shell-command'
        """
        return self._driver.run(verbs.check(self._state, code, options))

    def test(self, code: str, cases: Optional[Cases] = None, *, on_event: Optional[OnEvent] = None,
             **options: Unpack[JudgeOptions]) -> TestResult:
        """Judges a program by cases (``glovebox help cases``). Expected values never enter the sandbox.

        >>> with Sandbox() as box:
        ...     box.test("def add(a, b): return a + b", [{"args": [1, 2], "expected": 3}], func="add").score
        1.0
        """
        return self._driver.run(verbs.test(self._state, code, cases, on_event is not None, options), on_event)

    # ---- cells ----

    def exec(self, code: str, *, on_event: Optional[OnEvent] = None, show: bool = False,
             **options: Unpack[CellOptions]) -> Result:
        """Runs a cell in the session. Tools that it calls are called in this thread. An exception here, such as
        Ctrl-C, interrupts the cell; the session continues. With `show`, output and pictures appear as they come.

        >>> with Sandbox() as box:
        ...     box.exec("{1: 'one', 2: (3, 4)}").value
        {1: 'one', 2: (3, 4)}
        """
        steps = verbs.exec_cell(self._opened(), code, options)
        return marked(show, self._driver.run(steps, watcher(show, on_event)))

    def attempt(self, code: str, *, on_event: Optional[OnEvent] = None, show: bool = False,
                **options: Unpack[AttemptOptions]) -> Result:
        """Runs a cell that is undone unless it succeeds: ``result.cell.attempt`` is ``"kept"`` or ``"dropped"``, or
        ``"lost"`` when a hostile cell prevented that, and its session is over.
        With ``keep=True``, it is undone only if it would have ended the session; with ``drop=True``, in any case.

        >>> with Sandbox() as box:
        ...     box.exec("x = 1").success
        ...     box.attempt("x = 2; 1 / 0").cell.attempt
        ...     box.exec("x").value
        True
        'dropped'
        1
        """
        steps = verbs.attempt_cell(self._opened(), code, options)
        return marked(show, self._driver.run(steps, watcher(show, on_event)))

    def events(self, code: str, *, once: bool = False,
               **options: Unpack[CellOptions]) -> Generator[Event, None, Result]:
        """The events of a cell, or with `once` of a run, as they happen. Leaving the loop stops the program: use
        ``contextlib.closing`` if you may leave it early.

        >>> with Sandbox() as box:
        ...     [event.text for event in box.events("print('a')") if event.raw["event"] == "stdout"]
        ['a\\n']
        """
        if once:
            return self._driver.events(verbs.run(self._state, code, True, options))
        return self._driver.events(verbs.exec_cell(self._opened(), code, options))

    # ---- the session ----

    def open(self) -> Self:
        """Opens the session now, instead of at the first verb that needs it."""
        self._opened()
        return self

    def fork(self, *, name: Optional[str] = None, idle: Optional[Time] = None) -> Sandbox:
        """A copy with the same variables, files and tools. Afterwards the two share nothing; each is closed on its
        own.

        >>> with Sandbox() as box:
        ...     box.variables["x"] = 1
        ...     with box.fork() as copy:
        ...         copy.variables["x"] = 2
        ...     box.variables["x"]
        1
        """
        state = self._driver.run(verbs.fork(self._opened(), name, idle))
        copy = Sandbox.__new__(Sandbox)
        copy._begin(self._driver.copy(), state)
        return copy

    def commit(self, image: str) -> str:
        """Makes an image with this name, in which ``Sandbox(backend="docker", image=...)`` begins with the files of this
        session, without its variables. Returns the name. For the backend docker."""
        return self._driver.run(verbs.commit(self._opened(), image))

    def set_network(self, net: str) -> None:
        """Replaces what this sandbox and its forks may reach, at once, also while a cell runs: ``"none"``, or
        ``"allow:HOST,..."`` at ports that the sandbox's first ``net`` named. Open connections that it does not allow end.

        >>> with Sandbox(net="allow:packages.example.com") as box:  # doctest: +SKIP
        ...     box.run("install()")
        ...     box.set_network("none")
        """
        self._driver.run(verbs.set_network(self._opened(), net))

    def network(self) -> str:
        """What this sandbox and its forks may reach now: ``"none"``, ``"host"``, or ``"allow:HOST,..."``."""
        return self._driver.run(verbs.network(self._opened()))

    def _another(self) -> Sandbox:
        """A sandbox with the same options and a session of its own."""
        another = Sandbox.__new__(Sandbox)
        another._begin(self._driver.copy(), self._state.another())
        return another

    def interrupt(self) -> None:
        """Interrupts the running cell, from another thread."""
        if self._state.id is not None:
            self._driver.run(verbs.session_verb(self._state, "interrupt"))

    def restart(self) -> None:
        """Starts a new guest in the same workspace: variables are gone, files stay."""
        self._driver.run(verbs.session_verb(self._opened(), "restart"))

    def info(self) -> dict[str, Any]:
        """The daemon's description of the session: state, memory, interpreter and so on."""
        return self._driver.run(verbs.info(self._opened()))

    @property
    def files(self) -> Files:
        """The files of the workspace."""
        return Files(self)

    @property
    def variables(self) -> Variables:
        """The variables of the session."""
        return Variables(self)

    def detach(self) -> Optional[str]:
        """Closes this object and leaves the session open in the daemon; returns its id. A session of a daemon that
        belongs to this process ends with the process all the same."""
        session = self._state.id
        self._state.close()
        self._driver.close()
        return session

    def close(self) -> None:
        """Closes the session and the connection. A second call does nothing."""
        try:
            self._driver.run(verbs.close_session(self._state))
        finally:
            self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        driver = getattr(self, "_driver", None)
        if driver is None or not driver.is_open or sys.is_finalizing():
            return
        try:
            if self._state.id is not None:
                warnings.warn(f"unclosed {self!r}: use 'with' or close()", ResourceWarning, source=self)
        finally:
            with contextlib.suppress(Exception):
                self.close()

    def _opened(self) -> State:
        with self._opening:
            self._driver.run(verbs.open_session(self._state))
        return self._state

    def _do(self, verb: Callable[..., Steps[T]], *args: Any) -> T:
        return self._driver.run(verb(self._opened(), *args))


class Files:
    """The workspace of a sandbox. Paths are relative to it."""

    def __init__(self, box: Sandbox) -> None:
        self._box = box

    def __repr__(self) -> str:
        return f"<Files of {self._box!r}>"

    def read(self, path: FilePath) -> bytes:
        """The content of a file; FileNotFoundError if there is none."""
        return self._box._do(workspace.read_file, path)

    def read_text(self, path: FilePath, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self.read(path).decode(encoding, errors)

    def write(self, path: FilePath, data: Union[str, bytes]) -> None:
        """Writes a file; its folders are made."""
        self._box._do(workspace.write_file, path, data)

    def list(self, folder: FilePath = "") -> list[FileInfo]:
        """All files in a folder and below it."""
        return self._box._do(workspace.list_files, folder)

    def exists(self, path: FilePath) -> bool:
        return self._box._do(workspace.has_file, path)

    def delete(self, path: FilePath) -> None:
        self._box._do(workspace.delete_file, path)

    def upload(self, local: FilePath, path: FilePath = "") -> Sequence[str]:
        """Copies a file or a folder of yours into the workspace; returns the paths there."""
        return self._box._do(workspace.upload, local, path)

    def download(self, path: FilePath, local: Optional[FilePath] = None) -> Path:
        """Copies a file to `local`, a file or a folder, or into the current folder; returns its path."""
        return self._box._do(workspace.download, path, local)


class Variables:
    """The variables of a session, as Python values."""

    def __init__(self, box: Sandbox) -> None:
        self._box = box

    def __repr__(self) -> str:
        return f"<Variables of {self._box!r}>"

    def get(self, name: str, default: Any = _MISSING) -> Any:
        """The value of a variable; without a default, KeyError if there is none."""
        found = self.get_many([name])
        if name in found or default is not _MISSING:
            return found.get(name, default)
        raise KeyError(name)

    def get_many(self, names: Iterable[str]) -> dict[str, Any]:
        """The variables of these names that exist."""
        return self._box._do(workspace.get_variables, names)

    def set(self, **values: object) -> None:
        self.set_many(values)

    def set_many(self, values: Mapping[str, object]) -> None:
        self._box._do(workspace.set_variables, values)

    def list(self) -> Sequence[Variable]:
        """Names, types and short texts of the variables that cells made."""
        return self._box._do(workspace.list_variables)

    def __getitem__(self, name: str) -> Any:
        return self.get(name)

    def __setitem__(self, name: str, value: object) -> None:
        self.set_many({name: value})

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def keys(self) -> Sequence[str]:
        """The names of the variables, also for ``dict(box.variables)``."""
        return [variable.name for variable in self.list()]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())
