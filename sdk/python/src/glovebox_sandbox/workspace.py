# SPDX-License-Identifier: Apache-2.0
"""The verbs of files and variables, as steps."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Union
from urllib.parse import quote

from .documents import from_document, object_or_none
from .errors import SessionError, UsageError
from .failures import failure_of
from .results import FileInfo, Variable
from .state import State
from .steps import Answer, Request, Send, Steps
from .values import encode, decode
from .verbs import LONG, ask


def _path(state: State, path: str) -> str:
    text = os.fspath(path)
    if not text or "\0" in text:
        raise UsageError(f"{text!r} is no path; give a path in the workspace, such as 'data/a.csv'")
    return f"{state.turn}/files/{quote(text, safe='/', errors='surrogateescape')}"


def _sent(state: State, method: str, path: str, body: bytes = b"") -> Steps[Answer]:
    answer: Answer = yield Send(Request(method, _path(state, path), body, "application/octet-stream", LONG))
    if answer.status < 400:
        return answer
    failure = failure_of(answer)
    if answer.status == 404 and "session" not in str(failure).split("'")[0]:
        raise FileNotFoundError(f"there is no file '{path}' in the workspace")
    if answer.status == 409 and not isinstance(failure, SessionError):
        raise UsageError(str(failure))
    raise failure


def read_file(state: State, path: str) -> Steps[bytes]:
    return (yield from _sent(state, "GET", path)).body


def write_file(state: State, path: str, data: Union[str, bytes]) -> Steps[None]:
    body = data.encode() if isinstance(data, str) else data
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise UsageError(f"the data for '{path}' is a {type(data).__name__}; give str or bytes")
    yield from _sent(state, "PUT", path, bytes(body))


def delete_file(state: State, path: str) -> Steps[None]:
    yield from _sent(state, "DELETE", path)


def list_files(state: State, folder: str) -> Steps[list[FileInfo]]:
    document = yield from ask("GET", f"{state.turn}/files", wait=LONG)
    files = [from_document(FileInfo, entry) for entry in document["files"]]
    prefix = os.fspath(folder).strip("/")
    return [file for file in files if prefix in ("", ".") or file.path.startswith(prefix + "/")]


def has_file(state: State, path: str) -> Steps[bool]:
    files = yield from list_files(state, "")
    wanted = os.path.normpath(path)
    return any(file.path.rstrip("/") == wanted or file.path.startswith(wanted + "/") for file in files)


def upload(state: State, local: Union[str, os.PathLike[str]], path: str) -> Steps[list[str]]:
    """A file, or a folder with all regular files in it; the value is the paths in the workspace."""
    source = Path(local)
    target = path or source.name
    if not source.is_dir():
        yield from write_file(state, target, source.read_bytes())
        return [target]
    written: list[str] = []
    for file in sorted(source.rglob("*")):
        if file.is_file() and not file.is_symlink():
            inside = f"{target}/{file.relative_to(source).as_posix()}"
            yield from write_file(state, inside, file.read_bytes())
            written.append(inside)
    return written


def download(state: State, path: str, local: Union[str, os.PathLike[str], None]) -> Steps[Path]:
    """The file goes to `local`, or into it if that is a folder; the value is the file's path outside."""
    target = Path(local) if local is not None else Path(Path(path).name)
    if target.is_dir():
        target = target / Path(path).name
    data = yield from read_file(state, path)
    target.write_bytes(data)
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


