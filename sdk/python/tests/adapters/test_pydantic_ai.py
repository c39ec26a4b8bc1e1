# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from glovebox_sandbox import Sandbox
from glovebox_sandbox.adapters.pydantic_ai import GloveboxToolset


def scripted(*replies: Any) -> tuple[FunctionModel, list[str]]:
    """A reply is a text, or the name of a tool and its arguments."""
    left, seen = list(replies), []

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(f"{messages[-1]} {[tool.description for tool in info.function_tools]}")
        said = left.pop(0)
        return ModelResponse(parts=[TextPart(said) if isinstance(said, str) else ToolCallPart(*said)])

    return FunctionModel(reply), seen


def test_an_agent() -> None:
    model, seen = scripted(
        ("run_python", {"code": "x = 6 * 7"}),
        ("write_file", {"path": "in.txt", "text": "abc"}),
        ("run_python", {"code": "print(open('in.txt').read() * 2, x)"}),
        ("list_files", {}),
        ("read_file", {"path": "in.txt"}),
        ("run_python", {"code": "1 / 0"}),
        "It is 42.",
    )
    toolset = GloveboxToolset(timeout="10s")

    async def ask() -> str:
        agent = Agent(model, toolsets=[toolset])
        async with agent:
            return (await agent.run("What is 6 times 7?")).output

    assert asyncio.run(ask()) == "It is 42."
    assert "no network" in seen[0]
    assert "abcabc 42" in seen[3] and "in.txt (3 bytes)" in seen[4] and "ZeroDivisionError" in seen[6]
    assert toolset.sandbox.closed


def test_runs_at_once_share_the_state_and_do_not_mix() -> None:
    toolset = GloveboxToolset(timeout="10s")

    async def ask(n: int) -> str:
        model, seen = scripted(("run_python", {"code": f"print('n is', {n} * 11)"}), "done")
        await Agent(model, toolsets=[toolset]).run("?")
        return seen[1]

    async def both() -> list[str]:
        async with toolset:
            return list(await asyncio.gather(*map(ask, range(5))))

    for n, seen in enumerate(asyncio.run(both())):
        assert f"n is {n * 11}" in seen


def test_a_cancelled_run_interrupts_the_code() -> None:
    async def ask() -> str:
        async with GloveboxToolset(timeout="30s") as toolset:
            model, _ = scripted(("run_python", {"code": "while True:\n    pass"}))
            try:
                await asyncio.wait_for(Agent(model, toolsets=[toolset]).run("?"), 2)
            except asyncio.TimeoutError:
                return str(toolset.sandbox.exec("'alive'").value)
        return "no timeout"

    assert asyncio.run(ask()) == "alive"


def test_a_sandbox_of_ones_own_stays_open() -> None:
    async def use(sandbox: Sandbox) -> None:
        async with GloveboxToolset(sandbox):
            pass

    with Sandbox() as sandbox:
        asyncio.run(use(sandbox))
        assert sandbox.exec("1").value == 1
