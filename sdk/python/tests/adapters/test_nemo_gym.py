# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import asyncio
import importlib
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from nemo_gym.sandbox import AsyncSandbox, Sandbox, SandboxCreateError, SandboxSpec, SandboxStatus, create_provider
from nemo_gym.sandbox.providers import registry

from glovebox_sandbox import UsageError
from glovebox_sandbox.adapters.nemo_gym import GloveboxProvider
from glovebox_sandbox.address import Address, listens
from glovebox_sandbox.finding import find_program

SUPERVISOR = "process_supervisor.py"


@pytest.fixture(autouse=True)
def by_its_name(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if this package were installed: NeMo Gym looks for the name among the entry points."""
    with (Path(__file__).resolve().parents[2] / "pyproject.toml").open("rb") as file:
        named = tomllib.load(file)["project"]["entry-points"][registry.ENTRY_POINT_GROUP]
    module, _, name = named["glovebox"].partition(":")
    monkeypatch.setattr(registry, "_ENTRY_POINT_LOADERS", {"glovebox": lambda: getattr(importlib.import_module(module), name)})
    yield


async def test_by_name_with_files_and_folders(tmp_path: Path) -> None:
    spec = SandboxSpec(image="docker.io/library/python:3.12-slim", workdir="/app", env={"A": "a"},
                       files={"/app/in/x.txt": "x\n", "/data/y": "y\n"}, resources={"cpu": 1, "memory_mib": 512})
    async with AsyncSandbox({"glovebox": {}}, spec) as sandbox:
        await sandbox.start()
        result = await sandbox.exec("pwd; cat in/x.txt /data/y; echo $A$B; echo err >&2; exit 3", env={"B": "b"})
        assert (result.stdout, result.stderr, result.return_code) == ("/app\nx\ny\nab\n", "err\n", 3)
        assert result.error_type is None
        (tmp_path / "given").write_bytes(b"\0given")
        await sandbox.upload(tmp_path / "given", "/app/deep/er/given")
        await sandbox.download("/app/deep/er/given", tmp_path / "new" / "got")
        assert (tmp_path / "new" / "got").read_bytes() == b"\0given"
        with pytest.raises(FileNotFoundError):
            await sandbox.download("/app/none", tmp_path / "none")
        assert (await sandbox.exec("echo kept > kept; id -un", user="root")).stdout == "guest\n"
        assert (await sandbox.exec("cat kept", cwd="/app", user=0)).stdout == "kept\n"
        with pytest.raises(ValueError, match="no user 'agent'"):
            await sandbox.exec("true", user="agent")
        assert await sandbox.status() == SandboxStatus.RUNNING


async def test_time_memory_and_network(tmp_path: Path) -> None:
    async with AsyncSandbox({"glovebox": {"memory": "1g"}}, SandboxSpec(resources={"memory_mib": 256})) as sandbox:
        await sandbox.start()
        late = await sandbox.exec("echo begun; sleep 20", timeout_s=1)
        assert (late.stdout, late.return_code, late.error_type) == ("begun\n", 125, "timeout")
        full = await sandbox.exec("python3 -c 'x = b\"1\" * (600 << 20)'")
        assert full.return_code != 0
        assert "unreachable" in ((await sandbox.exec("exec 3<>/dev/tcp/192.0.2.1/80")).stderr or "")
        assert (await sandbox.exec("echo still here")).stdout == "still here\n"


def test_the_blocking_facade_and_the_end() -> None:
    with Sandbox({"glovebox": {}}, SandboxSpec()) as sandbox:
        sandbox.start()
        assert sandbox.exec("echo $((6 * 7))").stdout == "42\n"


async def test_status_of_an_end() -> None:
    provider = create_provider({"glovebox": {}})
    handle = await provider.create(SandboxSpec(ttl_s=60))
    assert handle.sandbox_id and handle.provider_name == "glovebox"
    await provider.close(handle)
    await provider.close(handle)
    assert await provider.status(handle) == SandboxStatus.STOPPED
    await provider.aclose()


async def test_the_supervisor_of_processes_works_inside() -> None:
    """NeMo Gym's own program for workers in a sandbox, which takes down what a worker leaves behind."""
    module = pytest.importorskip("nemo_gym.sandbox.process_supervisor", reason="this release has none")
    async with AsyncSandbox({"glovebox": {}}, SandboxSpec(workdir="/app")) as sandbox:
        await sandbox.start()
        await sandbox.upload(module.__file__, f"/app/{SUPERVISOR}")
        run = f"python3 {SUPERVISOR} --timeout 20 --receipt r.json -- sh -c 'setsid sleep 99 & exit 7'; cat r.json"
        receipt = (await sandbox.exec(run)).stdout or ""
        assert '"cleanup_confirmed": true' in receipt and '"return_code": 7' in receipt
        assert "sleep 99" not in ((await sandbox.exec("cat /proc/*/cmdline | tr '\\0' ' '")).stdout or "")


@pytest.mark.parametrize("spec, why", [
    ({"image": "ghcr.io/someone/task:1"}, "any_image"), ({"resources": {"gpu": 1}}, "GPUs"),
    ({"entrypoint": ["/bin/serve"]}, "entrypoint"), ({"ports": [8000]}, "ports"),
    ({"workdir": "/usr/x"}, "Read-only")])
async def test_refused(spec: dict[str, Any], why: str) -> None:
    if set(spec) - {field.name for field in fields(SandboxSpec)}:
        pytest.skip("this release has no such field")
    provider = create_provider({"glovebox": {}})
    with pytest.raises(SandboxCreateError, match=why):
        await provider.create(SandboxSpec(**spec))


async def test_ceilings(tmp_path: Path) -> None:
    """The package's own daemon has none; that of another has those of its operator."""
    large = SandboxSpec(resources={"memory_mib": 1 << 20})
    provider = create_provider({"glovebox": {}})
    await provider.close(await provider.create(large))
    command = [find_program(), "serve", "--quiet", "--listen", f"unix:{tmp_path}/g.sock", "--max-memory", "1g"]
    with subprocess.Popen(command) as daemon:
        for _ in range(500):
            if listens(Address(path=f"{tmp_path}/g.sock")):
                break
            await asyncio.sleep(0.02)
        named = create_provider({"glovebox": {"url": f"unix:{tmp_path}/g.sock"}})
        with pytest.raises(SandboxCreateError, match="more than this daemon allows"):
            await named.create(large)
        await named.close(await named.create(SandboxSpec(resources={"memory_mib": 512})))
        daemon.terminate()


async def test_refused_options() -> None:
    with pytest.raises(UsageError, match="did you mean 'memory'"):
        GloveboxProvider(memmory="1g")
    with pytest.raises(ValueError, match="its provider 'docker'"):
        GloveboxProvider(backend="docker")
    with pytest.raises(UsageError, match="there is no option 'volumes'"):
        await GloveboxProvider().create(SandboxSpec(provider_options={"volumes": "/x"}))


async def test_any_image() -> None:
    provider = GloveboxProvider()
    handle = await provider.create(SandboxSpec(image="a/b", provider_options={"any_image": True, "memory": "256m"}))
    assert (await provider.exec(handle, "echo here")).stdout == "here\n"
    await provider.close(handle)
