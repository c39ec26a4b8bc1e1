# SPDX-License-Identifier: Apache-2.0
"""Where a daemon listens."""

from __future__ import annotations

import os
import socket
import stat
import struct
from dataclasses import dataclass, field
from typing import Optional, cast
from urllib.parse import urlsplit

from .errors import UsageError, text_of

_FORMS = "give unix:PATH, HOST:PORT or http://HOST:PORT"


@dataclass(frozen=True)
class Address:
    """The address of a daemon: a Unix socket (`path`), or an `url`. The token is never shown."""

    url: str = "http://localhost"
    path: Optional[str] = None
    token: Optional[str] = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"unix:{self.path}" if self.path else self.url

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


def parse(named: object, token: Optional[str] = None) -> Address:
    """The address that a text names.

    >>> str(parse("unix:/run/box.sock")), str(parse("/run/box.sock")), str(parse("127.0.0.1:8080"))
    ('unix:/run/box.sock', 'unix:/run/box.sock', 'http://127.0.0.1:8080')
    """
    path = os.fspath(cast("os.PathLike[str]", named)) if isinstance(named, os.PathLike) else named
    text = text_of("url", path, _FORMS)
    if token is not None:
        text_of("token", token, "give the text of the token file's line")
    if text.startswith("unix:"):
        return _socket(text, text[5:][2:] if text.startswith("unix://") else text[5:])
    if text.startswith(("/", "./", "~")):
        return _socket(text, os.path.expanduser(text))
    url = text if "://" in text else f"http://{text}"
    if not _is_url(url):
        raise UsageError(f"'{text[:200]}' is no address of a daemon; {_FORMS}")
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
        raise UsageError("the token has characters that no token has; give the text of the token file's line")
    return Address(url.rstrip("/"), None, token)


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username
                and parts.port != 0)
    except ValueError:  # a port that is no number below 65536
        return False


def _socket(text: str, path: str) -> Address:
    if not path or "\0" in path:
        raise UsageError(f"'{text[:200]!a}' names no socket; give unix:PATH")
    return Address(path=path)


def _folder_without_login() -> str:
    """The folder of a user whose login set no XDG_RUNTIME_DIR, as the program chooses it (src/base/net/listen.c)."""
    system = f"/run/user/{os.geteuid()}"
    try:
        info = os.lstat(system)
        if stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & 0o022:
            return system
    except OSError:
        pass
    return f"/tmp/glovebox-{os.geteuid()}"


def usual() -> Address:
    """The socket on which a daemon of this user listens by default."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    if not folder.startswith("/"):
        folder = "/run" if os.geteuid() == 0 else _folder_without_login()
    return Address(path=os.path.join(folder, "glovebox.sock"))


def listens(address: Address) -> bool:
    """Whether a daemon of this user or of root can be reached at a Unix socket. Where others can make files, one of
    theirs may wait for our programs."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
            end.settimeout(5)
            end.connect(address.path or "")
            return is_trusted(end)
    except (OSError, ValueError):
        return False


def is_trusted(end: socket.socket) -> bool:
    """Whether the process at the other end of a Unix socket is root's or this user's."""
    size = struct.calcsize("iII")
    _, user, _ = struct.unpack("iII", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return user in (0, os.geteuid())
