# SPDX-License-Identifier: Apache-2.0
"""Files and folders of this machine that a sandbox copies from and to.

The path that the caller gives is the caller's: the folders on it may be links, and so may a file or a folder that is read.
Below it no link is followed, because a guest or a stranger's repository may have made it: each part of the way is
opened from the folder before it. What is written is new and takes the place of what has its name: a link there is
replaced, and so is a hard link.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

from .errors import GloveboxError, UsageError

LocalPath = Union[str, "os.PathLike[str]"]
CONFIG = "glovebox.conf"
DEEPEST = 100  # folders below each other; each is open while what is in it is copied
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # to open a pipe does not wait
_IN_THE_WAY = (errno.ELOOP, errno.ENOTDIR)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Found:
    """A file or a folder: its path below the folder that was named, its content, and the permissions of a file."""

    path: str
    content: Optional[bytes] = None  # None for a folder
    mode: int = 0


# ---- to read ----


def read(path: LocalPath) -> Found:
    """A file that the caller named; OSError if it is no regular file."""
    found = _content(os.open(path, _FILE))
    if found is None:
        raise OSError(errno.EINVAL, "this is no regular file", os.fspath(path))
    return found


def walk(folder: LocalPath) -> Iterator[Found]:
    """The folders and the regular files below a folder that the caller named, in the order of their names. Links, pipes,
    sockets and devices are left out."""
    with _opened(os.open(folder, _FOLDER & ~os.O_NOFOLLOW)) as top:
        yield from _walk(top, "", 0)


def _walk(folder: int, path: str, depth: int) -> Iterator[Found]:
    if depth > DEEPEST:
        raise GloveboxError(f"'{path[:200]}' is more than {DEEPEST} folders deep")
    for name in sorted(os.listdir(folder)):
        whole = f"{path}/{name}" if path else name
        mode = os.lstat(name, dir_fd=folder).st_mode
        end = _open_unless_link(name, folder, mode)
        if end is not None and stat.S_ISDIR(mode):
            with _opened(end):
                yield Found(whole)
                yield from _walk(end, whole, depth + 1)
        elif end is not None:
            found = _content(end)
            if found is not None:
                yield Found(whole, found.content, found.mode)


def _open_unless_link(name: str, folder: int, mode: int) -> Optional[int]:
    """A descriptor of a folder or a file; None for anything else, also for a link that took its place meanwhile."""
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        return None
    try:
        return os.open(name, _FOLDER if stat.S_ISDIR(mode) else _FILE | os.O_NOFOLLOW, dir_fd=folder)
    except OSError as error:
        if error.errno in _IN_THE_WAY:
            return None
        raise


def _content(end: int) -> Optional[Found]:
    with open(end, "rb") as file:
        status = os.fstat(end)
        if not stat.S_ISREG(status.st_mode):
            return None
        return Found("", file.read(), stat.S_IMODE(status.st_mode) & 0o777)


@contextmanager
def _opened(folder: int) -> Iterator[int]:
    try:
        yield folder
    finally:
        os.close(folder)


# ---- to write ----


def write(path: LocalPath, content: bytes) -> None:
    """Writes a file that the caller named. A link there is replaced, unless it leads to a device or a pipe."""
    target = Path(path)
    check_name(target.name)
    if target.exists() and not target.is_file():
        raise FileExistsError(errno.EEXIST, "this is no regular file", str(target))
    with _opened(os.open(target.parent, _FOLDER & ~os.O_NOFOLLOW)) as folder:
        _write(folder, target.name, content)


class Folder:
    """A folder that the caller named, for what a guest sends. It is made with those above it, as are the ones below."""

    def __init__(self, path: LocalPath) -> None:
        self._path = Path(path)

    def make(self, parts: tuple[str, ...]) -> None:
        """Makes a folder below, in the place of a link if one is there; NotADirectoryError where a file is."""
        with self._below(parts):
            pass

    def write(self, parts: tuple[str, ...], name: str, content: bytes) -> None:
        """Writes a file into a folder below."""
        with self._below(parts) as folder:
            _write(folder, name, content)

    @contextmanager
    def _below(self, parts: tuple[str, ...]) -> Iterator[int]:
        self._path.mkdir(parents=True, exist_ok=True)
        with ExitStack() as opened:
            folder = opened.enter_context(_opened(os.open(self._path, _FOLDER & ~os.O_NOFOLLOW)))
            for part in parts:
                folder = opened.enter_context(_opened(_enter(folder, part)))
            yield folder


def _enter(folder: int, name: str) -> int:
    """A folder below, which is made, also in the place of a link."""
    check_name(name)
    _make(folder, name)
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError as error:
        if error.errno not in _IN_THE_WAY:
            raise
    if not stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "a file is in the way of a folder of this name", name)
    os.unlink(name, dir_fd=folder)
    _make(folder, name)
    return os.open(name, _FOLDER, dir_fd=folder)


def _make(folder: int, name: str) -> None:
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)


def check_name(name: str) -> None:
    """GloveboxError for what is no name of a file, or that of a project's settings, which a guest does not write."""
    try:
        invalid = name in ("", ".", "..") or "/" in name or "\0" in name or not os.fsencode(name)
    except UnicodeEncodeError:
        invalid = True
    if invalid:
        raise GloveboxError(f"{name[:200]!r} is no name of a file")
    if is_config(name):
        raise UsageError(f"'{name}' would be a project's settings, which a sandbox does not write; give another name")


def is_config(name: str) -> bool:
    """Whether a file of this name is a project's settings, also where upper and lower case are equal."""
    return name.casefold() == CONFIG


def _write(folder: int, name: str, content: bytes) -> None:
    """A new file in the place of what has the name. An executable stays one."""
    check_name(name)
    fresh = f".glovebox-{secrets.token_hex(8)}"
    with open(os.open(fresh, _NEW, 0o666, dir_fd=folder), "wb") as file:
        try:
            file.write(content)
            file.flush()
            _like_before(file.fileno(), folder, name)
            os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(fresh, dir_fd=folder)
            raise


def _like_before(fresh: int, folder: int, name: str) -> None:
    try:
        before = os.lstat(name, dir_fd=folder).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISREG(before):
        os.fchmod(fresh, stat.S_IMODE(before) & 0o777)
    elif stat.S_ISDIR(before):
        raise IsADirectoryError(errno.EISDIR, "this is a folder", name)
    elif not stat.S_ISLNK(before):
        raise FileExistsError(errno.EEXIST, "this is no regular file", name)
