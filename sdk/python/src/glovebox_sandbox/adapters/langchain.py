# SPDX-License-Identifier: Apache-2.0
"""LangChain: a tool that runs Python behind Glovebox's wall.

    from langchain.agents import create_agent
    from glovebox_sandbox.adapters.langchain import GloveboxTool

    with GloveboxTool(memory="1g") as run_python:
        agent = create_agent(model, tools=[run_python])
        agent.invoke({"messages": [("user", "What is the 20th Fibonacci number?")]})

The model gets the output, the value and, after a failure, the error with advice. The message's `artifact` is the whole
result as a dict: pictures, files, limits.
"""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForToolRun, CallbackManagerForToolRun
from langchain_core.tools import BaseTool
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, Field, PrivateAttr

from glovebox_sandbox import Sandbox, SessionError, UsageError

from ._python_tool import NAME, PythonTool, text_for_model

__all__ = ["GloveboxTool"]

Answer = tuple[str, dict[str, Any]]


class PythonInput(BaseModel):
    code: str = Field(description="Python code. Its last expression is the value that is returned.")


class GloveboxTool(BaseTool):
    """A tool for `create_agent`, a tool node, or `bind_tools`. The options are those of `Sandbox`.

    `sandbox` is a `Sandbox` of yours, which `close()` then leaves open.
    """

    name: str = NAME
    description: str = ""
    args_schema: ArgsSchema | None = PythonInput
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    _python: PythonTool = PrivateAttr()

    def __init__(
        self,
        sandbox: Sandbox | None = None,
        *,
        tool_name: str = NAME,
        description: str | None = None,
        **options: Any,
    ) -> None:
        python = PythonTool(sandbox, **options)
        super().__init__(name=tool_name, description=description or python.description)
        self._python = python

    @property
    def sandbox(self) -> Sandbox:
        return self._python.sandbox

    def _run(self, code: str, run_manager: CallbackManagerForToolRun | None = None) -> Answer:
        try:
            result = self._python.result(code)
        except (SessionError, UsageError) as error:
            return str(error), {}
        return text_for_model(result), dict(result.raw)

    async def _arun(self, code: str, run_manager: AsyncCallbackManagerForToolRun | None = None) -> Answer:
        try:
            result = await self._python.result_async(code)
        except (SessionError, UsageError) as error:
            return str(error), {}
        return text_for_model(result), dict(result.raw)

    def close(self) -> None:
        """Closes the sandbox; a second call does nothing."""
        self._python.close()

    def __enter__(self) -> GloveboxTool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
