# SPDX-License-Identifier: Apache-2.0
"""The verbs of a box, as steps: a session whose cells run commands and look after files."""

from __future__ import annotations

import os
import posixpath
import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional, Union
from urllib.parse import quote

from .. import local, verbs
from ..documents import object_or_none
from ..errors import GloveboxError, PolicyError, SessionError, UnsupportedError, UsageError, kind_of
from ..events import Stderr, Stdout
from ..options import text_list
from ..printable import lines
from ..quantities import Time, milliseconds
from ..results import Result
from ..state import State
from ..steps import Answer, Call, Emit, Request, Send, Step, Steps
from .results import CommandResult, Entry

Command = Union[str, Sequence[str]]
OnOutput = Callable[[bytes], object]

SMALL = 128 << 10           # bytes of a file that goes through a cell
MOST_ENTRIES = 10_000       # of a folder
MOST_SNAPSHOT = 1 << 30     # bytes of a workspace
MOST_DOWNLOADED = 100_000   # files and folders of a download
MOST_DOWNLOAD = 4 << 30     # bytes of it
_GRACE_MS = 5_000           # for the guest to end a command after its time
_GUEST = Path(__file__).with_name("guest.py")


@dataclass
class Place:
    """What a box knows of the inside. `checked`: cells are read by the guard, as the operator demands."""

    workspace: str = ""
    user: str = ""
    uid: int = -1
    shell: str = ""
    checked: bool = False
    ended: bool = False  # the guest is gone, and is started again before the next command


# ---- cells ----


def _cell(state: State, place: Place, code: str, timeout_ms: Optional[int] = None) -> Steps[Result]:
    """A cell. A guest that died in the meantime is started again."""
    try:
        return (yield from _one_cell(state, place, code, timeout_ms))
    except SessionError:
        if state.id is None or (yield from verbs.info(state)).get("state") != "dead":
            raise
    place.ended = True
    yield from prepare(state, place)
    return (yield from _one_cell(state, place, code, timeout_ms))


def _one_cell(state: State, place: Place, code: str, timeout_ms: Optional[int]) -> Steps[Result]:
    options: dict[str, Any] = {} if timeout_ms is None else {"timeout": timeout_ms / 1000}
    if place.checked:
        return (yield from verbs.exec_cell(state, code, options))
    try:
        return (yield from verbs.exec_cell(state, code, {**options, "no_check": True}))
    except PolicyError:
        place.checked = True
        return (yield from verbs.exec_cell(state, code, options))


def prepare(state: State, place: Place) -> Steps[None]:
    """Brings the functions into the guest, at its beginning and after its end."""
    if place.ended:
        yield from verbs.session_verb(state, "restart")
    elif place.workspace:
        return
    source = (f"import types as _t; _glovebox = _t.ModuleType('_glovebox'); "
              f"exec(compile({_GUEST.read_text()!r}, '<glovebox>', 'exec'), _glovebox.__dict__); _glovebox.where()")
    found = _value(place, (yield from _cell(state, place, source)))
    with _damaged():
        place.workspace, place.user, place.shell = map(_text, (found["cwd"], found["user"], found["shell"]))
        place.uid, place.ended = _number(found["uid"]), False


def _value(place: Place, result: Result) -> Mapping[str, Any]:
    """What a function of the guest returned."""
    _note_end(place, result)
    if not result.success:
        raise SessionError(f"the guest cannot do it: {result.failure or result.error_type}")
    value = object_or_none(result.value)
    with _damaged():
        if value is None:
            raise ValueError("no answer")
        failure = _failure(value) if "failed" in value else None
    if failure is not None:
        raise failure
    return value


def _failure(value: Mapping[str, Any]) -> OSError:
    path = value["path"]
    return OSError(_number(value["errno"] or 0), lines(str(value["why"])), None if path is None else _text(path))


def _text(value: Any) -> str:
    """A text of a guest that can be the path of a file."""
    os.fsencode(value)
    return str(value)


def _number(value: Any) -> int:
    if type(value) is not int or not -1 << 63 <= value < 1 << 63:
        raise ValueError("no number")
    return value


