# SPDX-License-Identifier: Apache-2.0
"""The daemon that belongs to this process: one for all its sandboxes, on a socket of its own.

It ends with this process, however this process ends: the daemon watches it (``serve --end-with``). A fork of this
process has no part in it, and starts one of its own when it needs one.
"""

from __future__ import annotations

import atexit
import itertools
import os
import re
import secrets
import stat
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, Optional

from .address import Address, listens
from .errors import DaemonError
from .steps import Sleep, Steps

_PATIENCE = 20.0  # seconds for a daemon to listen
_TAIL = 2000      # bytes of its messages in an error
_LONGEST = 100    # bytes of a socket's path, of 108
_NAME_BYTES = 40  # of them, for the socket's name
_SOCKET = re.compile(r"glovebox-(\d{1,10})-[0-9a-f]{8}\.sock", re.ASCII)
_SWEPT = 200      # sockets that one start looks at
# The process decides its own limits, so 0 is no limit there.
_NO_CEILINGS = [word for limit in ("timeout", "memory", "pids", "disk", "inodes", "open-files", "output-limit")
                for word in (f"--max-{limit}", "0")]
_YOUNG = 60.0     # seconds: a daemon has bound its socket, and may not listen yet
_OWN = "glovebox-own-"  # and a random part: the folder of one process


@dataclass
class _Daemon:
    process: subprocess.Popen[bytes]
    address: Address
    messages: IO[bytes]
    folder: str
    listening: bool = False


_lock = threading.Lock()
_daemon: Optional[_Daemon] = None


def private_daemon(program: str) -> Steps[Address]:
    """Starts the daemon unless it runs, and waits until it listens."""
    daemon = _running(program)
    end = time.monotonic() + _PATIENCE
    while not daemon.listening:
        if listens(daemon.address):
            daemon.listening = True
        elif daemon.process.poll() is not None or time.monotonic() > end:
            raise DaemonError(_failure(daemon, program))
        else:
            yield Sleep(0.005)
    return daemon.address


def _running(program: str) -> _Daemon:
    global _daemon
    with _lock:
        if _daemon is None or _daemon.process.poll() is not None:
            _bury()
            _daemon = _start(program)
        return _daemon


def _start(program: str) -> _Daemon:
    folder = _folder()
    _sweep(folder)
    path = os.path.join(folder, f"glovebox-{os.getpid()}-{secrets.token_hex(4)}.sock")
    messages = tempfile.TemporaryFile()
    command = [program, "serve", "--quiet", "--listen", f"unix:{path}", "--end-with", str(os.getpid()), "--drain", "2s",
               "--allow", "host-files", "--allow", "net-host", *_NO_CEILINGS]
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=messages, stderr=messages,
                                   env=_environment(), cwd="/", start_new_session=True)
    except OSError as error:
        messages.close()
        _leave(folder)
        raise DaemonError(f"'{program}' cannot be started: {error.strerror}") from error
    return _Daemon(process, Address(path=path), messages, folder)


def _environment() -> dict[str, str]:
    """The environment in which the daemon's first Python is the one that runs this."""
    env = {name: value for name, value in os.environ.items() if name not in ("GLOVEBOX_SOCKET", "PYTHONHOME")}
    env["PATH"] = os.pathsep.join([os.path.join(sys.prefix, "bin"), env.get("PATH", os.defpath)])
    if sys.prefix != sys.base_prefix:
        env["VIRTUAL_ENV"] = sys.prefix
    return env


def _folder() -> str:
    """A folder in which only this user can make a socket."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and len(os.fsencode(runtime)) < _LONGEST - _NAME_BYTES and _is_ours(runtime):
        return runtime
    for parent in (tempfile.gettempdir(), "/tmp"):
        folder = os.path.join(parent, f"glovebox-{os.geteuid()}")
        if len(os.fsencode(folder)) < _LONGEST - _NAME_BYTES:
            try:
                os.mkdir(folder, 0o700)
            except OSError:
                pass
            if _is_ours(folder):
                return folder
    return _own_folder()


def _own_folder() -> str:
    """A folder of this process alone, where another user has taken the name of ours. Those that processes left when they
    were killed are removed."""
    with suppress(OSError), os.scandir("/tmp") as entries:
        for entry in itertools.islice((entry for entry in entries if entry.name.startswith(_OWN)), _SWEPT):
            if _is_ours(entry.path) and time.time() - entry.stat(follow_symlinks=False).st_mtime > _YOUNG:
                _sweep(entry.path)
                _leave(entry.path)
    return tempfile.mkdtemp(prefix=_OWN, dir="/tmp")


def _leave(folder: str) -> None:
    """Removes a folder of one process, unless something is in it."""
    if os.path.basename(folder).startswith(_OWN):
        with suppress(OSError):
            os.rmdir(folder)


def _sweep(folder: str) -> None:
    """Removes the sockets of daemons that were killed. Each is a file of this user's, has the name that only this
    module gives, nobody listens at it, and its process has ended. Several processes may sweep at the same time."""
    try:
        with os.scandir(folder) as entries:
            for entry in itertools.islice((entry for entry in entries if _SOCKET.fullmatch(entry.name)), _SWEPT):
                if _is_left(entry):
                    os.unlink(entry.path)
    except OSError:  # another process was faster, or the folder belongs to somebody else
        pass


def _is_left(entry: os.DirEntry[str]) -> bool:
    status = entry.stat(follow_symlinks=False)
    named = _SOCKET.fullmatch(entry.name)
    return (named is not None and stat.S_ISSOCK(status.st_mode) and status.st_uid == os.geteuid()
            and time.time() - status.st_mtime > _YOUNG and not _runs(int(named[1])) and not listens(Address(path=entry.path)))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _is_ours(folder: str) -> bool:
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return (stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
            and os.access(folder, os.W_OK | os.X_OK))


def _failure(daemon: _Daemon, program: str) -> str:
    daemon.messages.seek(0, os.SEEK_END)
    daemon.messages.seek(max(0, daemon.messages.tell() - _TAIL))
    said = daemon.messages.read(_TAIL).decode("utf-8", "replace").strip()
    status = daemon.process.poll()
    if status is None:
        return f"'{program} serve' does not listen after {_PATIENCE:.0f} seconds; it printed: {said or 'nothing'}"
    return f"'{program} serve' ended with status {status}: {said or 'it printed nothing'}"


def _forget() -> None:
    global _daemon
    if _daemon is not None:
        _daemon.messages.close()
    _daemon = None


def _bury() -> None:
    """After the daemon's end. One that was killed leaves its socket."""
    if _daemon is not None:
        with suppress(OSError):
            os.unlink(_daemon.address.path or "")
        _leave(_daemon.folder)
    _forget()


def stop() -> None:
    """Ends the daemon and waits for its end. The next sandbox starts a new one."""
    with _lock:
        daemon = _daemon
        if daemon is None:
            return
        process = daemon.process
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        _bury()


def _in_fork() -> None:
    """In a fork: the daemon is the parent's. Its process is no child of ours, so nothing may wait for it."""
    global _lock
    _lock = threading.Lock()
    if _daemon is not None:
        _daemon.process.returncode = 0
        _forget()


atexit.register(stop)
_register: Any = getattr(os, "register_at_fork", None)
if _register is not None:
    _register(after_in_child=_in_fork)
