# SPDX-License-Identifier: Apache-2.0
# pyright: basic
"""NeMo Gym: a provider of sandboxes behind Glovebox's wall, without containers.

    from nemo_gym.sandbox import AsyncSandbox, SandboxSpec

    async with AsyncSandbox({"glovebox": {"memory": "1g"}}, SandboxSpec(workdir="/app")) as sandbox:
        await sandbox.start()
        result = await sandbox.exec("python3 -c 'print(6 * 7)'")

NeMo Gym finds the provider by the name `glovebox` where this package is installed. A sandbox has no image: its programs
are those of this machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nemo_gym.sandbox.providers.base import (
    SandboxCreateError,
    SandboxExecResult,
    SandboxHandle,
    SandboxSpec,
    SandboxStatus,
)

from glovebox_sandbox.core import AsyncBox
from glovebox_sandbox.options import check_names

from ._dockerfile import own_image
from ._places import folders_of

__all__ = ["GloveboxProvider"]

NOT_RUN = 125  # as NeMo Gym's own providers say it
DEFAULTS = {"pids": 256, "output_limit": "16m"}
NOT_HERE = ("backend", "image", "language")
STATES = {"new": SandboxStatus.STARTING, "running": SandboxStatus.RUNNING, "dead": SandboxStatus.ERROR,
          "closed": SandboxStatus.STOPPED}


class GloveboxProvider:
    """Sandboxes for NeMo Gym. The options are those of `Sandbox`, such as `memory`, `disk`, `net` and `ro`; a spec's
    `provider_options` may have them, too. `any_image` takes this machine's programs for an image of any name."""

    name = "glovebox"

    def __init__(self, *, url: str | None = None, token: str | None = None, any_image: bool = False,
                 **options: Any) -> None:
        _check(options)
        self._daemon = {"url": url, "token": token}
        self._any_image, self._options = any_image, options

    async def create(self, spec: SandboxSpec) -> SandboxHandle:
        options = {**DEFAULTS, **self._options, **self._options_of(spec)}
        paths = [*([spec.workdir] if spec.workdir else []), *spec.files]
        options["writable"] = folders_of(paths, options.get("writable", ()))
        box = AsyncBox(**self._daemon, **options)
        try:
            await box.mkdir(spec.workdir or ".")
        except Exception as error:
            await box.close()
            raise SandboxCreateError(str(error)) from error
        return SandboxHandle(sandbox_id=box.id or "", provider_name=self.name, raw=(box, spec))

    def _options_of(self, spec: SandboxSpec) -> dict[str, Any]:
        """What a spec asks for, as options. An error says what no sandbox has."""
        given = dict(spec.provider_options)
        any_image = given.pop("any_image", self._any_image)
        wanted: Any = spec.resources
        refused = {"an image of its own ('any_image: true' takes this machine's programs)":
                   own_image(spec.image) and not any_image, "GPUs": wanted.gpu, "an entrypoint": spec.entrypoint,
                   "ports": getattr(spec, "ports", ()) and {**self._options, **given}.get("net") != "host"}
        for what, asked in refused.items():
            if asked:
                raise SandboxCreateError(f"a sandbox of Glovebox cannot have {what}")
        _check(given)
        limits = {"cpus": wanted.cpu, "memory": wanted.memory_mib and f"{wanted.memory_mib}m",
                  "disk": wanted.disk_gib and f"{wanted.disk_gib}g", "idle": spec.ttl_s}
        return {**{name: value for name, value in limits.items() if value}, "env": dict(spec.env), **given}

    async def exec(self, handle: SandboxHandle, command: str, *, cwd: str | None = None,
                   env: dict[str, str] | None = None, timeout_s: int | float | None = None,
                   user: str | int | None = None) -> SandboxExecResult:
        box, spec = handle.raw
        if user is not None and str(user) not in ("root", "0", box.user):
            raise ValueError(f"the sandbox has no user '{user}'; all commands run as '{box.user}'")
        result = await box.exec(command, cwd=cwd or spec.workdir, env=env, timeout=timeout_s)
        stdout, stderr = (text.decode(errors="replace") for text in (result.stdout, result.stderr))
        failed = "timeout" if result.timed_out else "sandbox" if result.error_type in ("ours", "refused") else None
        if result.message and not result.success:
            stderr = f"{stderr}\n{result.message}" if stderr else result.message
        return SandboxExecResult(stdout, stderr, NOT_RUN if failed else result.exit_code, failed)

    async def upload_file(self, handle: SandboxHandle, source_path: Path, target_path: str) -> None:
        await handle.raw[0].upload(source_path, target_path)

    async def download_file(self, handle: SandboxHandle, source_path: str, target_path: Path) -> None:
        await handle.raw[0].download(source_path, target_path)

    async def status(self, handle: SandboxHandle) -> SandboxStatus:
        return STATES.get(await handle.raw[0].status(), SandboxStatus.UNKNOWN)

    async def close(self, handle: SandboxHandle) -> None:
        await handle.raw[0].close()

    async def aclose(self) -> None:
        """Nothing is the provider's own."""


def _check(options: dict[str, Any]) -> None:
    for name in NOT_HERE:
        if name in options:
            raise ValueError(f"a sandbox of NeMo Gym's takes no '{name}'; for a container use its provider 'docker'")
    check_names(options)
