# SPDX-License-Identifier: Apache-2.0
"""Finding a daemon, starting one, and its end."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest

from glovebox_sandbox import (AsyncSandbox, DaemonError, PolicyError, Sandbox, SessionError, UsageError, address, finding,
                              private)
from glovebox_sandbox.finding import find_program


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end, "waited for 30 seconds"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Path]:
    """A daemon of somebody else's on a socket and, with a token, on TCP."""
    tokens = tmp_path / "tokens"
    tokens.write_text("a-token-of-the-tests-0123456789\n")
    tokens.chmod(0o600)
    messages = tmp_path / "messages"
    with messages.open("w") as file, subprocess.Popen(
            [find_program(), "serve", "--listen", f"unix:{tmp_path}/g.sock", "--listen", "127.0.0.1:0", "--token-file",
             str(tokens)], stdout=file, stderr=file) as process:
        wait_until(lambda: messages.read_text().count("listening on") == 2)
        yield tmp_path
        process.terminate()


def test_a_folder_whose_name_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user made the folder that this user's daemons are in. Each daemon has one of its own, which does not stay."""
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr(private, "_OWN", f"glovebox-own-{os.getpid()}-")
    is_ours = private._is_ours
    monkeypatch.setattr(private, "_is_ours", lambda folder: folder.rpartition("-")[2] != str(os.geteuid()) and is_ours(folder))

    def own() -> list[str]:
        return [name for name in os.listdir("/tmp") if name.startswith(private._OWN)]

    left = Path(tempfile.mkdtemp(prefix=private._OWN, dir="/tmp"))
    os.utime(left, (0, 0))
    private.stop()
    with Sandbox() as box:
        assert box.exec("1").value == 1
        assert len(own()) == 1 and left.name not in own()
    private.stop()
    assert own() == []
    with pytest.raises(DaemonError, match="cannot be started"):
        list(private.private_daemon(str(tmp_path / "none")))
    assert own() == []


def test_one_daemon_for_all_sandboxes() -> None:
    with Sandbox() as first, Sandbox() as second:
        first.open()
        second.open()
        assert first._driver.address == second._driver.address


