# SPDX-License-Identifier: Apache-2.0
"""Folders of a sandbox's workspace that are to be seen at absolute paths, for frameworks that name such paths."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

# Folders that hold more than what is asked for, so the folder below them is taken.
SHARED = frozenset(("home", "opt", "root", "srv", "mnt", "media", "var", "run"))
# The sandbox's own, which are writable anyway or never.
OWN = ("/tmp", "/box", "/dev", "/proc", "/sys", "/usr", "/etc", "/bin", "/sbin", "/lib", "/lib64")


def folders_of(paths: Iterable[str], more: Iterable[str] = ()) -> list[str]:
    """The folders with which these absolute paths can be written; none of them is below another one.

    >>> folders_of(["/app/src/", "/logs/agent", "/home/user/x", "/tmp/y", "data", "/var/log/a/b"])
    ['/app', '/home/user', '/logs', '/var/log']
    """
    wanted = {posixpath.normpath(path) for path in more} | {place for place in map(_folder, paths) if place}
    return sorted(path for path in wanted if not any(path.startswith(other + "/") for other in wanted))


def _folder(path: str) -> str:
    whole = posixpath.normpath(path)
    if not whole.startswith("/") or whole == "/" or any(f"{whole}/".startswith(own + "/") for own in OWN):
        return ""
    parts = whole.strip("/").split("/")
    return "/" + "/".join(parts[: 2 if parts[0] in SHARED else 1])
