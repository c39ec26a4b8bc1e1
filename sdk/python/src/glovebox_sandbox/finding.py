# SPDX-License-Identifier: Apache-2.0
"""Finding a daemon, or starting one.

In this order: the address that was given, $GLOVEBOX_URL, $GLOVEBOX_SOCKET, a daemon at the user's usual socket; else a
program is found ($GLOVEBOX_PROGRAM, ``glovebox`` in $PATH, the one in this package) and serves this process alone.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Optional

from .address import Address, listens, parse, usual
from .errors import DaemonError
from .private import private_daemon
from .steps import Steps


def find(url: Optional[str], token: Optional[str]) -> Steps[Address]:
    """The steps that find a daemon, and start one if there is none."""
    named = url if url is not None else os.environ.get("GLOVEBOX_URL") or os.environ.get("GLOVEBOX_SOCKET")
    if named not in (None, ""):
        return _checked(parse(named, token or os.environ.get("GLOVEBOX_TOKEN")))
    address = usual()
    if listens(address):
        return address
    return (yield from private_daemon(find_program()))


def _checked(address: Address) -> Address:
    if address.path and not listens(address):
        raise DaemonError(f"no daemon of yours listens at {address}; start it with "
                          f"'glovebox serve --listen {address}'")
    return address


def find_program() -> str:
    """The path of the program ``glovebox``."""
    named = os.environ.get("GLOVEBOX_PROGRAM")
    if named:
        if not os.access(named, os.X_OK):
            raise DaemonError(f"GLOVEBOX_PROGRAM is '{named}', which is no program that can be started")
        return os.path.abspath(named)
    bundled = Path(__file__).parent / "programs" / "glovebox"
    if os.access(bundled, os.X_OK):
        return str(bundled)  # of this version, which another one in $PATH need not be
    found = shutil.which("glovebox", path=_path_without_scripts())
    if found:
        return os.path.abspath(found)
    raise DaemonError("there is no glovebox: no daemon runs, $PATH has no program 'glovebox', and this package was "
                      "installed without it; install a wheel for this machine, or build glovebox and put it in $PATH")


def _path_without_scripts() -> str:
    """$PATH without the script of this package, which starts the program of this package."""
    scripts = os.path.join(sys.prefix, "bin")
    own = Path(scripts, "glovebox")
    path = os.environ.get("PATH", os.defpath)
    if not own.is_file() or not _is_script(own):
        return path
    return os.pathsep.join(folder for folder in path.split(os.pathsep) if folder != scripts)


def _is_script(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False
