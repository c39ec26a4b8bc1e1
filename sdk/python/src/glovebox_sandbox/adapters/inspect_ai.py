# SPDX-License-Identifier: Apache-2.0
"""Inspect: a sandbox for evaluations behind Glovebox's wall, without Docker.

    from inspect_ai import Task
    import glovebox_sandbox.adapters.inspect_ai

    task = Task(dataset=..., solver=..., scorer=..., sandbox="glovebox")
    task = Task(..., sandbox=SandboxEnvironmentSpec("glovebox", GloveboxConfig(memory="2g", net="host")))

Each sample has a sandbox of its own: a workspace, a /tmp, its own processes. Commands run as an ordinary user without
rights; there is no other user.
"""

from __future__ import annotations

from typing import Any, Literal, Union, overload

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from pydantic import BaseModel, ConfigDict

from glovebox_sandbox import SessionError
from glovebox_sandbox.core import AsyncBox

NOT_EXECUTABLE = 126  # as a shell reports it

__all__ = ["GloveboxConfig", "GloveboxSandboxEnvironment"]


class GloveboxConfig(BaseModel):
    """The options of a sandbox: `timeout`, `memory`, `net`, `files` and all others of `Sandbox`."""

    model_config = ConfigDict(extra="allow", frozen=True)


@sandboxenv(name="glovebox")
class GloveboxSandboxEnvironment(SandboxEnvironment):
    def __init__(self, box: AsyncBox) -> None:
        super().__init__()
        self.box = box

    # ---- the life of a sample's sandbox ----

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        return GloveboxConfig(**config)

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        if isinstance(config, str):
            raise ValueError("the sandbox 'glovebox' has no file of its own: give a GloveboxConfig")
        options = config.model_dump() if config is not None else {}
        options.setdefault("output_limit", SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE)
        return {"default": cls(await AsyncBox.create(**options))}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            await environment.as_type(GloveboxSandboxEnvironment).box.close()

    # ---- commands and files ----

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        if user is not None and user != self.box.user:
            raise SandboxUserUnsupportedError(f"the sandbox has no user '{user}'; commands run as '{self.box.user}'")
        result = await self.box.exec(cmd, cwd=cwd, env=env, timeout=timeout, stdin=input)
        stdout, stderr = (text.decode(errors="replace") for text in (result.stdout, result.stderr))
        if result.timed_out and timeout is not None:
            raise TimeoutError(f"the command took longer than {timeout} s")
        if result.error_type == "ours":
            raise SessionError(result.message)
        if result.truncated:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, stdout + stderr)
        if result.exit_code == NOT_EXECUTABLE and result.message:  # it was not started
            raise PermissionError(result.message)
        return ExecResult(result.exit_code == 0, result.exit_code, stdout, stderr)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        await self.box.write(file, contents)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> Union[str, bytes]:
        entry = await self.box.stat(file)
        if entry.size > SandboxEnvironmentLimits.MAX_READ_FILE_SIZE:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        content = await self.box.read(file)
        return content.decode() if text else content

    def default_polling_interval(self) -> float:
        return 0.2