@contextmanager
def _damaged() -> Iterator[None]:
    """While an answer of the guest is read: it can have anything in it."""
    try:
        yield
    except Exception as error:
        raise SessionError("the guest's answer is damaged; close the box and make a new one") from error


def _note_end(place: Place, result: Result) -> None:
    place.ended = result.cell is not None and result.cell.ended in ("killed", "died")


def _call(state: State, place: Place, name: str, *args: object) -> Steps[Mapping[str, Any]]:
    yield from prepare(state, place)
    code = f"_glovebox.{name}({', '.join(map(repr, args))})"
    return _value(place, (yield from _cell(state, place, code)))


# ---- commands ----


def run_command(state: State, place: Place, command: Command, cwd: Optional[str], env: Optional[Mapping[str, str]],
                timeout: Optional[Time], user: Union[str, int, None], stdin: Union[bytes, str, None],
                outputs: tuple[Optional[OnOutput], Optional[OnOutput]]) -> Steps[CommandResult]:
    """Runs a command to its end."""
    yield from prepare(state, place)
    _check_user(place, user)
    limit = None if timeout is None else milliseconds("timeout", timeout)
    given, passage = stdin.encode() if isinstance(stdin, str) else stdin, ""
    words, folder, variables = _words(place, command), _inside(place, cwd or ""), _environment(env)
    if given is not None and len(given) > SMALL:
        passage = _passage()
        yield from _given(state, place, passage, given)
        given, passage = None, _inside(place, passage)
    args = (words, folder, variables, limit / 1000 if limit else None, given, passage)
    code = f"_glovebox.command({', '.join(map(repr, args))})"
    cell = _cell(state, place, code, limit + _GRACE_MS if limit else limit)
    result: Result = yield from _with_outputs(cell, outputs)
    _note_end(place, result)
    return _command_result(result)


def _words(place: Place, command: Command) -> list[str]:
    if isinstance(command, str):
        words = [place.shell, "-c", command] if command.strip() else []
    else:
        words = text_list("the command", command)
    if not words or not words[0]:
        raise UsageError("the command is empty; give a text for the shell, or a list of words")
    if any("\0" in word for word in words):
        raise UsageError("the command has a NUL character, which no command can have")
    return words


def _environment(env: Optional[Mapping[str, str]]) -> dict[str, str]:
    for name, value in (env or {}).items():
        if not name or "=" in name or "\0" in name or not isinstance(value, str) or "\0" in value:
            raise UsageError(f"env has '{name}', which is no variable; give names and texts")
    return dict(env or {})


def _check_user(place: Place, user: Union[str, int, None]) -> None:
    if user is not None and str(user) not in ("", place.user, str(place.uid)):
        raise UnsupportedError(f"commands run as the sandbox's only user, '{place.user}', and not as '{user}'; leave "
                               "'user' out")


def _with_outputs(cell: Steps[Result], outputs: tuple[Optional[OnOutput], Optional[OnOutput]]) -> Steps[Result]:
    """The steps of a cell; its output goes to the two functions."""
    on_stdout, on_stderr = outputs
    step: Step = next(cell)
    while True:
        reply, failure = None, None
        try:
            reply = yield step
            if isinstance(step, Emit) and isinstance(step.event, Stdout):
                function = on_stderr if isinstance(step.event, Stderr) else on_stdout
                if function is not None:
                    yield Call(function, (step.event.data,))
        except Exception as error:
            failure = error
        try:
            step = cell.send(reply) if failure is None else cell.throw(failure)
        except StopIteration as end:
            value: Result = end.value
            return value


def _command_result(result: Result) -> CommandResult:
    status, timed_out, why = _status_of(result)
    error_type = result.error_type if not result.success else "limit" if timed_out else "guest" if status else None
    return CommandResult(result.stdout_raw, result.stderr_raw, status, result.stdout_truncated or result.stderr_truncated,
                         error_type, timed_out, result.duration_ms, why)


