# SPDX-License-Identifier: Apache-2.0
"""DSPy: an interpreter behind Glovebox's wall.

    import dspy
    from glovebox_sandbox.adapters.dspy import GloveboxInterpreter

    dspy.configure(lm=..., interpreter_factory=GloveboxInterpreter)
    solver = dspy.ProgramOfThought("question -> answer")

It is real CPython, with the packages of the Python that it is given (`python=`). Variables last from one piece of code
to the next; tools run in your process.
"""

from __future__ import annotations

import json
import keyword
import threading
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from dspy.primitives.code_interpreter import CodeExecutionError, CodeInterpreterError, FinalOutput

from glovebox_sandbox import Result, Sandbox, SessionError, UsageError
from glovebox_sandbox.results import text_of_value

__all__ = ["GloveboxInterpreter"]

RESERVED = frozenset({"SUBMIT", "final_answer", "__builtins__"})
# Inside: the names of the outputs are %r; None takes one value.
SUBMIT = """\
def SUBMIT(*args, **kwargs):
    names = %r
    if names is None:
        if len(args) != 1 or kwargs:
            raise TypeError("SUBMIT requires one output value")
        return final_answer({"output": args[0]})
    if args and kwargs:
        raise TypeError("SUBMIT accepts positional or keyword values, not both")
    values = dict(zip(names, args)) if args else kwargs
    if set(values) != set(names) or len(args) > len(names):
        raise TypeError("SUBMIT fields do not match the configured output fields: " + ", ".join(names))
    final_answer(values)
"""


class GloveboxInterpreter:
    """DSPy's CodeInterpreter. The options are those of `Sandbox`; `timeout` is that of one piece of code."""

    execution_instructions = (
        "Code runs as Python in a sandbox without a network. Variables, imports and functions persist for this "
        "session. Host tools and SUBMIT are available as global functions."
    )

    def __init__(
        self,
        tools: Mapping[str, Callable[..., Any]] | None = None,
        output_fields: list[dict[str, Any]] | None = None,
        **options: Any,
    ) -> None:
        self.tools: dict[str, Callable[..., Any]] = dict(tools or {})
        self.output_fields = output_fields
        self._options = options
        self._sandbox: Sandbox | None = None
        self._given: dict[str, Callable[..., Any]] = {}  # the tools that the sandbox has
        self._lock = threading.Lock()
        self._ended = False

    # ---- DSPy's interface ----

    def start(self) -> None:
        if self._ended:
            raise CodeInterpreterError("the session has ended: make another interpreter")
        if self._sandbox is None:
            self._sandbox = Sandbox(final_answer=True, **self._options).open()

    def execute(self, code: str, variables: dict[str, Any] | None = None) -> Any:
        if not self._lock.acquire(blocking=False):
            raise CodeInterpreterError("code runs in this interpreter already; a tool cannot run code in it either")
        try:
            self.start()
            assert self._sandbox is not None
            return self._execute(self._sandbox, code, variables or {})
        except (SessionError, UsageError) as error:
            self._end(str(error), error)
        finally:
            self._lock.release()

    def shutdown(self) -> None:
        self._ended = True
        if self._sandbox is not None:
            self._sandbox.close()

    def __call__(self, code: str, variables: dict[str, Any] | None = None) -> Any:
        return self.execute(code, variables)

    def __enter__(self) -> GloveboxInterpreter:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()

    # ---- inside ----

    def _execute(self, box: Sandbox, code: str, variables: dict[str, Any]) -> Any:
        check_names(self.tools, variables)
        self._offer_tools(box)
        if variables:
            box.variables.set_many({inside(name): value for name, value in variables.items()})
        self._define_names(box, [*self.tools, *variables])
        return self._answer(box.exec(code))

    def _offer_tools(self, box: Sandbox) -> None:
        """DSPy changes the dictionary between two executions."""
        for name in self._given.keys() - self.tools.keys():
            box.tools.remove(inside(name))
        for name, function in self.tools.items():
            if self._given.get(name) is not function:
                box.tools.add(function, name=inside(name))
        self._given = dict(self.tools)

    def _define_names(self, box: Sandbox, given: list[str]) -> None:
        """Before each execution: the code before may have taken them."""
        names = None if self.output_fields is None else [field["name"] for field in self.output_fields]
        others = [f"{name} = {inside(name)}" for name in given if name != inside(name)]
        box.exec("\n".join([SUBMIT % (names,), *others])).raise_for_status()

    def _answer(self, result: Result) -> Any:
        if result.is_final_answer:
            return FinalOutput(plain(result.final_answer))
        if result.error_type == "ours":
            self._end(result.summary)
        if result.cell is not None and result.cell.ended in ("killed", "died"):
            self._end(result.for_model())
        if not result.success:
            raise_error(result)
        if result.value is not None:
            return plain(result.value)
        return result.stdout.rstrip("\n") or None

    def _end(self, message: str, cause: BaseException | None = None) -> NoReturn:
        self.shutdown()
        raise CodeInterpreterError(message) from cause


def inside(name: str) -> str:
    """The name that crosses the wall for a tool or variable: those like __dspy_call__ belong to Python there."""
    return f"host{name}" if name.startswith("__") else name


def raise_error(result: Result) -> NoReturn:
    """The program's own failure, with our advice, as DSPy's modules expect it."""
    if result.exception is not None and result.exception.type == "SyntaxError":
        raise SyntaxError(result.exception.message)
    raise CodeExecutionError(result.for_model())


def check_names(tools: Mapping[str, object], variables: Mapping[str, object]) -> None:
    for name in [*tools, *variables]:
        if not name.isidentifier() or keyword.iskeyword(name) or name in RESERVED:
            raise CodeInterpreterError(f"'{name}' cannot be the name of a tool or a variable")
    both = tools.keys() & variables.keys()
    if both:
        raise CodeInterpreterError(f"'{min(both)}' is the name of a tool and of a variable")


def plain(value: Any) -> Any:
    """What JSON has a form for, as DSPy's modules take it; a text for anything else."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return text_of_value(value)
    return value
