# SPDX-License-Identifier: Apache-2.0
"""OpenAI Agents SDK: tools that run code and commands behind Glovebox's wall.

    from agents import Agent, Runner
    from glovebox_sandbox.adapters.openai_agents import CodeInterpreter

    with CodeInterpreter() as python:
        agent = Agent(name="analyst", tools=[python.tool])
        print(Runner.run_sync(agent, "What is the 20th Fibonacci number?").final_output)

`CodeInterpreter` has the shape of the hosted code interpreter: one container that keeps variables and files, logs and
pictures as output. `Shell` is the executor of the SDK's `ShellTool`. A sandbox for `SandboxAgent` is in
`glovebox_sandbox.adapters.openai_agents_sandbox`.
"""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

from agents import (
    FunctionTool,
    ShellCallOutcome,
    ShellCommandOutput,
    ShellCommandRequest,
    ShellResult,
    ShellTool,
    ToolOutputImage,
    ToolOutputText,
)
from agents.tool_context import ToolContext

from glovebox_sandbox import Result, Sandbox, SessionError, UsageError
from glovebox_sandbox.core import Box, CommandResult

from ._python_tool import PythonTool, text_for_model

__all__ = ["CodeInterpreter", "Shell"]

SCHEMA = {
    "type": "object",
    "properties": {"code": {"type": "string", "description": "Python code; the value of its last line is shown."}},
    "required": ["code"],
    "additionalProperties": False,
}
MOST_PICTURES = 8


class CodeInterpreter:
    """A code interpreter as a function tool: `Agent(tools=[CodeInterpreter().tool])`.

    The options are those of `Sandbox`. `sandbox` is one of yours, which `close()` then leaves open. With
    `pictures=False`, the model gets text only.
    """

    def __init__(
        self,
        sandbox: Sandbox | None = None,
        *,
        tool_name: str = "code_interpreter",
        description: str | None = None,
        pictures: bool = True,
        **options: Any,
    ) -> None:
        self._python = PythonTool(sandbox, **options)
        self._pictures = pictures
        self.tool = FunctionTool(
            name=tool_name,
            description=description or self._python.description,
            params_json_schema=SCHEMA,
            on_invoke_tool=self._invoke,
        )

    @property
    def sandbox(self) -> Sandbox:
        return self._python.sandbox

    async def _invoke(self, context: ToolContext[Any], arguments: str) -> Any:
        code = code_in(arguments)
        if code is None:
            return 'Invalid arguments. Call the tool with {"code": "..."}.'
        try:
            return self._output(await self._python.result_async(code))
        except (SessionError, UsageError) as error:
            return str(error)

    def _output(self, result: Result) -> Any:
        text = text_for_model(result)
        shown = [display.png for display in result.results if display.png] if self._pictures else []
        if not shown:
            return text
        return [ToolOutputText(text=text), *(picture(png) for png in shown[:MOST_PICTURES])]

    def close(self) -> None:
        """Closes the sandbox; a second call does nothing."""
        self._python.close()

    def __enter__(self) -> CodeInterpreter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def code_in(arguments: str) -> str | None:
    try:
        code = json.loads(arguments)["code"]
    except (ValueError, KeyError, TypeError):
        return None
    return code if isinstance(code, str) else None


def picture(png: bytes) -> ToolOutputImage:
    return ToolOutputImage(image_url="data:image/png;base64," + base64.b64encode(png).decode())


class Shell:
    """A shell for models that know the shell tool: `Agent(tools=[Shell().tool])`.

    The options are those of `Box`. The workspace lasts from one command to the next; each command begins in it.
    """

    def __init__(self, box: Box | None = None, **options: Any) -> None:
        if box is not None and options:
            raise ValueError("give either a box or its options: the options of an open box cannot change")
        self.box = Box(**options) if box is None else box
        self._owned = box is None
        self.tool = ShellTool(executor=self._execute)

    async def _execute(self, request: ShellCommandRequest) -> ShellResult:
        action = request.data.action
        limit = None if action.timeout_ms is None else action.timeout_ms / 1000
        rows = [await asyncio.to_thread(self._one, command, limit) for command in action.commands]
        return ShellResult(output=rows, max_output_length=action.max_output_length)

    def _one(self, command: str, limit: float | None) -> ShellCommandOutput:
        result = self.box.exec(command, timeout=limit)
        return ShellCommandOutput(
            command=command,
            stdout=result.stdout.decode("utf-8", "replace"),
            stderr=said(result),
            outcome=ShellCallOutcome("timeout") if result.timed_out else ShellCallOutcome("exit", result.exit_code),
        )

    def close(self) -> None:
        """Ends the sandbox with all that runs in it; a second call does nothing."""
        if self._owned:
            self.box.close()

    def __enter__(self) -> Shell:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def said(result: CommandResult) -> str:
    """What the command wrote to its standard error, and, where a limit ended it, which one."""
    text = result.stderr.decode("utf-8", "replace")
    if result.success or not result.message or result.error_type == "guest":
        return text
    return f"{text}\n{result.message}" if text else result.message
