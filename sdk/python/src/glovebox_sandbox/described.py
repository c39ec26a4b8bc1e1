# SPDX-License-Identifier: Apache-2.0
"""What `Sandbox` and `AsyncSandbox` have in common: all that asks nothing of the daemon."""

from __future__ import annotations

from typing import Any, Callable, Optional, overload

from .errors import UsageError
from .state import State
from .tools import F, Tools


class Described:
    """The session's id and language, and the tools."""

    _state: State

    @property
    def id(self) -> Optional[str]:
        """The session's id; None before it is opened."""
        return self._state.id

    @property
    def language(self) -> str:
        return self._state.language

    @property
    def closed(self) -> bool:
        return self._state.closed

    @property
    def tools(self) -> Tools:
        """The tools, by name: ``box.tools.add(function)``, ``box.tools.remove(name)``."""
        return self._state.tools

    @overload
    def tool(self, function: F) -> F: ...

    @overload
    def tool(self, *, name: Optional[str] = None, description: Optional[str] = None) -> Callable[[F], F]: ...

    def tool(self, function: Any = None, *, name: Optional[str] = None, description: Optional[str] = None) -> Any:
        """A decorator: the function becomes a tool that cells may call. It runs here, in the thread or the
        loop that runs the cell, and may be a coroutine function in an `AsyncSandbox`.

        >>> from glovebox_sandbox import Sandbox
        >>> with Sandbox() as box:
        ...     @box.tool
        ...     def price(item: str) -> float:
        ...         "The price of an item."
        ...         return {"tea": 2.5}[item]
        ...     box.exec("2 * price('tea')").value
        5.0
        """
        return self.tools.decorator(function, name, description)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """For copy and pickle: a copy would close the session of the original."""
        raise UsageError(f"a {type(self).__name__} cannot be copied or pickled; fork() copies the session")

    def __repr__(self) -> str:
        return self._state.shown(type(self).__name__)