def _status_of(result: Result) -> tuple[int, bool, str]:
    value = object_or_none(result.value)
    status = value.get("status") if value is not None else None
    if result.success and value is not None and isinstance(status, int) and 0 <= status < 256:
        timed_out, why = value.get("timed_out") is True, value.get("why")
        return status, timed_out, "the command did not end in time" if timed_out else why if isinstance(why, str) else ""
    return (124 if result.timed_out else result.exit_status or 125), result.timed_out, result.failure


# ---- files ----


def _inside(place: Place, path: str) -> str:
    """The path inside, made absolute."""
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"a path is {kind_of(path)}; give a text or a Path")
    text = os.fspath(path)
    if "\0" in text:
        raise UsageError(f"{text!r} is no path: it has a NUL character")
    return posixpath.normpath(posixpath.join(place.workspace, text))


def _below(place: Place, path: str) -> Optional[str]:
    """The path relative to the workspace, for a file in it."""
    return path[len(place.workspace) + 1:] if path.startswith(place.workspace + "/") else None


def _direct(state: State, place: Place, method: str, path: str, body: bytes = b"") -> Steps[Optional[bytes]]:
    """The way of the workspace's files: without a cell, and with the daemon's rights. None where it does not work."""
    inside = _below(place, path)
    if inside is None or place.ended:
        return None
    target = f"{state.turn}/files/{quote(inside, safe='/', errors='surrogateescape')}"
    answer: Answer = yield Send(Request(method, target, body, "application/octet-stream", verbs.LONG))
    return answer.body if answer.status < 400 else None


def _passage() -> str:
    """A name in the workspace for what is on its way to or from another folder."""
    return f".glovebox-{secrets.token_hex(8)}"


def read(state: State, place: Place, path: str) -> Steps[bytes]:
    """The content of a file that the box's user may read."""
    yield from prepare(state, place)
    whole = _inside(place, path)
    found = yield from _call(state, place, "read", whole, "", SMALL)
    if isinstance(found.get("data"), bytes):
        return bytes(found["data"])
    direct = yield from _direct(state, place, "GET", whole)
    if direct is not None:
        return direct
    passage = _passage()  # outside of the workspace, or reached by a link
    yield from _call(state, place, "read", whole, passage, SMALL)
    return (yield from _taken(state, place, passage))


def _taken(state: State, place: Place, passage: str) -> Steps[bytes]:
    """What the guest put into the workspace, which is removed."""
    whole = _inside(place, passage)
    data = yield from _direct(state, place, "GET", whole)
    yield from _direct(state, place, "DELETE", whole)
    with _damaged():
        if data is None:
            raise ValueError("nothing was put there")
        return data


def write(state: State, place: Place, path: str, data: Union[bytes, str], mode: Optional[int]) -> Steps[None]:
    yield from prepare(state, place)
    body = data.encode() if isinstance(data, str) else bytes(data)
    whole = _inside(place, path)
    if len(body) <= SMALL:
        yield from _call(state, place, "write", whole, body, "", mode)
        return
    passage = _passage()
    yield from _given(state, place, passage, body)
    yield from _call(state, place, "write", whole, None, passage, mode)


def _given(state: State, place: Place, passage: str, body: bytes) -> Steps[None]:
    """Puts data into the workspace, for the guest to take."""
    if (yield from _direct(state, place, "PUT", _inside(place, passage), body)) is None:
        raise SessionError(f"{len(body)} bytes do not fit into the workspace; give a larger disk=")


def entries(state: State, place: Place, path: str) -> Steps[list[Entry]]:
    yield from prepare(state, place)
    found = yield from _call(state, place, "entries", _inside(place, path), MOST_ENTRIES)
    if found.get("more") is True:
        raise UsageError(f"'{path}' has more than {MOST_ENTRIES} entries; list a part of it with a command")
    with _damaged():
        rows = [(_name(row[0]), *row[1:]) for row in found["entries"]]
        return [_entry(posixpath.join(path, name), size, mode, mtime) for name, size, mode, mtime in rows]


def _name(name: Any) -> str:
    if _text(name) in ("", ".", "..") or "/" in name or "\0" in name:
        raise ValueError("no name of an entry")
    return str(name)


