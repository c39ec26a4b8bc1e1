# SPDX-License-Identifier: Apache-2.0
# pyright: basic, reportIncompatibleMethodOverride=false, reportUnknownMemberType=false
"""smolagents: an executor of Python code behind Glovebox's wall.

    from smolagents import CodeAgent
    from glovebox_sandbox.adapters.smolagents import GloveboxExecutor

    with GloveboxExecutor() as executor:
        agent = CodeAgent(tools=[], model=model, executor=executor)
        agent.run("What is the 20th Fibonacci number?")

Variables, imports and files last from one step to the next. Tools, managed agents and additional functions run in the
caller's process, in the thread that runs the agent; the program calls them from inside. Errors have the words of
smolagents' own executor, and Glovebox's advice below them.
"""

from __future__ import annotations

import ast
import inspect
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from smolagents import Tool, agents
from smolagents.default_tools import FinalAnswerTool
from smolagents.local_python_executor import (
    BASE_PYTHON_TOOLS,
    DEFAULT_MAX_LEN_OUTPUT,
    MAX_EXECUTION_TIME_SECONDS,
    CodeOutput,
    ExecutionTimeoutError,
    InterpreterError,
    PythonExecutor,
)
from smolagents.utils import AgentError, truncate_content

from glovebox_sandbox import Result, Sandbox, SessionError, UsageError

__all__ = ["CodeAgent", "GloveboxExecutor"]

# What programs of smolagents may use without an import.
MATHS = [name for name, function in BASE_PYTHON_TOOLS.items() if getattr(function, "__module__", "") == "math"]
OUTPUTS = "_print_outputs"  # where an agent looks for the output of a step that failed
NO_LIMIT_S = 3600  # what a daemon allows at most, unless its operator says otherwise
OWN_NAMES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp,
             ast.GeneratorExp)
LOST = "The sandbox was started again: its variables and functions are lost, its files are kept."


class ProgramError(InterpreterError, AgentError):
    """What a program did wrong. smolagents' local executor raises the one class, its remote ones raise the other."""

    def __init__(self, message: str) -> None:
        Exception.__init__(self, message)  # AgentError's own writes to the agent's log, and the agent does so, too
        self.message = message


