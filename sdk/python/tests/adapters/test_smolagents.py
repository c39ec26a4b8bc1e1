# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import smolagents
from scripted import smolagents_model
from smolagents.default_tools import FinalAnswerTool
from smolagents.local_python_executor import ExecutionTimeoutError, InterpreterError
from smolagents.utils import AgentError

from glovebox_sandbox.adapters.smolagents import CodeAgent, GloveboxExecutor


@pytest.fixture
def executor() -> Iterator[GloveboxExecutor]:
    with GloveboxExecutor() as it:
        yield it


def test_state_lasts_and_the_last_value_is_the_output(executor: GloveboxExecutor) -> None:
    executor("x = 20\ndef double(n):\n    return 2 * n")
    output = executor("print('working')\ny = double(x) + 2")
    assert (output.output, output.logs, output.is_final_answer) == (42, "working\n", False)


def test_final_answer_ends_the_step(executor: GloveboxExecutor) -> None:
    executor.send_tools({"final_answer": FinalAnswerTool()})
    output = executor("try:\n    final_answer({'a': (1, 2)})\nexcept Exception:\n    pass\nprint('never')")
    assert (output.output, output.logs, output.is_final_answer) == ({"a": (1, 2)}, "", True)


def test_a_final_answer_of_the_agents_own(executor: GloveboxExecutor) -> None:
    class Shouting(FinalAnswerTool):
        inputs = {"first": {"type": "string", "description": ""}, "second": {"type": "string", "description": ""}}

        def forward(self, first: str, second: str) -> str:
            return first.upper() + second

    executor.send_tools({"final_answer": Shouting()})
    output = executor("final_answer(first='a', second='b')")
    assert (output.output, output.is_final_answer) == ("Ab", True)


def test_tools_run_in_the_callers_thread(executor: GloveboxExecutor) -> None:
    seen: list[object] = []

    @smolagents.tool
    def look_up(word: str, times: int = 1) -> str:
        """Looks a word up.

        Args:
            word: The word.
            times: How often.
        """
        seen.append(threading.current_thread())
        return word * times

    executor.send_tools({"look_up": look_up})
    assert executor("look_up('ab', times=2)").output == "abab"
    assert executor("look_up(word='c')").output == "c"
    assert seen == [threading.current_thread()] * 2


def test_a_tools_error_reaches_the_program(executor: GloveboxExecutor) -> None:
    def fails() -> None:
        """Fails."""
        raise ValueError("no such row")

    executor.send_tools({"fails": fails})
    caught = executor("try:\n    fails()\nexcept ValueError as e:\n    print(e)")
    assert caught.logs == "no such row\n"
    with pytest.raises(InterpreterError, match="ValueError: no such row"):
        executor("fails()")


def test_tools_can_be_sent_again(executor: GloveboxExecutor) -> None:
    executor.send_tools({"one": lambda: 1})
    assert executor("kept = one()").output == 1
    executor.send_tools({"one": lambda: 11, "two": lambda: 2})
    assert executor("one(), two(), kept").output == (11, 2, 1)


def test_additional_functions_and_maths() -> None:
    with GloveboxExecutor(additional_functions={"plus_one": lambda n: n + 1}) as executor:
        assert executor("plus_one(ceil(sqrt(16.5)))").output == 6


def test_variables_go_in_and_are_seen(executor: GloveboxExecutor) -> None:
    executor.send_variables({"rows": [1, 2], "label": "x"})
    assert executor("total = sum(rows)").output == 3
    assert executor.state["total"] == 3 and executor.state["label"] == "x"
    assert set(executor.state) == {"__name__", "_print_outputs", "rows", "label", "total"}
    assert executor.state["__name__"] == "__main__" and "nothing" not in executor.state


def test_an_import_that_is_not_allowed(executor: GloveboxExecutor) -> None:
    with pytest.raises(InterpreterError, match="Import of os is not allowed. Authorized imports are"):
        executor("import os")
    with GloveboxExecutor(["os"]) as more:
        assert more("import os\nos.sep").output == "/"
    with pytest.raises(InterpreterError, match="Non-installed authorized modules: nowhere"):
        GloveboxExecutor(["math", "nowhere.*"])


