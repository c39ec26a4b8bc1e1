# SPDX-License-Identifier: Apache-2.0
"""The part of `Box` that runs inside the sandbox. Its text is sent to the guest: standard library only.

The name `_glovebox` is bound to an object with these functions; each cell calls one of them.
"""

import os
import shutil
import signal
import stat
import subprocess

NOT_FOUND, NOT_EXECUTABLE, TIMED_OUT = 127, 126, 124


def command(words, cwd, env, seconds, given, passage):
    """Runs a command; the value says how it ended, or why it did not start. Its input is `given`, or what was put into
    the workspace as `passage`."""
    try:
        source = open(passage or os.devnull, "rb")
        if passage:
            os.unlink(passage)
        with source:
            # Shells take the folder's name from PWD: it may be a link.
            process = subprocess.Popen(words, cwd=cwd, env={**os.environ, "PWD": cwd, **env}, start_new_session=True,
                                       stdin=source if given is None else subprocess.PIPE)
    except OSError as error:
        return ended(NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE, why=reason(error))
    try:
        process.communicate(given, timeout=seconds)
    except subprocess.TimeoutExpired:
        end(process)
        return ended(TIMED_OUT, True)
    except BaseException:
        end(process)
        raise
    status = process.returncode
    return ended(128 - status if status < 0 else status)


def ended(status, timed_out=False, why=""):
    return {"status": status, "timed_out": timed_out, "why": why}


def reason(error):
    return "%s: %s" % (error.filename, error.strerror) if error.filename else str(error.strerror)


def end(process):
    """Kills the command with the processes of its session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    process.wait()


def failed(error):
    return {"failed": type(error).__name__, "errno": error.errno, "why": error.strerror, "path": error.filename}


def told(action):
    """Calls `action`; a failure of the file system becomes a value."""

    def call(*args):
        try:
            return action(*args)
        except OSError as error:
            return failed(error)

    return call


@told
def read(path, passage, small):
    """The file's content. That of a large file is put into the workspace, as `passage` if there is one."""
    with open(path, "rb") as file:
        data = file.read(small + 1)
        if len(data) <= small:
            return {"data": data}
        if not passage:
            return {}
        with open(passage, "wb") as copy:
            copy.write(data)
            shutil.copyfileobj(file, copy, 1 << 20)
    return {}


@told
def write(path, data, passage, mode):
    """Writes `data`, or what was put into the workspace as `passage`."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            if data is not None:
                file.write(data)
            else:
                with open(passage, "rb") as given:
                    shutil.copyfileobj(given, file, 1 << 20)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
    finally:
        if data is None:
            os.unlink(passage)
    return {}


@told
def entries(path, most):
    rows = []
    with os.scandir(path) as found:
        for entry in found:
            if len(rows) == most:
                return {"entries": rows, "more": True}
            status = entry.stat(follow_symlinks=False)
            rows.append([entry.name, status.st_size, status.st_mode, int(status.st_mtime * 1000)])
    return {"entries": sorted(rows), "more": False}


@told
def look(path):
    status = os.stat(path)
    return {"size": status.st_size, "mode": status.st_mode, "mtime_ms": int(status.st_mtime * 1000)}


@told
def remove(path, recursive):
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode):
        os.unlink(path)
    elif recursive:
        shutil.rmtree(path)
    else:
        os.rmdir(path)
    return {}


@told
def folder(path):
    os.makedirs(path, exist_ok=True)
    return {}


def where():
    import pwd
    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        user = str(os.getuid())
    return {"cwd": os.getcwd(), "user": user, "uid": os.getuid(), "shell": shutil.which("bash") or "/bin/sh"}


@told
def pack(target, most):
    """A tar of the workspace, in the workspace."""
    import tarfile
    left = [most]

    def counted(member):
        if member.isdev() or member.isfifo() or os.path.normpath(member.name) == target:
            return None
        left[0] -= 512 + member.size
        if left[0] < 0:
            raise OSError(27, "the workspace is larger than a snapshot may be", target)
        return member

    try:
        with tarfile.open(target, "w") as archive:
            archive.add(".", arcname=".", filter=counted)
    except BaseException:
        os.unlink(target)
        raise
    return {}


def inside(member):
    """Whether a member of an archive, or the target of a link, stays in the workspace."""
    for path in (member.name, *([member.linkname] if member.islnk() else []),
                 *([os.path.join(os.path.dirname(member.name), member.linkname)] if member.issym() else [])):
        whole = os.path.normpath(path)
        if os.path.isabs(whole) or whole.split(os.sep)[0] == "..":
            return False
    return member.isreg() or member.isdir() or member.issym() or member.islnk()


@told
def unpack(source):
    import tarfile
    try:
        with tarfile.open(source) as archive:
            members = archive.getmembers()
            for member in members:
                if not inside(member):
                    raise OSError(1, "a link or a path that leaves the workspace, or a device", member.name)
                member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
            options = {"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}
            archive.extractall(".", members, **options)
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise OSError(22, "the data is no tar archive: %s" % error, source)
    finally:
        os.unlink(source)
    return {}
