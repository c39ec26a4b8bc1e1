# SPDX-License-Identifier: Apache-2.0
"""``%load_ext glovebox_sandbox``: the cell magic ``%%glovebox`` of IPython and Jupyter."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import re
from typing import Any, NoReturn, Optional

from . import live
from .errors import GloveboxError, GuestError, RefusedError, RunError
from .events import Event, Stderr, Stdout
from .options import check_names
from .printable import lines
from .results import Result
from .sandbox import Sandbox
from .schemas import CellOptions, SandboxOptions
from .shown import Display

_OPTION = re.compile(r"--([A-Za-z][\w-]*)")
_VALUE = re.compile(r"""(?:=|\s+)("[^"]*"|'[^']*'|[^\s"']\S*)""")
_OWN = {"fresh": "bool", "box": "str", "result": "str", "language": "str"}
_TRACES = re.compile(r'^Traceback \(most recent call last\):|^  File "<cell ', re.MULTILINE)
_WIDTH = 75
_RED, _PLAIN = "\x1b[0;31m", "\x1b[0m"


def load(shell: Any) -> None:
    """Gives the shell the magic, with a session that is its own."""
    unload(shell)
    magic = _Magic(shell)
    shell.register_magic_function(magic.glovebox, magic_kind="line_cell", magic_name="glovebox")
    shell._glovebox = magic
    atexit.register(magic.close)


def unload(shell: Any) -> None:
    """Closes the session."""
    magic = getattr(shell, "_glovebox", None)
    if magic is not None:
        magic.close()
        atexit.unregister(magic.close)
        del shell._glovebox
        for kind in ("line", "cell"):
            shell.magics_manager.magics[kind].pop("glovebox", None)


class _Magic:
    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._box: Optional[Sandbox] = None
        self._options: dict[str, Any] = {}  # of the session

    def glovebox(self, line: str, cell: Optional[str] = None) -> Optional[Display]:
        """Runs the cell in a sandbox. Variables and files last from cell to cell, in one session of this notebook.

        %%glovebox --timeout 5s             a limit of this cell; also --cpu-time, --stdin, --no-check
        %%glovebox --fresh --memory 1g      in a new session, with these options of Sandbox; the old one is closed
        %%glovebox --box NAME               in the session of a Sandbox of this notebook, with its tools
        %%glovebox --result NAME            the Result becomes a variable of this notebook
        %glovebox CODE                      one line
        """
        given, rest = _read_options(line, cell is not None)
        try:
            return self._run(given, rest if cell is None else cell)
        except RunError as error:
            _raise_shown(error)
        except GloveboxError as error:
            _refuse(str(error), error)

    def _run(self, given: dict[str, Any], code: str) -> Optional[Display]:
        own = {name: given.pop(name) for name in _OWN if name in given}
        cell = {name: given.pop(name) for name in CellOptions.__annotations__ if name in given}
        box = self._named(own["box"], given) if "box" in own else self._session(own, given)
        if not code.strip():
            box.open()
            return None
        held = _Held()
        result = box.exec(code, on_event=held, **cell)
        if "result" in own:
            self._shell.user_ns[own["result"]] = live.marked(True, result)
        held.finish(result)
        result.raise_for_status()
        return next((display for display in reversed(result.results) if display.kind == "value"), None)

    def _named(self, name: str, given: dict[str, Any]) -> Sandbox:
        box = self._shell.user_ns.get(name)
        if not isinstance(box, Sandbox):
            _refuse(f"--box: '{name}' is not a Sandbox of this notebook")
        if given:
            _refuse(f"--{_dashed(next(iter(given)))} is an option of a session; give it to Sandbox(...)")
        return box

    def _session(self, own: dict[str, Any], given: dict[str, Any]) -> Sandbox:
        options = {**self._options, **({"language": own["language"]} if "language" in own else {}), **given}
        if self._box is not None and options != self._options and not own.get("fresh"):
            name = next(name for name in options if options[name] != self._options.get(name))
            _refuse(f"--{_dashed(name)} is an option of the session, which is open already: add --fresh for a new one")
        if self._box is None or own.get("fresh"):
            self.close()
            self._box = Sandbox(on_input=_ask, **options)
            self._options = options
        return self._box

    def close(self) -> None:
        box, self._box = self._box, None
        if box is not None:
            with contextlib.suppress(GloveboxError):
                box.close()