def test_errors_have_the_line_and_advice(executor: GloveboxExecutor) -> None:
    with pytest.raises(InterpreterError) as failure:
        executor("print('before')\n1 / 0")
    assert "Code execution failed at line '1 / 0' due to: ZeroDivisionError: division by zero" in str(failure.value)
    assert "divisor is 0" in str(failure.value)
    assert executor.state["_print_outputs"] == "before\n"
    with pytest.raises(InterpreterError, match="The variable `nowhere` is not defined") as failure:
        executor("nowhere")
    assert "Define it before it is used" in str(failure.value)
    with pytest.raises(InterpreterError) as failure:
        executor("raise ValueError('boom')")
    assert str(failure.value).count("due to: ValueError: boom") == 1
    with pytest.raises(InterpreterError, match="Code parsing failed on line 1 due to: SyntaxError"):
        executor("print(1")


def test_a_tool_is_not_erased(executor: GloveboxExecutor) -> None:
    executor.send_tools({"look": lambda: 1})
    for code in ("a = 1\nlook = look()", "if a:\n    for look in []: pass", "print, b = 1, 2", "(look := 1)"):
        with pytest.raises(InterpreterError, match="Cannot assign to name '(look|print)': doing this would erase"):
            executor(code)
    assert executor("def f():\n    look = 2\n    return look\n[look for look in [f()]][0] + look()").output == 3


def test_an_error_is_of_both_kinds(executor: GloveboxExecutor) -> None:
    with pytest.raises(AgentError, match="boom") as failure:
        executor("raise ValueError('boom')")
    assert isinstance(failure.value, InterpreterError) and failure.value.dict()["message"] == str(failure.value)


def test_limits_of_time_and_output() -> None:
    with GloveboxExecutor(timeout_seconds=0.5, max_print_outputs_length=100) as small:
        small("kept = 1")
        with pytest.raises(ExecutionTimeoutError, match="maximum execution time of 0.5 seconds"):
            small("while True:\n    pass")
        assert small("kept").output == 1
        assert len(small("print('x' * 5000)").logs) < 400


def test_a_sandbox_without_memory_starts_again() -> None:
    with GloveboxExecutor(memory="128m") as small:
        small.send_tools({"one": lambda: 1})
        with pytest.raises(InterpreterError, match="emory"):
            small("kept = [0] * 100\nwhile True:\n    kept = kept + kept")
        with pytest.raises(InterpreterError, match="started again"):
            small("kept")
        assert small("one() + 1").output == 2


def test_an_agent_recovers_from_an_error() -> None:
    model = smolagents_model("import os", "x = 6 * 7\nprint(x)", "final_answer(x)")
    with GloveboxExecutor() as executor:
        agent = smolagents.CodeAgent(tools=[], model=model, executor=executor, verbosity_level=0)
        assert agent.run("What is 6 times 7?") == 42
    assert model.script.ended
    assert "Import of os is not allowed" in model.script.asked[1][-1]
    assert "42" in model.script.asked[2][-1]


def test_an_agent_with_arguments_and_a_managed_agent() -> None:
    helper = smolagents.CodeAgent(
        tools=[], model=smolagents_model("final_answer('forty')"), name="helper", description="Helps.",
        verbosity_level=0)
    model = smolagents_model("final_answer(helper('help') + str(extra))")
    with CodeAgent([], model, managed_agents=[helper], verbosity_level=0) as agent:
        answer = agent.run("Ask the helper.", additional_args={"extra": 2})
    assert "forty" in str(answer) and str(answer).endswith("2")


def test_the_executor_by_name() -> None:
    model = smolagents_model("final_answer(1)")
    arguments = {"timeout_seconds": 5, "memory": "256m"}
    with CodeAgent([], model, executor_type="glovebox", executor_kwargs=arguments, verbosity_level=0) as agent:
        assert isinstance(agent.python_executor, GloveboxExecutor)
        assert agent.run("One?") == 1
    with pytest.raises(ValueError, match="Unsupported executor type"):
        CodeAgent([], model, executor_type="nowhere")
