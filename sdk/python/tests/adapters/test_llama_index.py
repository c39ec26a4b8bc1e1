# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection

from glovebox_sandbox import Sandbox
from glovebox_sandbox.adapters.llama_index import GloveboxToolSpec


@pytest.fixture
def spec() -> Iterator[GloveboxToolSpec]:
    with GloveboxToolSpec(timeout="10s") as it:
        yield it


def tools_of(spec: GloveboxToolSpec) -> dict[str, Any]:
    return {tool.metadata.name: tool for tool in spec.to_tool_list()}


def test_the_tools(spec: GloveboxToolSpec) -> None:
    tools = tools_of(spec)
    assert set(tools) == {"run_python", "read_file", "write_file", "list_files"}
    assert "no network" in tools["run_python"].metadata.description
    assert list(tools["write_file"].metadata.get_parameters_dict()["properties"]) == ["path", "text"]


def test_state_files_and_errors(spec: GloveboxToolSpec) -> None:
    tools = tools_of(spec)
    tools["run_python"].call(code="x = 21")
    assert "42" in str(tools["run_python"].call(code="2 * x"))
    assert "6 bytes" in str(tools["write_file"].call(path="a/b.txt", text="été\n"))
    assert "été" in str(tools["run_python"].call(code="print(open('a/b.txt').read())"))
    assert str(tools["read_file"].call(path="a/b.txt")) == "été\n"
    assert "a/b.txt (6 bytes)" in str(tools["list_files"].call())
    assert "cannot be read" in str(tools["read_file"].call(path="missing"))
    assert "cannot be read" in str(tools["read_file"].call(path="../../etc/passwd"))
    assert "ZeroDivisionError" in str(tools["run_python"].call(code="1 / 0"))


def test_a_long_file_is_cut(spec: GloveboxToolSpec) -> None:
    tools = tools_of(spec)
    tools["write_file"].call(path="long", text="x" * 30_000)
    text = str(tools["read_file"].call(path="long"))
    assert text.startswith("x" * 20_000) and "30000 characters" in text and len(text) < 20_200


def test_event_loops(spec: GloveboxToolSpec) -> None:
    async def both() -> list[str]:
        tool = tools_of(spec)["run_python"]
        return [str(answer) for answer in await asyncio.gather(*(tool.acall(code=f"{n} + 1") for n in (1, 2)))]

    assert "2" in asyncio.run(both())[0]


class Scripted(FunctionCallingLLM):
    """Calls the tool with each program, and then answers."""

    programs: list[str]
    last: str
    asked: list[Any] = []

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True)

    def _prepare_chat_with_tools(self, tools: Any, user_msg: Any = None, chat_history: Any = None, **_: Any) -> Any:
        return {"messages": [*(chat_history or []), *([user_msg] if user_msg else [])]}

    async def achat(self, messages: Any, **_: Any) -> ChatResponse:
        self.asked.append(messages[-1])
        calls = [self.programs.pop(0)] if self.programs else []
        message = ChatMessage(role="assistant", content="" if calls else self.last, additional_kwargs={"programs": calls})
        return ChatResponse(message=message)

    async def astream_chat(self, messages: Any, **more: Any) -> Any:
        async def once() -> Any:
            yield await self.achat(messages, **more)

        return once()

    def get_tool_calls_from_response(self, response: ChatResponse, **_: Any) -> list[ToolSelection]:
        return [
            ToolSelection(tool_id=f"t{len(self.asked)}", tool_name="run_python", tool_kwargs={"code": code})
            for code in response.message.additional_kwargs.get("programs", [])
        ]

    def _none(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    chat = complete = stream_chat = stream_complete = acomplete = astream_complete = _none


def test_an_agent(spec: GloveboxToolSpec) -> None:
    async def ask() -> str:
        agent = FunctionAgent(tools=spec.to_tool_list(), llm=Scripted(programs=["x = 6 * 7", "print(x)"], last="It is 42."))
        return str(await agent.run("What is 6 times 7?"))

    assert asyncio.run(ask()) == "It is 42."
    assert spec.sandbox.exec("x").value == 42


def test_a_sandbox_of_ones_own_stays_open() -> None:
    with Sandbox() as sandbox:
        with GloveboxToolSpec(sandbox) as spec:
            spec.run_python("x = 1")
        assert sandbox.exec("x").value == 1
