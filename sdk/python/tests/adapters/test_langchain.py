# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from langchain.agents import create_agent
from langchain_tests.integration_tests import ToolsIntegrationTests
from scripted import langchain_model

from glovebox_sandbox import Sandbox
from glovebox_sandbox.adapters.langchain import GloveboxTool


@pytest.fixture
def run_python() -> Iterator[GloveboxTool]:
    with GloveboxTool(timeout="10s") as it:
        yield it


class TestConformance(ToolsIntegrationTests):
    """LangChain's public tests for tools, as they are."""

    @property
    def tool_constructor(self) -> type[GloveboxTool]:
        return GloveboxTool

    @property
    def tool_invoke_params_example(self) -> dict[str, str]:
        return {"code": "1 + 1"}


def test_output_value_and_state(run_python: GloveboxTool) -> None:
    run_python.invoke({"code": "x = 21"})
    text = run_python.invoke({"code": "print('twice')\n2 * x"})
    assert "twice" in text and "42" in text
    assert "no output" in run_python.invoke({"code": "y = 1"})


def test_the_artifact_is_the_result(run_python: GloveboxTool) -> None:
    call = {"name": "run_python", "args": {"code": "{1: 2}"}, "id": "1", "type": "tool_call"}
    message = run_python.invoke(call)
    assert message.artifact["success"] and message.artifact["value"]["$type"] == "dict"


def test_errors_are_answers(run_python: GloveboxTool) -> None:
    assert "divisor is 0" in run_python.invoke({"code": "1 / 0"})
    assert "never closed" in run_python.invoke({"code": "print(1"})


def test_a_dead_sandbox_starts_again() -> None:
    with GloveboxTool(memory="64m", timeout="10s") as tool:
        tool.invoke({"code": "x = 1"})
        tool.invoke({"code": "b = bytearray(1 << 28)"})
        texts = [tool.invoke({"code": "x = 2"}) for _ in range(2)]
        assert "started again" in texts[0] or "no output" in texts[0]
        assert "no output" in texts[1]


def test_event_loops_share_a_tool_and_cancel_interrupts(run_python: GloveboxTool) -> None:
    async def cancelled() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(run_python.ainvoke({"code": "while True:\n    pass"}), 1)

    asyncio.run(cancelled())
    assert "3" in asyncio.run(run_python.ainvoke({"code": "1 + 2"}))


def test_an_agent(run_python: GloveboxTool) -> None:
    model = langchain_model(("run_python", {"code": "x = 6 * 7"}), ("run_python", {"code": "print(x)"}), "It is 42.")
    agent = create_agent(model, tools=[run_python])
    answer = agent.invoke({"messages": [("user", "What is 6 times 7?")]})
    assert answer["messages"][-1].content == "It is 42."
    assert "42" in answer["messages"][-2].content


def test_a_sandbox_of_ones_own_stays_open() -> None:
    with Sandbox() as sandbox:
        with GloveboxTool(sandbox) as tool:
            tool.invoke({"code": "x = 1"})
        assert sandbox.exec("x").value == 1
        with pytest.raises(ValueError, match="either a sandbox or its options"):
            GloveboxTool(sandbox, memory="1g")
