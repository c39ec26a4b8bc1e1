# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import asyncio
import io
import os
import tarfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from agents import Runner
from agents.run_config import RunConfig, SandboxRunConfig
from agents.sandbox import LocalSnapshotSpec, Manifest, SandboxAgent
from agents.sandbox.entries import Dir, File
from agents.sandbox.errors import (
    ExecTimeoutError,
    ExposedPortUnavailableError,
    InvalidManifestPathError,
    PtySessionNotFoundError,
    WorkspaceArchiveWriteError,
    WorkspaceReadNotFoundError,
    WorkspaceStartError,
)
from agents.sandbox.manifest import Environment
from agents.sandbox.session.sandbox_session import SandboxSession
from agents.testing import ScriptedModel, assistant_message, function_call

from glovebox_sandbox.adapters._workspace_tar import without
from glovebox_sandbox.adapters.openai_agents_sandbox import GloveboxSandboxClient, GloveboxSandboxOptions

Body = Callable[[SandboxSession], Awaitable[None]]


@asynccontextmanager
async def opened(**arguments: Any) -> AsyncIterator[SandboxSession]:
    client = GloveboxSandboxClient()
    session = await client.create(**arguments)
    try:
        async with session:
            yield session
    finally:
        await client.delete(session)


def within(body: Body, **arguments: Any) -> None:
    async def run() -> None:
        async with opened(**arguments) as session:
            await body(session)

    asyncio.run(run())


