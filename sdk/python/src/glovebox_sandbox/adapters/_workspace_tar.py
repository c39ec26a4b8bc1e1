# SPDX-License-Identifier: Apache-2.0
"""Archives of a workspace: the part below a folder, without the paths that are not to last."""

from __future__ import annotations

import errno
import io
import tarfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath


def without(archive: bytes, below: Path, skipped: Iterable[Path]) -> bytes:
    """The members of `archive` below the folder `below`, named relative to it, without `skipped`; OSError if it is damaged. A
    guest made it: a sparse member may be far larger than the archive."""
    try:
        return _without(archive, below, skipped)
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise OSError(errno.EINVAL, f"the archive of the workspace is damaged: {error}") from error


def _without(archive: bytes, below: Path, skipped: Iterable[Path]) -> bytes:
    left_out = [PurePosixPath(path.as_posix()) for path in skipped]
    top = PurePosixPath(below.as_posix())
    if not left_out and top == PurePosixPath("."):
        return archive
    output = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(archive)) as source, tarfile.open(fileobj=output, mode="w") as target:
        for member in source:
            path = PurePosixPath(member.name)
            if not path.is_relative_to(top):
                continue
            name = path.relative_to(top)
            if any(name.is_relative_to(skip) for skip in left_out):
                continue
            if member.issparse() or member.size > len(archive):
                raise ValueError("a member that is larger than the archive")
            content = source.extractfile(member) if member.isfile() else None
            target.addfile(member.replace(name=str(name), deep=False), content)
    return output.getvalue()
