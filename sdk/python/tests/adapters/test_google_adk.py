# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.code_executors.code_execution_utils import CodeExecutionInput, File
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from glovebox_sandbox.adapters.google_adk import GloveboxCodeExecutor, content_of

NO_CONTEXT: Any = None  # the executor needs nothing of it


def run(executor: GloveboxCodeExecutor, code: str, files: Any = (), id: str | None = None) -> Any:
    return executor.execute_code(NO_CONTEXT, CodeExecutionInput(code, [File(*file) for file in files], id))


def test_output_and_errors() -> None:
    executor = GloveboxCodeExecutor(timeout_seconds=5)
    good = run(executor, "print(6 * 7)")
    assert (good.stdout, good.stderr, good.exit_code, good.output_files) == ("42\n", "", 0, [])
    bad = run(executor, "print(1)\n1 / 0")
    assert bad.stdout == "1\n" and "ZeroDivisionError" in bad.stderr and bad.exit_code == 1
    warned = run(executor, "import sys; print('careful', file=sys.stderr)")
    assert (warned.stderr, warned.exit_code) == ("", 0)
    assert "NameError" in run(executor, "x").stderr


def test_a_timeout_is_a_result() -> None:
    late = run(GloveboxCodeExecutor(timeout_seconds=1), "while True:\n    pass")
    assert late.exit_code == 124 and late.stderr


def test_files_go_in_and_come_out() -> None:
    data = bytes(range(256))
    code = ("open('out.bin', 'wb').write(open('in.bin', 'rb').read() * 2)\n"
            "import os; os.mkdir('charts'); open('charts/a.csv', 'w').write('1,2')")
    result = run(GloveboxCodeExecutor(), code, [("in.bin", base64.b64encode(data).decode())])
    files = {file.name: file for file in result.output_files}
    assert set(files) == {"out.bin", "charts/a.csv"}, result
    assert files["out.bin"].content == data * 2 and files["charts/a.csv"].mime_type == "text/csv"


def test_contents_of_inputs() -> None:
    assert content_of(File("a", "a,b\n1,2\n")) == b"a,b\n1,2\n"
    assert content_of(File("a", base64.b64encode(b"a,b").decode())) == b"a,b"
    assert content_of(File("a", b"\xff\x00")) == b"\xff\x00"


def test_sessions_are_apart() -> None:
    with GloveboxCodeExecutor(stateful=True, most_sessions=2) as executor:
        run(executor, "x = 1; open('kept', 'w').write('k')", id="a")
        assert run(executor, "print(x, open('kept').read())", id="a").stdout == "1 k\n"
        assert "NameError" in run(executor, "print(x)", id="b").stderr
        run(executor, "x = 3", id="c")
        assert "NameError" in run(executor, "print(x)", id="a").stderr, "the least recently used one was closed"


def test_an_input_is_not_written_over_what_the_code_made_of_it() -> None:
    with GloveboxCodeExecutor(stateful=True) as executor:
        files = [("in.csv", "a,b\n")]
        changed = run(executor, "open('in.csv', 'a').write('1,2\\n')", files, "a")
        assert [file.name for file in changed.output_files] == ["in.csv"]
        assert run(executor, "print(open('in.csv').read())", files, "a").stdout == "a,b\n1,2\n\n"


def test_a_dead_session_is_started_again() -> None:
    with GloveboxCodeExecutor(stateful=True) as executor:
        run(executor, "import os; os._exit(1)", id="a")
        results = [run(executor, "print(1)", id="a") for _ in range(2)]
        assert "started again" in results[0].stderr or results[0].stdout == "1\n"
        assert results[1].stdout == "1\n"


class Scripted(BaseLlm):
    replies: list[str]
    asked: list[str] = []

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        self.asked.append(str(llm_request.contents[-1]))
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=self.replies.pop(0))]))


async def ask(agent: LlmAgent) -> list[Any]:
    runner = InMemoryRunner(agent=agent, app_name="test")
    session = await runner.session_service.create_session(app_name="test", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="What is 6 times 7?")])
    return [event async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message)]


@pytest.mark.filterwarnings("ignore")
def test_an_agent() -> None:
    with GloveboxCodeExecutor(stateful=True) as executor:
        model = Scripted(model="scripted", replies=["```python\nx = 6 * 7\n```", "```python\nprint(x)\nopen('f.txt', 'w').write('f')\n```", "It is 42."])
        events = asyncio.run(ask(LlmAgent(name="coder", model=model, code_executor=executor)))
    assert "It is 42." in str(events[-1].content)
    results = [part.code_execution_result for event in events for part in event.content.parts if part.code_execution_result]
    assert "42" in str(results[1].output)
    assert any("f.txt" in event.actions.artifact_delta for event in events)