def test_commands_are_confined(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the SDK's own local client hands over on Linux: the host's environment, files and processes."""
    monkeypatch.setenv("A_SECRET_OF_THE_HOST", "hunter2")
    secret = tmp_path / "secret"
    secret.write_text("hunter2")

    async def body(session: SandboxSession) -> None:
        assert b"hunter2" not in (await session.exec("env")).stdout
        assert not (await session.exec("cat", str(secret))).ok()
        assert not (await session.exec(f"kill -0 {os.getpid()}")).ok()
        assert not (await session.exec("echo x > /etc/glovebox-was-here")).ok()
        assert not (await session.exec("exec 3<>/dev/tcp/127.0.0.1/22", shell=["bash", "-c"])).ok()

    within(body)


def test_a_command_and_its_environment() -> None:
    async def body(session: SandboxSession) -> None:
        result = await session.exec("echo out; echo err >&2; echo $WORD; exit 3")
        assert (result.stdout, result.stderr, result.exit_code) == (b"out\na word\n", b"err\n", 3)
        assert (await session.exec("pwd")).stdout.decode().strip() == session.state.manifest.root
        with pytest.raises(ExecTimeoutError):
            await session.exec("sleep 60", timeout=0.5)
        with pytest.raises(ValueError, match="one user"):
            await session.exec("true", user="root")

    within(body, manifest=Manifest(environment=Environment(value={"WORD": "a word"})))


def test_files() -> None:
    async def body(session: SandboxSession) -> None:
        everything = bytes(range(256))
        await session.write(Path("deep/er/data.bin"), io.BytesIO(everything))
        assert (await session.read(Path("deep/er/data.bin"))).read() == everything
        with pytest.raises(WorkspaceReadNotFoundError):
            await session.read(Path("nowhere"))
        with pytest.raises(InvalidManifestPathError):
            await session.read(Path("../../etc/passwd"))
        await session.exec("ln -s /etc/hostname link")
        with pytest.raises(InvalidManifestPathError):
            await session.read(Path("link"))
        assert sorted(Path(entry.path).name for entry in await session.ls(Path("."))) == ["deep", "link"]
        await session.rm(Path("deep"), recursive=True)
        assert [Path(entry.path).name for entry in await session.ls(Path("."))] == ["link"]

    within(body)


def test_a_manifest_is_laid_out() -> None:
    async def body(session: SandboxSession) -> None:
        assert (await session.exec("cat project/README")).stdout == b"hello"

    within(body, manifest=Manifest(entries={"project": Dir(children={"README": File(content=b"hello")})}))


def test_a_snapshot_outlives_its_session(tmp_path: Path) -> None:
    async def run() -> None:
        client = GloveboxSandboxClient()
        session = await client.create(snapshot=LocalSnapshotSpec(base_path=tmp_path))
        async with session:
            await session.exec("mkdir a; echo kept > a/f; ln -s f a/link")
        payload = client.serialize_session_state(session.state)
        again = await client.resume(client.deserialize_session_state(payload))
        async with again:
            assert (await again.exec("cat a/link")).stdout == b"kept\n"
        assert not await again.running()

    asyncio.run(run())


def test_a_sandbox_that_still_runs_is_resumed() -> None:
    async def run() -> None:
        client = GloveboxSandboxClient()
        session = await client.create()
        await session.start()
        await session.exec("echo kept > f; sleep 300 &")
        payload = client.serialize_session_state(session.state)
        async with await client.resume(client.deserialize_session_state(payload)) as again:
            assert (await again.exec("cat f; pgrep -c sleep")).stdout == b"kept\n1\n"
        assert not await session.running()

    asyncio.run(run())


def test_an_archive_that_reaches_out_is_refused() -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("../out"), io.BytesIO())

    async def body(session: SandboxSession) -> None:
        with pytest.raises(WorkspaceArchiveWriteError):
            await session.hydrate_workspace(io.BytesIO(archive.getvalue()))

    within(body)


def test_paths_that_are_not_to_last() -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name in ("./kept", "./tmp/gone", "./tmpkept", "./deep/er/x"):
            tar.addfile(tarfile.TarInfo(name), io.BytesIO())

    def names(below: str, *skipped: str) -> list[str]:
        data = without(archive.getvalue(), Path(below), [Path(path) for path in skipped])
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            return [name.removeprefix("./") for name in tar.getnames()]

    assert names(".", "tmp") == ["kept", "tmpkept", "deep/er/x"]
    assert names("deep") == ["er/x"]


def test_a_command_in_the_background() -> None:
    async def body(session: SandboxSession) -> None:
        update = await session.pty_exec_start("echo one; sleep 1; echo two; exit 4", yield_time_s=0.3)
        assert update.output == b"one\n" and update.exit_code is None and update.process_id is not None
        assert (await session.exec("echo free")).stdout == b"free\n"
        with pytest.raises(RuntimeError, match="tty=true"):
            await session.pty_write_stdin(session_id=update.process_id, chars="x")
        last = await session.pty_write_stdin(session_id=update.process_id, chars="", yield_time_s=5)
        assert (last.output, last.exit_code, last.process_id) == (b"two\n", 4, None)
        with pytest.raises(PtySessionNotFoundError):
            await session.pty_write_stdin(session_id=update.process_id, chars="")

    within(body)


def test_a_terminal() -> None:
    async def body(session: SandboxSession) -> None:
        update = await session.pty_exec_start("python3 -i -q", tty=True, yield_time_s=2)
        assert update.process_id is not None and b">>>" in update.output
        answer = await session.pty_write_stdin(session_id=update.process_id, chars="6 * 7\n", yield_time_s=1)
        assert b"42" in answer.output
        end = await session.pty_write_stdin(session_id=update.process_id, chars="exit(5)\n", yield_time_s=5)
        assert end.exit_code == 5
        update = await session.pty_exec_start("echo begun; sleep 60", tty=True, yield_time_s=0.5)
        assert update.process_id is not None and b"begun" in update.output
        end = await session.pty_write_stdin(session_id=update.process_id, chars="\x03", yield_time_s=5)
        assert end.exit_code == 130

    within(body)


def test_stop_ends_what_runs_in_the_background() -> None:
    async def body(session: SandboxSession) -> None:
        await session.pty_exec_start("sleep 4321", yield_time_s=0.3)
        await session.stop()
        assert b"4321" not in (await session.exec("cat /proc/*/cmdline | tr '\\0' ' '")).stdout

    within(body)


def test_options_and_their_errors() -> None:
    options = GloveboxSandboxOptions(memory="64m", exposed_ports=(8000,))
    assert GloveboxSandboxOptions.parse(options.model_dump()) == options

    async def body(session: SandboxSession) -> None:
        result = await session.exec("python3", "-c", "bytearray(1 << 28)")
        assert not result.ok()
        with pytest.raises(ExposedPortUnavailableError):
            await session.resolve_exposed_port(8000)

    within(body, options=options)
    with pytest.raises(WorkspaceStartError, match="cannot be made"):
        within(body, manifest=Manifest(root="/proc/nowhere"))
    with pytest.raises(WorkspaceStartError, match="memory"):
        within(body, options=GloveboxSandboxOptions(memory="a lot"))


def test_an_agent() -> None:
    patch = {"cmd": "echo 'a b c' > text; wc -w < text"}
    model = ScriptedModel([[function_call("exec_command", patch, call_id="1")], [assistant_message("3 words.")]])
    agent = SandboxAgent(name="coder", model=model)
    run = RunConfig(sandbox=SandboxRunConfig(client=GloveboxSandboxClient()))
    assert Runner.run_sync(agent, "Count the words.", run_config=run).final_output == "3 words."
    assert "exited with code 0" in str(model.last_call.input) and "3" in str(model.last_call.input)
