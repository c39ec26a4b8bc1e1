# SPDX-License-Identifier: Apache-2.0
"""Commands and files of a box."""

from __future__ import annotations

import asyncio
import io
import stat
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glovebox_sandbox import SessionError, UnsupportedError, UsageError
from glovebox_sandbox.core import AsyncBox, Box, CommandError


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box(memory="256m") as opened:
        yield opened


def test_a_command(box: Box) -> None:
    result = box.exec("printf 'out\\377'; printf err >&2; exit 3")
    assert (result.stdout, result.stderr, result.exit_code, result.error_type) == (b"out\xff", b"err", 3, "guest")
    assert not result.success and result.output == "out\ufffderr"
    with pytest.raises(CommandError, match="status 3: err"):
        result.raise_for_status()
    assert box.exec("true").raise_for_status().error_type is None


def test_words_without_a_shell(box: Box) -> None:
    assert box.exec(["printf", "%s|", "a b", "$HOME", "*"]).stdout == b"a b|$HOME|*|"
    assert box.exec(["cat"], stdin=b"\x00\xff").stdout == b"\x00\xff"
    assert box.exec("cat", stdin="text").stdout == b"text"
    assert box.exec("wc -c", stdin=b"x" * 3_000_000, cwd="/tmp").stdout == b"3000000\n"
    assert box.exec("cat").stdout == b"", "without stdin the command finds the end of the input"


def test_place_and_environment(box: Box) -> None:
    assert box.exec("pwd", cwd="/").stdout == b"/\n"
    box.mkdir("sub/deep")
    assert box.exec("pwd", cwd="sub/deep").stdout.decode() == f"{box.workspace}/sub/deep\n"
    assert box.exec("echo $A-$HOME", env={"A": "a b"}).stdout == b"a b-/tmp\n"
    box.exec("ln -s sub/deep there")
    assert box.exec("pwd", cwd="there").stdout.decode() == f"{box.workspace}/there\n"
    missing = box.exec("pwd", cwd="nowhere")
    assert missing.exit_code == 127 and "nowhere" in missing.message and missing.message in repr(missing)


def test_writable_places() -> None:
    with Box(writable=["/app", "/home/user"]) as box:
        box.write("/home/user/a.txt", "a")
        box.upload(__file__, "/app/deep/b.py")
        assert box.exec("pwd; ls", cwd="/app").stdout == b"/app\ndeep\n"
        with box.fork() as copy:
            assert copy.read("/home/user/a.txt") == b"a"
        assert box.read("home/user/a.txt") == b"a", "they are folders of the workspace"


@pytest.mark.parametrize("command, status", [
    ("kill -9 $$", 137), ("no-such-program", 127), (["no-such-program"], 127), (["/etc/passwd"], 126)])
def test_status_as_a_shell_gives_it(box: Box, command: str, status: int) -> None:
    assert box.exec(command).exit_code == status


def test_time_runs_out(box: Box) -> None:
    begun = time.monotonic()
    result = box.exec("echo begun; sleep 20 & sleep 20", timeout=0.5)
    assert (result.exit_code, result.timed_out, result.error_type) == (124, True, "limit")
    assert result.stdout == b"begun\n" and time.monotonic() - begun < 10
    assert box.exec("pgrep -c sleep").stdout in (b"0\n", b""), "nothing of the command remains"


def test_background_processes_stay(box: Box) -> None:
    box.exec("(sleep 0.5; echo later > late.txt) &")
    assert not box.exists("late.txt")
    assert box.exec("sleep 1; cat late.txt").stdout == b"later\n"


def test_user(box: Box) -> None:
    assert box.exec("id -un", user=box.user).stdout.decode() == box.user + "\n"
    with pytest.raises(UnsupportedError, match="only user"):
        box.exec("id", user="root")


@pytest.mark.parametrize("command", ["", [], ["a\0b"], 5, None, ["echo", 1]])
def test_commands_that_are_none(box: Box, command: Any) -> None:
    with pytest.raises(UsageError):
        box.exec(command)
    with pytest.raises(UsageError):
        box.exec("true", env={"a=b": "c"})


def test_output_as_it_comes(box: Box) -> None:
    out: list[bytes] = []
    err: list[bytes] = []
    box.exec("echo 1; sleep 0.3; echo 2; echo 3 >&2", on_stdout=out.append, on_stderr=err.append)
    assert len(out) >= 2 and b"".join(out) == b"1\n2\n" and err == [b"3\n"]


def test_long_output_is_cut() -> None:
    with Box(output_limit="64k") as box:
        result = box.exec("head -c 1000000 /dev/zero | tr '\\0' x; echo end")
        assert result.truncated and result.stdout.endswith(b"end\n") and len(result.stdout) < 80_000
        assert not box.exec("echo short").truncated


