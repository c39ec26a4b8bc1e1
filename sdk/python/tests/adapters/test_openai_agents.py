# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from agents import Agent, Runner, ShellCallData, ShellCommandRequest
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tool import ShellActionRequest
from agents.tool_context import ToolContext

from glovebox_sandbox.adapters.openai_agents import CodeInterpreter, Shell

PICTURE = """
import base64
png = 'iVBORw0KGgoAAAANSUhEUgAAAAMAAAADCAIAAADZSiLoAAAAC0lEQVR4nGNgwAcAAB4AAfb96ZYAAAAASUVORK5CYII='
class P:
    def _repr_png_(self):
        return base64.b64decode(png)
P()
"""


def call(python: CodeInterpreter, code: object) -> Any:
    arguments = json.dumps({"code": code})
    context = ToolContext(context=None, tool_name="code_interpreter", tool_call_id="1", tool_arguments=arguments)
    return asyncio.run(python.tool.on_invoke_tool(context, arguments))


def test_the_interpreter_keeps_state_in_every_event_loop() -> None:
    with CodeInterpreter(timeout="10s") as python:
        call(python, "x = 21")
        assert "42" in call(python, "2 * x")
        assert "divisor is 0" in call(python, "1 / 0")
        assert "Invalid arguments" in call(python, 7)


def test_pictures_are_pictures() -> None:
    with CodeInterpreter() as python:
        text, picture = call(python, PICTURE)
        assert text.type == "text" and picture.image_url.startswith("data:image/png;base64,iVBOR")
    with CodeInterpreter(pictures=False) as python:
        assert isinstance(call(python, PICTURE), str)


def test_an_agent_with_the_interpreter() -> None:
    model = ScriptedModel([
        [function_call("code_interpreter", {"code": "x = 6 * 7"}, call_id="1")],
        [function_call("code_interpreter", {"code": "print(x)"}, call_id="2")],
        [assistant_message("It is 42.")],
    ])
    with CodeInterpreter() as python:
        agent = Agent(name="analyst", model=model, tools=[python.tool])
        assert Runner.run_sync(agent, "What is 6 times 7?").final_output == "It is 42."
    assert "42" in str(model.last_call.input)


def test_the_shell() -> None:
    action = ShellActionRequest(commands=["echo hi > f; cat f", "cat f; ls nowhere", "sleep 9"], timeout_ms=1500)
    request = ShellCommandRequest(ctx_wrapper=None, data=ShellCallData(call_id="1", action=action))  # type: ignore
    with Shell() as shell:
        first, second, third = asyncio.run(shell.tool.executor(request)).output
    assert (first.stdout, first.exit_code) == ("hi\n", 0)
    assert second.stdout == "hi\n" and "nowhere" in second.stderr and second.exit_code == 2
    assert third.status == "timeout" and third.stderr


def test_a_box_and_options_exclude_each_other() -> None:
    with Shell() as shell, pytest.raises(ValueError, match="either a box or its options"):
        Shell(shell.box, memory="1g")
