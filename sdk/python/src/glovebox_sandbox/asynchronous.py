# SPDX-License-Identifier: Apache-2.0
"""The driver that does the steps of a verb in the caller's event loop."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncGenerator, Awaitable
from contextlib import AsyncExitStack, suppress
from typing import Any, Callable, Generic, Optional

import httpx

from .address import Address
from .connections import NotReceived, Try, answer_head, check_there, request_parts, settings, translated
from .errors import SessionError
from .events import Event
from .finding import find
from .lines import AsyncLineReader
from .state import CLOSED
from .steps import Answer, Call, Emit, NextLine, Open, Request, Send, Sleep, Step, Steps, T

class Outcome(Generic[T]):
    """Where an asynchronous generator, which returns nothing, leaves its value."""

    value: T


class AsyncDriver:
    """A connection to a daemon, which is found at the first request."""

    def __init__(self, url: Optional[str], token: Optional[str]) -> None:
        self._url, self._token = url, token
        self._address: Optional[Address] = None
        self._client: Optional[httpx.AsyncClient] = None
        self._owner: Any = None
        self._closed = False

    def copy(self) -> AsyncDriver:
        """A connection of its own to the same daemon."""
        copy = AsyncDriver(self._url, self._token)
        copy._address = self._address
        return copy

    async def run(self, steps: Steps[T], on_event: Optional[Callable[[Event], object]] = None) -> T:
        """Does all steps; events go to `on_event`, which may be a coroutine function."""
        outcome: Outcome[T] = Outcome()
        events = self.events(steps, outcome)
        try:
            async for event in events:
                if on_event is not None:
                    await _called(Call(on_event, (event,)))
        finally:
            await events.aclose()
        return outcome.value

    async def events(self, steps: Steps[T], outcome: Outcome[T]) -> AsyncGenerator[Event, None]:
        """Does the steps and yields the events among them; closing it ends the stream, and so the run."""
        async with AsyncExitStack() as opened:
            opened.callback(steps.close)
            response = await opened.enter_async_context(AsyncExitStack())
            stream: list[AsyncLineReader] = []
            reply: Any = None
            failure: Optional[Exception] = None
            while True:
                try:
                    step = steps.send(reply) if failure is None else steps.throw(failure)
                except StopIteration as end:
                    outcome.value = end.value
                    return
                reply = failure = None
                if isinstance(step, Emit):
                    yield step.event
                    continue
                try:
                    reply = await self._do(step, response, stream)
                except Exception as error:
                    failure = error

    async def _do(self, step: Step, response: AsyncExitStack, stream: list[AsyncLineReader]) -> Any:
        if isinstance(step, Send):
            return await self._send(step.request)
        if isinstance(step, Open):
            return await self._open(step.request, response, stream)
        if isinstance(step, NextLine):
            with translated(self):
                return await stream[0].next_line()
        if isinstance(step, Call):
            return await _called(step)
        assert isinstance(step, Sleep)
        return await asyncio.sleep(step.seconds)

    async def _send(self, request: Request) -> Answer:
        response = await self._tried(lambda client, more: client.request(**request_parts(request), extensions=more))
        return answer_head(response, response.content)

    async def _open(self, request: Request, response: AsyncExitStack, stream: list[AsyncLineReader]) -> Answer:
        await response.aclose()  # that of the stream before
        head = await self._tried(
            lambda client, more: response.enter_async_context(client.stream(**request_parts(request), extensions=more)))
        with translated(self):
            if head.status_code >= 400:
                return answer_head(head, await head.aread())
            stream[:] = [AsyncLineReader(head.aiter_bytes())]
            return answer_head(head, b"")

    async def _tried(self, send: Callable[[httpx.AsyncClient, dict[str, Any]], Awaitable[httpx.Response]]) -> httpx.Response:
        """Sends a request, and sends it again if it was not received."""
        for number in itertools.count():
            client = await self._connected()
            with suppress(NotReceived), translated(self):
                return await send(client, {"trace": Try(number).trace})
        raise AssertionError

    @property
    def address(self) -> Optional[Address]:
        return self._address

    @property
    def closed(self) -> bool:
        return self._closed

    async def _connected(self) -> httpx.AsyncClient:
        if self._closed:
            raise SessionError(CLOSED)
        owner = os.getpid(), asyncio.get_running_loop()
        if self._address is None:
            self._address = await _found(find(self._url, self._token))
        check_there(self._address)
        if self._client is None or self._owner != owner:
            options = settings(self._address)
            self._client = httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(**options.transport), **options.client)
            self._owner = owner
        return self._client

    async def close(self) -> None:
        client, self._client, self._closed = self._client, None, True
        if client is not None and self._owner == (os.getpid(), asyncio.get_running_loop()):
            await client.aclose()


async def _found(steps: Steps[Address]) -> Address:
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            address: Address = end.value
            return address
        assert isinstance(step, Sleep)
        await asyncio.sleep(step.seconds)


async def _called(step: Call) -> Any:
    value = step.function(*step.args, **step.kwargs)
    return await value if hasattr(value, "__await__") else value