def _ask(prompt: str) -> str:
    return builtins.input(prompt)


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _refuse(message: str, cause: Optional[BaseException] = None) -> NoReturn:
    """IPython shows this as one line, without a traceback of ours."""
    from IPython.core.error import UsageError as IPythonUsageError

    raise IPythonUsageError(lines(message)) from cause


# ---- options ----


def _read_options(line: str, is_cell: bool) -> tuple[dict[str, Any], str]:
    """The options at the start of the line, and the rest of it."""
    given: dict[str, Any] = {}
    rest = line.strip()
    while found := _OPTION.match(rest):
        name, rest = found.group(1).replace("-", "_"), rest[found.end():]
        name = {"lang": "language"}.get(name, name)
        kind = _kind(name)
        given[name] = True
        if kind != "bool":
            text = _VALUE.match(rest)
            if text is None:
                _refuse(f"--{_dashed(name)} needs a value")
            given[name], rest = _converted(name, kind, text.group(1)), rest[text.end():]
        rest = rest.lstrip()
    if is_cell and rest:
        _refuse(f"'{rest[:80]}' is not an option; the code comes below the line %%glovebox")
    return given, rest


def _kind(name: str) -> str:
    if name in _OWN:
        return _OWN[name]
    options = {**SandboxOptions.__annotations__, **CellOptions.__annotations__}
    if name not in options:
        try:
            check_names({name: None})
        except GloveboxError as error:
            _refuse(str(error), error)
        _refuse(f"--{_dashed(name)} is not an option of a cell or of a session")
    kind = options[name]
    return str(getattr(kind, "__forward_arg__", kind))


def _converted(name: str, kind: str, text: str) -> Any:
    """The value as Python's methods take it."""
    text = text[1:-1] if text[0] in "\"'" else text
    if kind.startswith("Mapping"):
        _refuse(f"--{_dashed(name)} has a value that is no text: make a Sandbox({name}=...), and name it with --box")
    if "Sequence[str]" in kind:
        return [part for part in re.split(r",\s*", text) if part]
    if kind not in ("int", "float"):
        return text
    try:
        return int(text) if kind == "int" else float(text)
    except ValueError:
        _refuse(f"--{_dashed(name)} is '{text[:80]}'; give a number")


# ---- output ----


class _Held:
    """Writes output as it comes, but for the traceback at its end, which IPython shows."""

    def __init__(self) -> None:
        self._held = ""

    def __call__(self, event: Event) -> None:
        if isinstance(event, Stderr):
            text, self._held = self._held + event.text, ""
            found = _TRACES.search(text)
            begin = found.start() if found else len(text)
            self._held = text[begin:]
            live.write(Stderr(text=text[:begin]))
        else:
            if isinstance(event, Stdout):
                self._release()
            live.write(event)

    def _release(self) -> None:
        if self._held:
            live.write(Stderr(text=self._held))
        self._held = ""

    def finish(self, result: Result) -> None:
        trace = result.exception.traceback if result.exception else ""
        if trace and self._held.endswith(trace):
            self._held = self._held[:-len(trace)]
        self._release()


def _raise_shown(error: RunError) -> NoReturn:
    """Raises the error as IPython shows one of the notebook: under the name of the exception inside, with its traceback."""
    exception = error.result.exception if isinstance(error, (GuestError, RefusedError)) else None
    name = exception.type.rpartition(".")[2] if exception else ""
    name = name if name.isidentifier() else type(error).__name__
    shown = type(name, (type(error),), {"__module__": __name__, "_render_traceback_": _rendered})
    raise shown(str(error), error.result) from None


def _rendered(error: RunError) -> list[str]:
    name, exception = type(error).__name__, error.result.exception
    trace = lines(exception.traceback).rstrip("\n") if exception else ""
    frames, _, last = trace.rpartition("\n")
    if exception is None or exception.type.rpartition(".")[2] != name or not trace:
        last = f"{name}: {lines(error.result.failure)}"
    title, _, message = last.partition(":")
    head = name + "Traceback (most recent call last)".rjust(_WIDTH - len(name))
    advice = [lines(text) for text in error.result.feedback[:1] if text not in last]
    return [f"{_RED}{'-' * _WIDTH}{_PLAIN}", f"{_RED}{head}{_PLAIN}",
            *filter(None, [frames.removeprefix("Traceback (most recent call last):\n")]),
            f"{_RED}{title}{_PLAIN}:{message}", *advice]
