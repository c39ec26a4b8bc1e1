# SPDX-License-Identifier: Apache-2.0
"""The programs of a batch, taken from what the caller gives: any iterable, or an asynchronous one."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterable, Awaitable, Iterable, Mapping, Sized
from typing import Any, Callable, Optional, Union, cast

from .errors import UsageError, kind_of
from .steps import Call, Steps

Program = Union[str, Mapping[str, object]]
Programs = Union[Iterable[Program], AsyncIterable[Program]]
# Called with the number of programs that have ended and that of all, None if it is not known.
OnProgress = Callable[[int, Optional[int]], object]

_TOGETHER = 0.05  # seconds: what an asynchronous iterable yields within them goes into one request


def listed(programs: object) -> Iterable[Program]:
    """The programs; `UsageError` for what is no iterable of them."""
    given = programs
    if isinstance(programs, AsyncIterable):
        raise UsageError("programs is an asynchronous iterable, which AsyncSandbox.stream takes; give a list of programs")
    if isinstance(programs, (str, Mapping)) or not isinstance(programs, Iterable):
        raise UsageError(f"programs is {kind_of(given)}; give a list of programs")
    return cast("Iterable[Program]", programs)


def length(programs: object) -> Optional[int]:
    return len(programs) if isinstance(programs, Sized) else None


class Source:
    """Programs that are taken as they are needed."""

    def __init__(self, programs: Iterable[Program]) -> None:
        self._left = iter(programs)

    def take(self, most: int) -> Steps[list[Program]]:
        """The next programs; none at the end."""
        yield from ()
        return list(itertools.islice(self._left, most))

    def stop(self) -> None:
        """No more programs are needed."""


class AsyncSource(Source):
    """The same from an asynchronous iterable. It does not wait for a full request: programs that are there are sent."""

    def __init__(self, programs: AsyncIterable[Program]) -> None:
        super().__init__(())
        self._programs = programs.__aiter__()
        self._coming: Optional[asyncio.Future[Program]] = None

    def take(self, most: int) -> Steps[list[Program]]:
        taken: list[Program] = yield Call(self._take, (most,))
        return taken

    def stop(self) -> None:
        if self._coming is not None and not self._coming.get_loop().is_closed():
            self._coming.cancel()

    async def _take(self, most: int) -> list[Program]:
        taken: list[Program] = []
        while len(taken) < most:
            self._coming = self._coming or asyncio.ensure_future(_next_of(self._programs.__anext__()))
            if taken and not (await asyncio.wait({self._coming}, timeout=_TOGETHER))[0]:
                break
            try:
                taken.append(await self._coming)
            except StopAsyncIteration:
                break  # a later request asks it again, and ends at once
            self._coming = None
        return taken


async def _next_of(program: Awaitable[Program]) -> Program:
    return await program


def source_of(programs: Any, waits: bool) -> Source:
    """Where a stream takes its programs from. `waits`: the caller has a loop in which it can wait for them."""
    if waits and isinstance(programs, AsyncIterable):
        return AsyncSource(cast("AsyncIterable[Program]", programs))
    return Source(listed(programs))