def test_the_socket_of_the_environment(served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (f"unix:{served}/g.sock", f"{served}/g.sock"):
        monkeypatch.setenv("GLOVEBOX_SOCKET", value)
        with Sandbox() as box:
            assert box.exec("1").value == 1 and str(box._driver.address) == f"unix:{served}/g.sock"
    monkeypatch.setenv("GLOVEBOX_SOCKET", f"unix:{served}/other.sock")
    with Sandbox() as box, pytest.raises(DaemonError, match="glovebox serve --listen"):
        box.open()


def test_the_usual_socket(served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (served / "glovebox.sock").symlink_to(served / "g.sock")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(served))
    with Sandbox() as box:
        assert str(box.open()._driver.address) == f"unix:{served}/glovebox.sock"


def test_the_usual_folder_without_a_login(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 31415)
    assert address.usual().path == "/tmp/glovebox-31415/glovebox.sock"
    monkeypatch.setenv("XDG_RUNTIME_DIR", "relative")
    assert address.usual().path == "/tmp/glovebox-31415/glovebox.sock"


def test_tcp_and_its_token(served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (served / "messages").read_text().split()
    place = next(word for word in lines if word.startswith("127.0.0.1:"))
    monkeypatch.setenv("GLOVEBOX_TOKEN", "a-token-of-the-tests-0123456789")
    with Sandbox(url=place, tools={"f": lambda: 7}) as box:
        assert box.exec("f()").value == 7
    monkeypatch.setenv("GLOVEBOX_TOKEN", "wrong")
    with Sandbox(url=f"http://{place}") as box, pytest.raises(PolicyError, match="token"):
        box.open()


@pytest.mark.parametrize("url", ["ftp://host", "unix:", "http://", "127.0.0.1:x", "127.0.0.1:99999", "http://me@host", 5, 0])
def test_addresses_that_are_none(url: Any) -> None:
    with pytest.raises(UsageError, match="give unix:"):
        Sandbox(url=url).open()
    with pytest.raises(UsageError, match="token is an int"):
        Sandbox(url="127.0.0.1:9", token=5).open()  # type: ignore[arg-type]


@pytest.mark.parametrize("session, advice", [(5, "its id or its name"), (None, "is None"), ("", "is empty")])
def test_sessions_that_are_none(session: Any, advice: str) -> None:
    with pytest.raises(UsageError, match=advice):
        Sandbox.attach(session)


def test_nobody_listens() -> None:
    with pytest.raises(DaemonError, match="no daemon listens at http://127.0.0.1:9"):
        Sandbox(url="127.0.0.1:9").open()


STRANGER = """
import os, socket, sys
os.setuid(65534)
end = socket.socket(socket.AF_UNIX)
end.bind(sys.argv[1])
end.listen()
print("listens", flush=True)
for _ in range(2):
    print(end.accept()[0].recv(1), flush=True)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a process of another user")
def test_a_socket_of_another_user_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a daemon of ours was, when it was looked for."""
    monkeypatch.setattr("glovebox_sandbox.finding.listens", lambda address: True)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = folder + "/s"
        with subprocess.Popen([sys.executable, "-c", STRANGER, path], stdout=subprocess.PIPE, text=True) as stranger:
            try:
                assert stranger.stdout is not None and stranger.stdout.readline() == "listens\n"
                with pytest.raises(DaemonError, match="belongs to another user"):
                    Sandbox(url="unix:" + path).run("secret()")
                with pytest.raises(DaemonError, match="belongs to another user"):
                    asyncio.run(AsyncSandbox(url="unix:" + path).run("secret()"))
                assert stranger.stdout.read() == "b''\nb''\n"
            finally:
                stranger.kill()


def test_programs_that_cannot_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private.stop()
    monkeypatch.setenv("GLOVEBOX_PROGRAM", str(tmp_path / "nothing"))
    with pytest.raises(DaemonError, match="no program that can be started"):
        Sandbox().open()
    broken = tmp_path / "glovebox"
    broken.write_text("#!/bin/sh\necho this machine cannot >&2; exit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("GLOVEBOX_PROGRAM", str(broken))
    with pytest.raises(DaemonError, match="status 3: this machine cannot"):
        Sandbox().open()


def test_the_programs_of_the_wheel_come_before_another_in_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLOVEBOX_PROGRAM", raising=False)
    for name in ("programs", "path"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "glovebox").write_text("")
        (tmp_path / name / "glovebox").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(finding, "__file__", str(tmp_path / "finding.py"))
    assert find_program() == str(tmp_path / "programs" / "glovebox")
    (tmp_path / "programs" / "glovebox").unlink()
    assert find_program() == str(tmp_path / "path" / "glovebox")


CHILD = """
import os, signal, sys, time
from glovebox_sandbox import Sandbox, private
box = Sandbox()
box.exec("import time")
print(private._daemon.process.pid, private._daemon.address.path, flush=True)
"""


def python(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-W", "error", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def daemon_of(process: subprocess.Popen[str]) -> tuple[int, str]:
    assert process.stdout is not None
    pid, path = process.stdout.readline().split()
    return int(pid), path


@pytest.mark.parametrize("end", ["sys.exit()", "os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)",
                                 "box.exec('time.sleep(1000)', on_event=lambda e: os.kill(os.getpid(), signal.SIGKILL))"])
def test_the_daemon_ends_with_its_process(end: str) -> None:
    with python(CHILD + end) as process:
        pid, path = daemon_of(process)
        process.wait(30)
        wait_until(lambda: not alive(pid))
        assert not os.path.exists(path)
        assert process.stderr is not None and process.stderr.read() == ""


def abandoned(folder: Path, pid: int, age: float = 3600) -> Path:
    """A socket at which nobody listens."""
    path = folder / f"glovebox-{pid}-0123abcd.sock"
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(path))
    os.utime(path, (time.time() - age, time.time() - age))
    return path


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for sockets, whose name is short."""
    private.stop()
    with tempfile.TemporaryDirectory(prefix="glovebox-sdk-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)
        private.stop()


def test_a_start_removes_sockets_of_killed_daemons(runtime: Path) -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    left = abandoned(runtime, gone.pid)
    kept = [abandoned(runtime, os.getpid()), runtime / "other.sock", runtime / f"glovebox-{gone.pid}-0123abce.sock"]
    left.with_name("other.sock").touch()
    kept[2].touch()  # no socket
    with Sandbox() as box:
        box.open()
        assert not left.exists() and all(path.exists() for path in kept)
        killed = private._daemon
        assert killed is not None and killed.address.path is not None
        box.detach()
        killed.process.kill()
        killed.process.wait()
        assert os.path.exists(killed.address.path)
    young = abandoned(runtime, gone.pid, 0)
    with Sandbox() as box:
        assert box.exec("1").value == 1
        assert young.exists() and not os.path.exists(killed.address.path)


def test_a_killed_process_with_a_living_fork() -> None:
    code = CHILD + """
fork = os.fork()
if fork == 0:
    time.sleep(60)
print(fork, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    with python(code) as process:
        pid, _ = daemon_of(process)
        assert process.stdout is not None
        fork = int(process.stdout.readline())
        try:
            wait_until(lambda: not alive(pid))
            assert alive(fork)
        finally:
            os.kill(fork, signal.SIGKILL)


def test_a_fork_has_a_daemon_of_its_own_and_closes_nothing_of_its_parent() -> None:
    with Sandbox() as box:
        box.variables["x"] = 1
        child = os.fork()
        if child == 0:
            try:
                shared = box.exec("x").value == 1
                box.close()
                with Sandbox() as own:
                    works = own.exec("2").value == 2 and own._driver.address != box._driver.address
                private.stop()
                os._exit(0 if shared and works else 1)
            finally:
                os._exit(2)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert box.exec("x").value == 1


def test_nothing_remains_after_close() -> None:
    threads = threading.active_count()
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with Sandbox() as box:
            box.exec("1")
            box.exec("1")
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 1, "the daemon's messages at most"


def test_a_forgotten_sandbox_is_closed() -> None:
    with Sandbox() as box:
        forgotten = Sandbox().open()
        path = f"unix:{box.open()._driver.address.path}"  # type: ignore[union-attr]
        session = str(forgotten.id)
        with pytest.warns(ResourceWarning, match="unclosed"):
            del forgotten
        with pytest.raises(SessionError):
            Sandbox.attach(session, url=path)


def test_a_stopped_daemon_is_replaced() -> None:
    with Sandbox() as box:
        box.open()
        private.stop()
        with pytest.raises(DaemonError):
            box.exec("1")
    with Sandbox() as box:
        assert box.exec("1").value == 1
