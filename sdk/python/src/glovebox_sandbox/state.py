# SPDX-License-Identifier: Apache-2.0
"""What a sandbox knows of its session."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Callable, Optional

from .errors import SessionError, UsageError, kind_of
from .options import fields_of, without
from .tools import Tool, Tools

CLOSED = "the sandbox was closed; make a new one"
CLOSED_MEANWHILE = "the sandbox was closed before the answer arrived; make a new one"
# The sessions whose cells wait for a tool that runs in this thread or task.
_WAITING: ContextVar[frozenset[str]] = ContextVar("waiting", default=frozenset())


class State:
    """The options, the tools and the session of a sandbox."""

    def __init__(self, language: str, tools: Tools, options: Mapping[str, Any],
                 on_input: Optional[Callable[[str], Any]] = None) -> None:
        if on_input is not None and not callable(on_input):
            raise UsageError(f"on_input is {kind_of(on_input)}; give a function that takes the prompt and returns the line")
        fields_of(without(options, ("files", "data")))  # an error here, and not at the first use
        self.language, self.tools, self.options, self.on_input = language, tools, dict(options), on_input
        self.id: Optional[str] = None
        self.closed = False
        self.known: dict[str, Tool] = {}  # the tools that the session has
        self._pid = 0

    def opened(self, session: str, tools: Iterable[Tool]) -> None:
        self.id, self.known, self._pid = session, {tool.name: tool for tool in tools}, os.getpid()

    @property
    def path(self) -> str:
        """The session's path in requests."""
        if self.id is None:
            raise SessionError(CLOSED)
        return f"/v1/sessions/{self.id}"

    @property
    def turn(self) -> str:
        """The same, for requests that wait until the cell that runs has ended."""
        if self.id in _WAITING.get():
            raise UsageError("a tool cannot use the session that calls it: the cell waits for the tool; use another "
                             "sandbox, or return the value")
        return self.path

    @contextmanager
    def answering(self) -> Iterator[None]:
        """While a tool runs that this session calls."""
        before = _WAITING.set(_WAITING.get() | {self.id or ""})
        try:
            yield
        finally:
            _WAITING.reset(before)

    def close(self) -> Optional[str]:
        """Marks the sandbox as closed. The value is the session to close: none in a fork of the process that opened
        it, because the session is that process's."""
        session, self.id, self.closed = self.id, None, True
        return session if self._pid == os.getpid() else None

    def another(self) -> State:
        """The state of a sandbox that is made in the same way."""
        return State(self.language, Tools(self.tools), self.options, self.on_input)

    def copy(self, session: str) -> State:
        """The state of a fork of the session."""
        copy = self.another()
        copy.opened(session, self.known.values())
        return copy

    def shown(self, name: str) -> str:
        """What repr() of the sandbox shows: nothing that may be secret."""
        return f"<{name} {self.language} {'closed' if self.closed else self.id or 'not open'}>"
