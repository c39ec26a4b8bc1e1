# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dspy
import pytest
from dspy.primitives.code_interpreter import CodeExecutionError, CodeInterpreter, CodeInterpreterError, FinalOutput
from dspy.utils.dummies import DummyLM

from glovebox_sandbox.adapters.dspy import GloveboxInterpreter


@pytest.fixture
def interpreter() -> Iterator[GloveboxInterpreter]:
    with GloveboxInterpreter(timeout="10s") as it:
        yield it


def test_it_is_an_interpreter(interpreter: GloveboxInterpreter) -> None:
    assert isinstance(interpreter, CodeInterpreter)


def test_output_value_and_state(interpreter: GloveboxInterpreter) -> None:
    assert interpreter.execute("x = 20") is None
    assert interpreter.execute("print('a')\nprint('b')") == "a\nb"
    assert interpreter("x + 1") == 21
    assert interpreter.execute("y * 2", {"y": [1, "é", None]}) == [1, "é", None, 1, "é", None]
    assert interpreter.execute("{1, 2}") == "{1, 2}"


def test_submit(interpreter: GloveboxInterpreter) -> None:
    assert interpreter.execute("print(1)\nSUBMIT('x')\nprint(2)") == FinalOutput({"output": "x"})
    interpreter.output_fields = [{"name": "answer", "type": "str"}, {"name": "sure"}]
    assert interpreter.execute("SUBMIT('x', True)") == FinalOutput({"answer": "x", "sure": True})
    assert interpreter.execute("try:\n    SUBMIT(sure=1, answer=2)\nexcept:\n    pass") == FinalOutput({"sure": 1, "answer": 2})
    with pytest.raises(CodeExecutionError, match="do not match"):
        interpreter.execute("SUBMIT(answer=1)")
    interpreter.execute("SUBMIT = None")
    assert interpreter.execute("SUBMIT(1, 2)") == FinalOutput({"answer": 1, "sure": 2})


def test_tools_come_and_go(interpreter: GloveboxInterpreter) -> None:
    def add(a: int, b: int = 1) -> int:
        return a + b

    def fails() -> None:
        raise KeyError("no such thing")

    interpreter.tools.update(add=add, fails=fails)
    assert interpreter.execute("add(1), add(a=1, b=2)") == (2, 3)
    assert interpreter.execute("try:\n    fails()\nexcept KeyError as e:\n    print(e)") == "'no such thing'"
    interpreter.tools["add"] = lambda a: a * 100
    del interpreter.tools["fails"]
    assert interpreter.execute("add(2)") == 200
    with pytest.raises(CodeExecutionError, match="fails"):
        interpreter.execute("fails()")


def test_a_tool_cannot_run_code_in_its_interpreter(interpreter: GloveboxInterpreter) -> None:
    interpreter.tools["again"] = lambda: interpreter.execute("1")
    with pytest.raises(CodeExecutionError, match="runs in this interpreter already"):
        interpreter.execute("again()")


def test_errors(interpreter: GloveboxInterpreter) -> None:
    with pytest.raises(SyntaxError):
        interpreter.execute("x = (")
    with pytest.raises(CodeExecutionError, match="ZeroDivisionError"):
        interpreter.execute("1 / 0")
    for names in ({"a b": 1}, {"SUBMIT": 1}, {"class": 1}):
        with pytest.raises(CodeInterpreterError, match="cannot be the name"):
            interpreter.execute("1", names)
    assert interpreter.execute("1") == 1


def test_a_timeout_leaves_the_session() -> None:
    with GloveboxInterpreter(timeout="1s") as interpreter:
        interpreter.execute("x = 1")
        with pytest.raises(CodeExecutionError):
            interpreter.execute("while True:\n    pass")
        assert interpreter.execute("x") == 1


def test_a_dead_session_is_not_started_again() -> None:
    interpreter = GloveboxInterpreter()
    with pytest.raises(CodeInterpreterError):
        interpreter.execute("import os\nos._exit(3)")
    with pytest.raises(CodeInterpreterError, match="has ended"):
        interpreter.execute("1")
    interpreter.shutdown()


def test_program_of_thought() -> None:
    code = "```python\nSUBMIT({'answer': str(6 * 7)})\n```"
    model = DummyLM([{"reasoning": "r", "generated_code": code}, {"reasoning": "r", "answer": "42"}])
    with dspy.context(lm=model, adapter=dspy.ChatAdapter()):
        solver: Any = dspy.ProgramOfThought("question -> answer", interpreter_factory=GloveboxInterpreter)
        assert solver(question="What is 6 times 7?").answer == "42"


def test_recursive_language_model() -> None:
    model = DummyLM([{"reasoning": "r", "code": "n = len(text)"}, {"reasoning": "r", "code": "SUBMIT(str(n))"}])
    with dspy.context(lm=model, adapter=dspy.ChatAdapter()):
        solver: Any = dspy.RLM("text -> answer", interpreter_factory=GloveboxInterpreter)
        assert solver(text="x" * 5000).answer == "5000"
