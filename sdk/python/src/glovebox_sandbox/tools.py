# SPDX-License-Identifier: Apache-2.0
"""Functions of yours that the guest may call. The call crosses the wall, the function stays outside."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, TypeVar, Union, cast

from .errors import UsageError, kind_of
from .values import encode

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a tool. `type` is the annotation as text, empty if there is none."""

    name: str
    type: str = ""
    kind: str = "positional_or_keyword"
    required: bool = True
    default: Any = None

    def describe(self) -> dict[str, Any]:
        """The description that the daemon gets. A default without a form outside is only said to be there."""
        document: dict[str, Any] = {"name": self.name, "kind": self.kind}
        if self.type:
            document["type"] = self.type
        if not self.required and not self.kind.startswith("var_"):
            document.update(_default(self.default))
        return document

    def __str__(self) -> str:
        text = f"{self.name}: {self.type}" if self.type else self.name
        return text if self.required else f"{text} = {self.default!r}"


@dataclass(frozen=True)
class Tool:
    """A tool: a function with the name, description and signature that the guest sees.

    >>> def add(a: int, b: int = 1) -> int:
    ...     "Adds two numbers."
    ...     return a + b
    >>> tool = Tool.from_function(add)
    >>> tool.signature, tool.description
    ('add(a: int, b: int = 1) -> int', 'Adds two numbers.')
    """

    name: str
    function: Function = field(repr=False)
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    timeout_ms: Optional[int] = None
    schema: Optional[Mapping[str, Any]] = None

    @classmethod
    def from_function(cls, function: Function, name: Optional[str] = None, description: Optional[str] = None,
                      schema: Optional[Mapping[str, Any]] = None) -> Tool:
        """The tool of a function. Its signature, annotations and docstring are carried over; `schema`, a JSON Schema of
        its arguments, takes the place of the signature."""
        if not callable(function):
            raise UsageError(f"a tool is {kind_of(function)}; give a function")
        called = str(name or getattr(function, "__name__", ""))
        if not called.isidentifier() or keyword.iskeyword(called):
            raise UsageError(f"the tool's name is '{called}'; give a name that is an identifier: name='search'")
        text = inspect.getdoc(function) if description is None else description
        parameters, returns = _signature_of(function)
        return cls(called, function, text or "", parameters, returns, None, schema)

    @property
    def signature(self) -> str:
        """The signature as text."""
        returns = f" -> {self.returns}" if self.returns else ""
        return f"{self.name}({', '.join(map(str, self.parameters))}){returns}"

    def describe(self) -> dict[str, Any]:
        """The description that the daemon gets."""
        parameters = [p.describe() for p in self.parameters] if self.schema is None else dict(self.schema)
        document = {"name": self.name, "description": self.description, "parameters": parameters,
                    "returns": self.returns or None, "timeout_ms": self.timeout_ms}
        return {name: value for name, value in document.items() if value is not None}


def _default(value: object) -> dict[str, Any]:
    try:
        return {"default": encode(value)}
    except UsageError:
        return {"optional": True}


def _signature_of(function: Function) -> tuple[tuple[Parameter, ...], str]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a builtin function that has none
        return (Parameter("args", kind="var_positional"),), ""
    parameters = tuple(_parameter(p) for p in signature.parameters.values())
    return parameters, _annotation(signature.return_annotation)


def _parameter(p: inspect.Parameter) -> Parameter:
    required = p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    default = None if p.default is p.empty else p.default
    return Parameter(p.name, _annotation(p.annotation), p.kind.name.lower(), required, default)


def _annotation(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


class Tools:
    """The tools of a sandbox, by name."""

    def __init__(self, tools: Union[Iterable[Union[Tool, Function]], Mapping[str, Union[Tool, Function]]] = ()) -> None:
        self._by_name: dict[str, Tool] = {}
        if isinstance(tools, str) or not isinstance(tools, Iterable):
            raise UsageError(f"tools is {kind_of(tools)}; give a list of functions, or a dict of functions by name")
        named = cast("Mapping[str, Function]", tools) if isinstance(tools, Mapping) else None
        for function in () if named is not None else cast("Iterable[Function]", tools):
            self.add(function)
        for name, function in (named or {}).items():
            self.add(function, name=name)

    def add(self, function: Union[Tool, Function], name: Optional[str] = None, description: Optional[str] = None,
            schema: Optional[Mapping[str, Any]] = None) -> Tool:
        """Adds a function; a tool of the same name is replaced. An open session gets it before the next cell."""
        tool = function if isinstance(function, Tool) else as_tool(function, name, description, schema)
        self._by_name[tool.name] = tool
        return tool

    def decorator(self, function: Any, name: Optional[str], description: Optional[str]) -> Any:
        """Adds the function that is decorated, with or without arguments of the decorator."""

        def add(added: F) -> F:
            self.add(added, name, description)
            return added

        return add if function is None else add(function)

    def remove(self, name: str) -> None:
        """Removes a tool; KeyError if there is none of this name."""
        del self._by_name[name]

    def __repr__(self) -> str:
        return f"<Tools {' '.join(self._by_name)}>"

    def names(self) -> list[str]:
        return list(self._by_name)

    def __getitem__(self, name: str) -> Tool:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Tool]:
        return iter(list(self._by_name.values()))

    def __len__(self) -> int:
        return len(self._by_name)


def as_tool(function: Function, name: Optional[str], description: Optional[str],
            schema: Optional[Mapping[str, Any]]) -> Tool:
    marked = getattr(function, "__glovebox_tool__", None)
    if isinstance(marked, Tool) and name is None and description is None and schema is None:
        return marked
    return Tool.from_function(function, name, description, schema)


def tool(function: Optional[F] = None, *, name: Optional[str] = None, description: Optional[str] = None) -> Any:
    """Marks a function as a tool, with another name or description if you give one. The function itself stays as it
    is.

    >>> @tool(name="double")
    ... def twice(x: int) -> int:
    ...     return 2 * x
    >>> Tools([twice])["double"].signature
    'double(x: int) -> int'
    """

    def mark(marked: F) -> F:
        marked.__glovebox_tool__ = Tool.from_function(marked, name, description)  # type: ignore[attr-defined]
        return marked

    return mark if function is None else mark(function)


def answer_with(value: object) -> dict[str, Any]:
    """The answer to a call that returned `value`."""
    return {"ok": encode(value)}


def answer_with_error(error: BaseException) -> dict[str, Any]:
    """The answer to a call that raised: the guest gets an exception of the same type, or of the builtin type from which
    that is derived.

    >>> answer_with_error(KeyError("tea"))["error"], answer_with_error(UsageError("no"))["error"]
    ({'type': 'KeyError', 'message': 'tea'}, {'type': 'ValueError', 'message': 'UsageError: no'})
    """
    text = _message_of(error)
    kind, base = type(error), next(base for base in type(error).__mro__ if base.__module__ == "builtins")
    derived = base is not kind and base not in (Exception, BaseException)
    message = f"{kind.__name__}: {text}" if derived else text
    return {"error": {"type": base.__name__ if derived else kind.__name__, "message": message[:10_000]}}


def _message_of(error: BaseException) -> str:
    """The exception's text: that of its class may fail. Half of a surrogate pair is shown as its escape."""
    try:
        text = str(error.args[0] if isinstance(error, KeyError) and len(error.args) == 1 else error)  # str() quotes it
    except Exception as failure:
        text = f"<the text of this exception cannot be made: {type(failure).__name__}>"
    return text.encode("utf-8", "backslashreplace").decode()
