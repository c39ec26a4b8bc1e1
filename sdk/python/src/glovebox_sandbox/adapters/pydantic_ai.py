# SPDX-License-Identifier: Apache-2.0
"""Pydantic AI: a toolset that runs Python behind Glovebox's wall.

    from pydantic_ai import Agent
    from glovebox_sandbox.adapters.pydantic_ai import GloveboxToolset

    agent = Agent("openai:gpt-5", toolsets=[GloveboxToolset(memory="1g")])
    async with agent:
        result = await agent.run("What is the 20th Fibonacci number?")

The model gets `run_python`, and the workspace's files by `read_file`, `write_file` and `list_files`. `async with` closes
the sandbox; without it, call `close()`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai.toolsets import FunctionToolset

from glovebox_sandbox import Sandbox

from ._python_tool import NAME, PythonTool
from ._workspace_tools import WorkspaceTools

__all__ = ["GloveboxToolset"]


class GloveboxToolset(FunctionToolset[Any]):
    """The options are those of `Sandbox`. `sandbox` is one of yours, which is then left open. `id` is Pydantic AI's."""

    def __init__(self, sandbox: Sandbox | None = None, *, id: str | None = "glovebox", **options: Any) -> None:
        super().__init__(id=id)
        self._python = PythonTool(sandbox, **options)
        files = WorkspaceTools(self._python.sandbox)
        self._users = 0

        async def run_python(code: str) -> str:
            return await self._python.run_async(code)

        async def read_file(path: str) -> str:
            return await asyncio.to_thread(files.read, path)

        async def write_file(path: str, text: str) -> str:
            return await asyncio.to_thread(files.write, path, text)

        async def list_files() -> str:
            return await asyncio.to_thread(files.list)

        self.add_function(run_python, name=NAME, description=self._python.description)
        self.add_function(read_file, description="Reads a text file of the sandbox.")
        self.add_function(write_file, description="Writes a text file in the sandbox.")
        self.add_function(list_files, description="Lists the files in the sandbox.")

    @property
    def sandbox(self) -> Sandbox:
        return self._python.sandbox

    async def __aenter__(self) -> GloveboxToolset:
        self._users += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        self._users -= 1
        if not self._users:
            await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Closes the sandbox; a second call does nothing."""
        self._python.close()
