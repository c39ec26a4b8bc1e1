# SPDX-License-Identifier: Apache-2.0
"""ADK's own tools for environments, run against a sandbox."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.environment import BaseEnvironment, LocalEnvironment
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.environment import EnvironmentToolset
from google.genai import types

from glovebox_sandbox.adapters.google_adk_environment import GloveboxEnvironment
from glovebox_sandbox.core import Box

pytestmark = pytest.mark.filterwarnings("ignore")
NO_CONTEXT: Any = None  # the tools need nothing of it
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("WriteFile", {"path": "deep/er/a.py", "content": "print('one')\nprint('two')\n"}),
    ("ReadFile", {"path": "deep/er/a.py", "start_line": 2}),
    ("EditFile", {"path": "deep/er/a.py", "old_string": "'two'", "new_string": "'ü'"}),
    ("EditFile", {"path": "deep/er/a.py", "old_string": "nowhere", "new_string": ""}),
    ("Execute", {"command": "python3 deep/er/a.py; echo err >&2; exit 3"}),
    ("Execute", {"command": "test \"$PWD\" = \"$(pwd)\" && cat deep/er/a.py | wc -l && echo $NAMED"}),
    ("ReadFile", {"path": "missing"}),
    ("EditFile", {"path": "missing", "old_string": "a", "new_string": "b"}),
    ("ReadFile", {"path": "deep/er/a.py", "start_line": 9}),
    ("Execute", {"command": "yes | head -c 50000"}),
]


def play(environment: BaseEnvironment, calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """What ADK's tools answer, one call after the other."""

    async def run() -> list[Any]:
        toolset = EnvironmentToolset(environment=environment)
        tools = {tool.name: tool for tool in await toolset.get_tools()}
        answers = [await tools[name].run_async(args=arguments, tool_context=NO_CONTEXT) for name, arguments in calls]
        await toolset.close()
        return answers

    return asyncio.run(run())


def test_the_signatures_are_adks() -> None:
    for name, theirs in inspect.getmembers(BaseEnvironment, inspect.isfunction):
        if not name.startswith("_"):
            ours = inspect.signature(getattr(GloveboxEnvironment, name))
            assert list(ours.parameters) == list(inspect.signature(theirs).parameters), name


@pytest.mark.parametrize("folder", ["", "/app", "project/src", "/home/user/work"])
def test_the_tools_answer_as_with_adks_local_environment(folder: str, tmp_path: Path) -> None:
    expected = play(LocalEnvironment(working_dir=tmp_path, env_vars={"NAMED": "n"}), CALLS)
    assert play(GloveboxEnvironment(working_dir=folder, env_vars={"NAMED": "n"}), CALLS) == expected
    assert expected[4] == {"status": "error", "stdout": "one\nü\n", "stderr": "err\n", "exit_code": 3}


async def test_the_working_folder() -> None:
    environment = GloveboxEnvironment(working_dir=Path("/app"), writable=["/data"])
    with pytest.raises(RuntimeError, match="initialize"):
        environment.working_dir
    with pytest.raises(RuntimeError, match="initialize"):
        await environment.execute("true")
    assert not environment.is_initialized
    await environment.initialize()
    await environment.initialize()
    assert environment.is_initialized and environment.working_dir == Path("/app")
    await environment.write_file("x", b"\0x")
    await environment.write_file("/data/y", "y")
    assert (await environment.execute("pwd; cat x /data/y")).stdout == "/app\n\0xy"
    assert await environment.read_file(Path("/app/x")) == b"\0x"
    await environment.close()
    await environment.close()
    assert not environment.is_initialized
    await environment.initialize()
    assert (await environment.execute("ls")).stdout == "", "it begins anew"
    await environment.close()


async def test_time_and_limits() -> None:
    environment = GloveboxEnvironment(timeout="20s", memory="256m")
    await environment.initialize()
    late = await environment.execute("echo begun; sleep 60", timeout=0.7)
    assert (late.stdout, late.exit_code, late.timed_out) == ("begun\n", 124, True)
    full = await environment.execute("python3 -c 'x = b\"1\" * (600 << 20)'")
    assert full.exit_code != 0 and full.stderr and not full.timed_out
    assert "GLOVEBOX_PROGRAM" not in (await environment.execute("env")).stdout
    assert (await environment.execute("cat /etc/shadow")).exit_code != 0
    with pytest.raises(FileNotFoundError):
        await environment.read_file("/nothing")
    with pytest.raises(OSError):
        await environment.write_file("/usr/x", "")
    several = await asyncio.gather(*(environment.execute(f"sleep 0.2; echo {n}") for n in range(5)))
    assert [result.stdout for result in several] == [f"{n}\n" for n in range(5)]
    task = asyncio.create_task(environment.execute("sleep 15; echo done > done"))
    await asyncio.sleep(1)
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begun < 10 and (await environment.execute("ls")).stdout == ""
    await environment.close()


def test_a_box_of_ones_own_stays_open() -> None:
    with Box() as box:
        assert play(GloveboxEnvironment(box), CALLS[:1]) == [{"status": "ok", "message": "Wrote deep/er/a.py"}]
        assert box.exists("deep/er/a.py")
    with pytest.raises(ValueError, match="either a box or its options"):
        GloveboxEnvironment(box, memory="1g")


class Scripted(BaseLlm):
    calls: list[tuple[str, dict[str, Any]]]
    asked: list[str] = []

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        self.asked.append(f"{llm_request.config.system_instruction} {llm_request.contents[-1]}")
        if not self.calls:
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="It is 42.")]))
            return
        name, arguments = self.calls.pop(0)
        part = types.Part(function_call=types.FunctionCall(name=name, args=arguments))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def test_an_agent() -> None:
    environment = GloveboxEnvironment(working_dir="/app")
    model = Scripted(model="scripted", calls=[("WriteFile", {"path": "a.py", "content": "print(6 * 7)"}),
                                              ("Execute", {"command": "python3 a.py && pwd"})])
    agent = LlmAgent(name="coder", model=model, tools=[EnvironmentToolset(environment=environment)])
    runner = InMemoryRunner(agent=agent, app_name="test")
    session = await runner.session_service.create_session(app_name="test", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="What is 6 times 7?")])
    events = [event async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message)]
    await runner.close()
    assert "It is 42." in str(events[-1].content)
    assert "at /app/" in model.asked[0] and "42\n/app\n" in model.asked[2]
    assert not environment.is_initialized, "the runner closed it"
