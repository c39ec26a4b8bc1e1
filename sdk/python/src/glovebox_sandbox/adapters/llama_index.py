# SPDX-License-Identifier: Apache-2.0
"""LlamaIndex: tools that run Python behind Glovebox's wall.

    from llama_index.core.agent.workflow import FunctionAgent
    from glovebox_sandbox.adapters.llama_index import GloveboxToolSpec

    with GloveboxToolSpec(memory="1g") as glovebox:
        agent = FunctionAgent(tools=glovebox.to_tool_list(), llm=llm)

The model gets `run_python`, and the workspace's files by `read_file`, `write_file` and `list_files`.
"""

from __future__ import annotations

from typing import Any

from llama_index.core.tools import ToolMetadata
from llama_index.core.tools.tool_spec.base import SPEC_FUNCTION_TYPE, BaseToolSpec
from llama_index.core.tools.utils import create_schema_from_function

from glovebox_sandbox import Sandbox

from ._python_tool import PythonTool
from ._workspace_tools import WorkspaceTools

__all__ = ["GloveboxToolSpec"]


class GloveboxToolSpec(BaseToolSpec):
    """The options are those of `Sandbox`. `sandbox` is one of yours, which `close()` then leaves open."""

    spec_functions: list[SPEC_FUNCTION_TYPE] = [
        ("run_python", "arun_python"),
        "read_file",
        "write_file",
        "list_files",
    ]

    def __init__(self, sandbox: Sandbox | None = None, **options: Any) -> None:
        self._python = PythonTool(sandbox, **options)
        self._files = WorkspaceTools(self._python.sandbox)

    @property
    def sandbox(self) -> Sandbox:
        return self._python.sandbox

    def run_python(self, code: str) -> str:
        return self._python.run(code)

    async def arun_python(self, code: str) -> str:
        return await self._python.run_async(code)

    def read_file(self, path: str) -> str:
        """Reads a text file of the sandbox."""
        return self._files.read(path)

    def write_file(self, path: str, text: str) -> str:
        """Writes a text file in the sandbox."""
        return self._files.write(path, text)

    def list_files(self) -> str:
        """Lists the files in the sandbox."""
        return self._files.list()

    def get_metadata_from_fn_name(
        self, fn_name: str, spec_functions: list[SPEC_FUNCTION_TYPE] | None = None
    ) -> ToolMetadata | None:
        """Of `run_python`, the description says what this sandbox has."""
        if fn_name != "run_python":
            return super().get_metadata_from_fn_name(fn_name, spec_functions)
        schema = create_schema_from_function(fn_name, self.run_python)
        return ToolMetadata(name=fn_name, description=self._python.description, fn_schema=schema)

    def close(self) -> None:
        """Closes the sandbox; a second call does nothing."""
        self._python.close()

    def __enter__(self) -> GloveboxToolSpec:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