def _entry(path: str, size: int, mode: int, mtime_ms: int) -> Entry:
    return Entry(posixpath.normpath(path), _number(size), _number(mode), _number(mtime_ms), stat.S_ISDIR(mode))


def look(state: State, place: Place, path: str) -> Steps[Entry]:
    yield from prepare(state, place)
    found = yield from _call(state, place, "look", _inside(place, path))
    with _damaged():
        return _entry(path, found["size"], found["mode"], found["mtime_ms"])


def exists(state: State, place: Place, path: str) -> Steps[bool]:
    try:
        yield from look(state, place, path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def delete(state: State, place: Place, path: str, recursive: bool) -> Steps[None]:
    yield from prepare(state, place)
    yield from _call(state, place, "remove", _inside(place, path), recursive)


def make_folder(state: State, place: Place, path: str) -> Steps[None]:
    yield from prepare(state, place)
    yield from _call(state, place, "folder", _inside(place, path))


def upload(state: State, place: Place, path_here: local.LocalPath, path: str) -> Steps[None]:
    """A file or a folder; executables stay executable."""
    if not os.path.isdir(path_here):
        yield from _upload(state, place, path, local.read(path_here))
        return
    yield from make_folder(state, place, path)
    for found in local.walk(path_here):
        yield from _upload(state, place, posixpath.join(path, found.path), found)


def _upload(state: State, place: Place, target: str, found: local.Found) -> Steps[None]:
    if found.content is None:
        yield from make_folder(state, place, target)
    else:
        yield from write(state, place, target, found.content, found.mode if found.mode & 0o111 else None)


class _Room:
    """What a download may still write here: the guest makes the listing."""

    def __init__(self) -> None:
        self.entries, self.bytes = MOST_DOWNLOADED, MOST_DOWNLOAD

    def take(self, entries: int, size: int) -> None:
        self.entries, self.bytes = self.entries - entries, self.bytes - size
        if self.entries < 0 or self.bytes < 0:
            raise GloveboxError(f"a download has at most {MOST_DOWNLOADED} entries and {MOST_DOWNLOAD >> 30} GiB")


def download(state: State, place: Place, path: str, path_here: local.LocalPath) -> Steps[None]:
    """A file, or a folder with its files. Names from inside are never paths outside."""
    if (yield from look(state, place, path)).is_dir:
        yield from _download(state, place, path, local.Folder(path_here), (), _Room())
        return
    target = Path(path_here)
    target = target / posixpath.basename(path) if target.is_dir() else target
    target.parent.mkdir(parents=True, exist_ok=True)
    local.write(target, (yield from read(state, place, path)))


def _download(state: State, place: Place, path: str, folder: local.Folder, parts: tuple[str, ...],
              room: _Room) -> Steps[None]:
    if len(parts) > local.DEEPEST:
        raise GloveboxError(f"a download has at most {local.DEEPEST} folders below each other")
    room.take(1, 0)
    folder.make(parts)
    for entry in (yield from entries(state, place, path)):
        name = posixpath.basename(entry.path)
        if local.is_config(name):
            continue
        if entry.is_dir:
            yield from _download(state, place, entry.path, folder, (*parts, name), room)
        elif stat.S_ISREG(entry.mode):
            content = yield from read(state, place, entry.path)
            room.take(1, len(content))
            folder.write(parts, name, content)


# ---- snapshots ----


def persist(state: State, place: Place) -> Steps[bytes]:
    """A tar of the workspace."""
    yield from prepare(state, place)
    passage = _passage()
    yield from _call(state, place, "pack", passage, MOST_SNAPSHOT)
    return (yield from _taken(state, place, passage))


def hydrate(state: State, place: Place, data: bytes) -> Steps[None]:
    """Unpacks a tar into the workspace."""
    yield from prepare(state, place)
    passage = _passage()
    yield from _given(state, place, passage, data)
    yield from _call(state, place, "unpack", passage)


def status(state: State) -> Steps[str]:
    if state.closed:
        return "closed"
    if state.id is None:
        return "new"
    try:
        described = yield from verbs.info(state)
    except SessionError:
        return "dead"
    return "dead" if described.get("state") == "dead" else "running"