def test_files_everywhere(box: Box) -> None:
    data = bytes(range(256)) * 2000
    for path in ("a/b.bin", f"{box.workspace}/c.bin", "/tmp/d/e.bin", "odd name \u00e9?#"):
        box.write(path, data)
        assert box.read(path) == data
    box.write("/tmp/small", "text")
    assert box.read("/tmp/small") == b"text" and box.exists("/tmp/small")
    assert [entry.path for entry in box.list("/tmp/d")] == ["/tmp/d/e.bin"]
    assert {entry.path for entry in box.list() if entry.is_dir} >= {"a"}
    assert not any(entry.path.startswith(".glovebox") for entry in box.list())
    box.write("run.sh", "#!/bin/sh\necho ran\n", mode=0o755)
    assert box.exec(["./run.sh"]).stdout == b"ran\n" and stat.S_IMODE(box.stat("run.sh").mode) == 0o755
    box.delete("a", recursive=True)
    assert not box.exists("a") and not box.exists("c.bin/x")


def test_failures_of_files(box: Box) -> None:
    for path in (5, None):
        with pytest.raises(UsageError, match="give a text or a Path"):
            box.read(path)  # type: ignore[arg-type]
    box.mkdir("full/of")
    with pytest.raises(FileNotFoundError, match="nothing"):
        box.read("nothing")
    with pytest.raises(IsADirectoryError):
        box.read("full")
    with pytest.raises(NotADirectoryError):
        box.list("/etc/passwd")
    with pytest.raises(OSError, match="Read-only|Permission"):
        box.write("/etc/x", "1")
    for data in (b"1", b"1" * 300_000):
        box.write("closed", data)
        box.exec("chmod 0 closed")
        with pytest.raises(PermissionError):
            box.read("closed")
        with pytest.raises(PermissionError):
            box.write("closed", data)
        box.exec("chmod 600 closed")
    with pytest.raises(OSError, match="not empty"):
        box.delete("full")
    with pytest.raises(UsageError, match="NUL"):
        box.read("a\0b")


def test_upload_and_download(box: Box, tmp_path: Path) -> None:
    source = tmp_path / "src"
    (source / "in").mkdir(parents=True)
    (source / "in" / "run").write_text("#!/bin/sh\necho hi\n")
    (source / "in" / "run").chmod(0o755)
    (source / "x").write_bytes(b"\xff")
    box.upload(source, "/tmp/up")
    assert box.exec(["/tmp/up/in/run"]).stdout == b"hi\n"
    box.exec("ln -s /etc/passwd /tmp/up/link")
    box.download("/tmp/up", tmp_path / "back")
    assert (tmp_path / "back" / "x").read_bytes() == b"\xff" and (tmp_path / "back" / "in" / "run").is_file()
    assert not (tmp_path / "back" / "link").exists(), "a link from inside names nothing outside"


def test_snapshots(box: Box) -> None:
    with Box() as first:
        first.write("d/a", b"\x00" * 300_000)
        first.exec("ln -s a d/l; chmod 750 d; mkfifo pipe")
        saved = first.persist()
        assert [entry.path for entry in first.list()] == ["d", "pipe"]
    with Box() as second:
        second.hydrate(saved)
        assert second.read("d/l") == b"\x00" * 300_000 and stat.S_IMODE(second.stat("d").mode) == 0o750
        assert [entry.path for entry in second.list()] == ["d"]


def _archive(**members: str) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, link in members.items():
            member = tarfile.TarInfo(name.replace("__", "/"))
            member.type, member.linkname = tarfile.SYMTYPE, link
            archive.addfile(member)
    return data.getvalue()


def test_snapshots_that_are_refused(box: Box) -> None:
    for data in (_archive(l="/etc"), _archive(l="../../x"), b"no archive at all" * 100):
        with pytest.raises(OSError):
            box.hydrate(data)
    assert not box.exists("l") and not any(entry.path.startswith(".glovebox") for entry in box.list())


def test_fork_and_status() -> None:
    box = Box.create()
    box.write("a", "1")
    assert box.status() == "running"
    with box.fork() as copy:
        copy.write("a", "2")
        assert copy.exec("cat a").stdout == b"2"
    assert box.read("a") == b"1"
    box.close()
    assert box.status() == "closed" and Box().status() == "new"
    with pytest.raises(SessionError):
        box.exec("true")


def test_a_guest_without_memory_is_started_again() -> None:
    with Box(memory="100m") as box:
        box.write("kept", "1")
        result = box.exec("python3 -c 'x = bytearray(500 << 20)'; echo survived")
        assert result.exit_code == 137 and result.error_type == "limit"
        assert box.exec("cat kept").stdout == b"1"


def test_asynchronous() -> None:
    async def main() -> None:
        async with await AsyncBox.create() as box:
            assert (await box.exec("echo hi")).stdout == b"hi\n" and box.workspace.startswith("/")
            results = await asyncio.gather(*(box.exec(f"echo {n}") for n in range(4)))
            assert [result.stdout for result in results] == [b"0\n", b"1\n", b"2\n", b"3\n"]
            await box.write("/tmp/a", b"1")
            assert await box.read("/tmp/a") == b"1" and await box.exists("/tmp/a")
            with pytest.raises(FileNotFoundError):
                await box.read("nothing")
            async with await box.fork() as copy:
                await copy.hydrate(await box.persist())
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(box.exec("sleep 20"), 0.5)
            assert (await box.exec("echo free")).stdout == b"free\n"
        assert await box.status() == "closed"

    asyncio.run(main())