class State(MutableMapping[str, Any]):
    """The variables of the program, as `executor.state`; a variable is read when it is asked for."""

    def __init__(self, box: Sandbox) -> None:
        self._box = box
        self._unsent: dict[str, Any] = {}
        self._ours: dict[str, Any] = {"__name__": "__main__", OUTPUTS: ""}

    def send(self) -> None:
        """Sets the variables inside; they are still unsent if that fails."""
        if self._unsent:
            self._box.variables.set_many(self._unsent)
            self._unsent = {}

    def __getitem__(self, name: str) -> Any:
        for known in (self._ours, self._unsent):
            if name in known:
                return known[name]
        if self._box.id is None:
            raise KeyError(name)
        return self._box.variables.get(name)

    def __setitem__(self, name: str, value: Any) -> None:
        (self._ours if name in self._ours else self._unsent)[name] = value

    def __delitem__(self, name: str) -> None:
        if self._unsent.pop(name, self) is self:
            raise KeyError(f"{name}: a variable inside is deleted by the program itself (del {name})")

    def _names(self) -> list[str]:
        inside = [] if self._box.id is None else [row.name for row in self._box.variables.list()]
        given = {*MATHS, *self._box.tools.names()}
        return list(dict.fromkeys([*self._ours, *self._unsent, *(name for name in inside if name not in given)]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())


class GloveboxExecutor(PythonExecutor):
    """Runs an agent's code in a session of Glovebox.

    `additional_authorized_imports`, `max_print_outputs_length`, `additional_functions` and `timeout_seconds` are those
    of smolagents' local executor; `timeout_seconds=None` means an hour. Every other option is an option of `Sandbox`:
    `memory="1g"`, `files={...}`, `net="host"`. `profile="standard"` leaves out the checks of smolagents' language and
    relies on the wall alone.
    """

    def __init__(
        self,
        additional_authorized_imports: Sequence[str] = (),
        logger: object = None,
        *,
        max_print_outputs_length: int | None = None,
        additional_functions: Mapping[str, Callable[..., Any]] | None = None,
        timeout_seconds: float | None = MAX_EXECUTION_TIME_SECONDS,
        **options: Any,
    ) -> None:
        self.logger = logger
        self.additional_authorized_imports = list(additional_authorized_imports)
        self.max_print_outputs_length = max_print_outputs_length or DEFAULT_MAX_LEN_OUTPUT
        self.additional_functions = dict(additional_functions or {})
        self.timeout_seconds = timeout_seconds
        self.sandbox = Sandbox(**{**self._defaults(), **options})
        self.state = State(self.sandbox)
        self._functions: dict[str, Callable[..., Any]] = {}
        self._names: set[str] = set()  # of tools
        self._lock = threading.RLock()
        if self.additional_authorized_imports:
            self._check_imports()
        self.send_tools({})

    def _defaults(self) -> dict[str, Any]:
        return {
            "profile": "smolagents",
            "value": "last",
            "final_answer": True,
            "allow_imports": self.additional_authorized_imports,
            "tools_source": f"from math import {', '.join(MATHS)}\n",
        }

    def _check_imports(self) -> None:
        """A module that is not there is an error of whoever wrote the list, so it is found before the first step."""
        result = self.sandbox.run("pass")
        if result.exception:
            raise ProgramError(result.exception.message)
        result.raise_for_status()

    def send_variables(self, variables: dict[str, Any]) -> None:
        with self._lock:
            self.state.update(variables)

    def send_tools(self, tools: dict[str, Any]) -> None:
        """Replaces the tools. A tool's name, description and inputs are those that `help(tool)` shows inside."""
        with self._lock:
            self._names = {*tools, *self.additional_functions, *BASE_PYTHON_TOOLS}
            functions: dict[str, Callable[..., Any]] = {**tools, **self.additional_functions}
            if type(functions.get("final_answer")) is FinalAnswerTool:
                del functions["final_answer"]  # the session's own does the same, without a call
            for name in set(self.sandbox.tools.names()) - set(functions):
                self.sandbox.tools.remove(name)
            for name, function in functions.items():
                if name not in self.sandbox.tools:
                    self.sandbox.tools.add(self._caller(name, function), name=name, description=described(function))
            self._functions = functions

    def _caller(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            return self._functions[name](*args, **kwargs)

        call.__name__ = name
        call.__signature__ = signature(function)  # type: ignore[attr-defined]
        return call

    def __call__(self, code_action: str) -> CodeOutput:
        with self._lock:
            self.state[OUTPUTS] = ""
            if erased := erased_tool(code_action, self._names):
                statement, name = erased
                raise ProgramError(f"Code execution failed at line '{statement}' due to: InterpreterError: Cannot assign "
                                   f"to name '{name}': doing this would erase the existing tool!")
            result = self._run(code_action)
            logs = result.stdout + (result.stderr if result.success else "")
            self.state[OUTPUTS] = logs = truncate_content(logs, max_length=self.max_print_outputs_length)
            if not result.success:
                raise self._failure(result)
            output = result.final_answer if result.is_final_answer else result.value
            return CodeOutput(output=output, logs=logs, is_final_answer=result.is_final_answer)

    def _run(self, code: str) -> Result:
        try:
            self.state.send()
            return self.sandbox.exec(code, timeout=self.timeout_seconds or NO_LIMIT_S)
        except SessionError as error:
            self.sandbox.restart()
            raise ProgramError(f"{error}. {LOST}") from error
        except UsageError as error:
            raise ProgramError(str(error)) from error

    def _failure(self, result: Result) -> Exception:
        if result.error_type == "ours":
            result.raise_for_status()
        failure: Exception
        if result.timed_out:
            limit = f"the maximum execution time of {self.timeout_seconds} seconds"
            failure = ExecutionTimeoutError(f"Code execution exceeded {limit}")
        else:
            said = result.exception.message if result.exception else result.summary
            advice = [line for line in result.feedback if line not in said and said not in line]
            failure = ProgramError("\n".join([said, *advice]))
        return failure

    def cleanup(self) -> None:
        """Closes the sandbox; a second call does nothing."""
        self.sandbox.close()

    close = delete = cleanup

    def __enter__(self) -> GloveboxExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.cleanup()


class CodeAgent(agents.CodeAgent):
    """smolagents' agent, which knows one more executor by name, and uses it if none is named.

    `CodeAgent(tools, model, executor_type="glovebox", executor_kwargs={"memory": "1g"})`
    """

    def __init__(self, *args: Any, executor_type: Any = "glovebox", **kwargs: Any) -> None:
        super().__init__(*args, executor_type=executor_type, **kwargs)

    def create_python_executor(self) -> PythonExecutor:
        if self.executor_type != "glovebox":
            return super().create_python_executor()
        limits = {"max_print_outputs_length": self.max_print_outputs_length}
        return GloveboxExecutor(self.additional_authorized_imports, self.logger, **{**limits, **self.executor_kwargs})


def erased_tool(code: str, tools: Iterable[str]) -> tuple[str, str] | None:
    """The statement of the program that assigns to a tool's name, which all later steps would lack, and the name."""
    try:
        body: list[ast.AST] = [*ast.parse(code).body]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # the sandbox says what is wrong
    names = set(tools)
    for statement in body:
        inside = [statement]
        while inside:
            node = inside.pop()
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names:
                return ast.get_source_segment(code, statement) or node.id, node.id
            if not isinstance(node, OWN_NAMES):
                inside += ast.iter_child_nodes(node)
    return None


def described(function: Any) -> str:
    return str(getattr(function, "description", None) or inspect.getdoc(function) or "")


def signature(function: Any) -> inspect.Signature:
    """A tool of smolagents has its parameters in `inputs`; a managed agent and a plain function have a signature."""
    inputs = getattr(function, "inputs", None)
    if isinstance(inputs, dict) and isinstance(function, Tool):
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        rows = [inspect.Parameter(name, kind, default=absent(row)) for name, row in inputs.items()]
        return inspect.Signature(sorted(rows, key=lambda row: row.default is not inspect.Parameter.empty))
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # a builtin without a signature
        return inspect.signature(lambda *args, **kwargs: None)


def absent(row: Mapping[str, Any]) -> Any:
    return None if row.get("nullable") else inspect.Parameter.empty
