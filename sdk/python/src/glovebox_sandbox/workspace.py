# SPDX-License-Identifier: Apache-2.0
"""The verbs of files and variables, as steps."""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Optional, Union
from urllib.parse import quote

from . import local
from .documents import from_document, object_or_none
from .errors import UsageError, kind_of
from .failures import failure_of
from .results import FileInfo, Variable
from .state import State
from .steps import Answer, Request, Send, Steps
from .values import encode, decode
from .verbs import LONG, ask


FilePath = Union[str, "os.PathLike[str]"]

_ADVICE = "give a path in the workspace, such as 'data/a.csv'"


def inside(path: FilePath) -> str:
    """The path as the daemon takes it. "." is the workspace itself.

    >>> inside("./data//a.csv"), inside("data/")
    ('data/a.csv', 'data')
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise UsageError(f"a path is {kind_of(path)}; {_ADVICE}")
    text = os.fsdecode(path)
    if not text or "\0" in text:
        raise UsageError(f"{text!r} is no path; {_ADVICE}")
    if text.startswith("/") or ".." in text.split("/"):
        raise UsageError(f"'{text[:200]}' is not within the workspace; {_ADVICE}")
    return posixpath.normpath(text)


def _path(state: State, path: FilePath) -> str:
    text = inside(path)
    if text == ".":
        raise IsADirectoryError(errno.EISDIR, "this is the workspace itself", text)
    return f"{state.turn}/files/{quote(text, safe='/', errors='surrogateescape')}"


def _sent(state: State, method: str, path: FilePath, body: bytes = b"") -> Steps[Answer]:
    answer: Answer = yield Send(Request(method, _path(state, path), body, "application/octet-stream", LONG))
    if answer.status < 400:
        return answer
    failure = failure_of(answer)
    if answer.status == 404 and "session" not in str(failure).split("'")[0]:
        raise (yield from _missing(state, path))
    if answer.status == 409 and answer.kind == "usage":
        raise _in_the_way(method, path, str(failure))
    raise failure


def _missing(state: State, path: FilePath) -> Steps[OSError]:
    """The exception of Python's own files for a file that is not there."""
    if (yield from has_file(state, path)):
        return IsADirectoryError(errno.EISDIR, "this is a folder of the workspace", inside(path))
    return FileNotFoundError(errno.ENOENT, "there is no file of this name in the workspace", inside(path))


def _in_the_way(method: str, path: FilePath, message: str) -> OSError:
    reason = errno.ENOTEMPTY if method == "DELETE" else errno.EISDIR if "folder" in message else errno.ENOTDIR
    return OSError(reason, message, inside(path))


def read_file(state: State, path: FilePath) -> Steps[bytes]:
    return (yield from _sent(state, "GET", path)).body


def write_file(state: State, path: FilePath, data: Union[str, bytes]) -> Steps[None]:
    body = data.encode() if isinstance(data, str) else data
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise UsageError(f"the data for '{path}' is {kind_of(data)}; give str or bytes")
    yield from _sent(state, "PUT", path, bytes(body))


def delete_file(state: State, path: FilePath) -> Steps[None]:
    yield from _sent(state, "DELETE", path)


def list_files(state: State, folder: FilePath) -> Steps[list[FileInfo]]:
    prefix = inside(folder or ".")
    document = yield from ask("GET", f"{state.turn}/files", wait=LONG)
    files = [from_document(FileInfo, entry) for entry in document["files"]]
    return [file for file in files if prefix == "." or file.path.removeprefix(prefix + "/") not in (file.path, "")]


def has_file(state: State, path: FilePath) -> Steps[bool]:
    wanted = inside(path)
    files = yield from list_files(state, "")
    return wanted == "." or any(file.path.rstrip("/") == wanted or file.path.startswith(wanted + "/") for file in files)


def upload(state: State, path_here: FilePath, path: FilePath) -> Steps[list[str]]:
    """A file, or a folder with all regular files in it; the value is the paths in the workspace."""
    target = inside(path or Path(path_here).name or ".")
    if not os.path.isdir(path_here):
        yield from write_file(state, target, local.read(path_here).content or b"")
        return [target]
    written: list[str] = []
    for found in local.walk(path_here):
        if found.content is not None:
            written.append(posixpath.normpath(posixpath.join(target, found.path)))
            yield from write_file(state, written[-1], found.content)
    return written


def download(state: State, path: FilePath, path_here: Optional[FilePath]) -> Steps[Path]:
    """The file goes to `path_here`, or into it if that is a folder; the value is the file's path outside."""
    name = Path(path).name
    target = Path(path_here if path_here is not None else name)
    if path_here is not None and target.is_dir():
        target = target / name
    local.write(target, (yield from read_file(state, path)))
    return target


# ---- variables ----


def get_variables(state: State, names: Iterable[str]) -> Steps[dict[str, Any]]:
    """The variables that exist, by name."""
    document = yield from ask("POST", f"{state.turn}/get", {"names": list(names)}, LONG)
    for name, why in (object_or_none(document.get("failed")) or {}).items():
        raise UsageError(f"the variable '{name}' cannot cross the wall: {why}; get a part of it, or its repr()")
    return {name: decode(value) for name, value in document["values"].items()}


def set_variables(state: State, values: Mapping[str, object]) -> Steps[None]:
    document = {"values": {name: encode(value) for name, value in values.items()}}
    yield from ask("POST", f"{state.turn}/set", document, LONG)


def list_variables(state: State) -> Steps[list[Variable]]:
    document = yield from ask("POST", f"{state.turn}/get", {"list": True}, LONG)
    return [from_document(Variable, entry) for entry in document["variables"]]


