# SPDX-License-Identifier: Apache-2.0
"""The driver that does the steps of a verb in the caller's thread."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, suppress
from typing import Any, Callable, Optional

import httpx

from .address import Address
from .connections import NotReceived, Sockets, Try, answer_head, check_there, request_parts, settings, translated
from .errors import SessionError, UsageError
from .events import Event
from .finding import find
from .lines import LineReader
from .state import CLOSED
from .steps import Answer, Call, Emit, NextLine, Open, Request, Send, Sleep, Step, Steps, T


class Driver:
    """A connection to a daemon, which is found at the first request. Threads may share it, and so may forks."""

    def __init__(self, url: Optional[str], token: Optional[str]) -> None:
        self._url, self._token = url, token
        self._address: Optional[Address] = None
        self._client: Optional[httpx.Client] = None
        self._pid = 0
        self._closed = False
        self._lock = threading.Lock()
        self._sockets = Sockets()

    def copy(self) -> Driver:
        """A connection of its own to the same daemon."""
        copy = Driver(self._url, self._token)
        copy._address = self._address
        return copy

    def run(self, steps: Steps[T], on_event: Optional[Callable[[Event], object]] = None) -> T:
        """Does all steps; events go to `on_event`."""
        events = self.events(steps)
        while True:
            try:
                event = next(events)
            except StopIteration as end:
                value: T = end.value
                return value
            if on_event is not None:
                try:
                    on_event(event)
                except BaseException:
                    events.close()
                    raise

    def events(self, steps: Steps[T]) -> Generator[Event, None, T]:
        """Does the steps and yields the events among them; closing it ends the stream, and so the run."""
        with ExitStack() as opened:
            opened.callback(steps.close)
            response = opened.enter_context(ExitStack())
            stream: list[LineReader] = []
            outcome: Any = None
            failure: Optional[Exception] = None
            while True:
                try:
                    step = steps.send(outcome) if failure is None else steps.throw(failure)
                except StopIteration as end:
                    value: T = end.value
                    return value
                outcome = failure = None
                if isinstance(step, Emit):
                    yield step.event
                    continue
                try:
                    outcome = self._do(step, response, stream)
                except Exception as error:
                    failure = error

    def _do(self, step: Step, response: ExitStack, stream: list[LineReader]) -> Any:
        if isinstance(step, Send):
            return self._send(step.request)
        if isinstance(step, Open):
            return self._open(step.request, response, stream)
        if isinstance(step, NextLine):
            with translated(self):
                return stream[0].next_line()
        if isinstance(step, Call):
            return _called(step)
        assert isinstance(step, Sleep)
        return time.sleep(step.seconds)

    def _send(self, request: Request) -> Answer:
        response = self._tried(lambda client, more: client.request(**request_parts(request), extensions=more))
        return answer_head(response, response.content)

    def _open(self, request: Request, response: ExitStack, stream: list[LineReader]) -> Answer:
        response.close()  # that of the stream before
        head = self._tried(lambda client, more: response.enter_context(client.stream(**request_parts(request), extensions=more)))
        with translated(self):
            if head.status_code >= 400:
                return answer_head(head, head.read())
            stream[:] = [LineReader(head.iter_bytes())]
            return answer_head(head, b"")

    @property
    def address(self) -> Optional[Address]:
        return self._address

    @property
    def closed(self) -> bool:
        return self._closed

    def _connected(self) -> httpx.Client:
        with self._lock:
            if self._closed:
                raise SessionError(CLOSED)
            if self._address is None:
                self._address = _found(find(self._url, self._token))
            check_there(self._address)
            if self._client is None or self._pid != os.getpid():
                options = settings(self._address)
                self._client = httpx.Client(transport=httpx.HTTPTransport(**options.transport), **options.client)
                self._pid = os.getpid()
                self._sockets = Sockets()
            return self._client

    def _tried(self, send: Callable[[httpx.Client, dict[str, Any]], httpx.Response]) -> httpx.Response:
        """Sends a request, and sends it again if it was not received."""
        for number in itertools.count():
            client, sockets, this = self._connected(), self._sockets, Try(number)

            def trace(event: str, info: Any, sockets: Sockets = sockets, this: Try = this) -> None:
                sockets.trace(event, info)
                this.look(event, info)

            with suppress(NotReceived), translated(self):
                return send(client, {"trace": trace})
        raise AssertionError

    @property
    def is_open(self) -> bool:
        """Whether there may be connections of this process."""
        return self._client is not None and self._pid == os.getpid()

    def close(self) -> None:
        with self._lock:
            client, self._client, self._closed = self._client, None, True
            if client is not None and self._pid == os.getpid():
                self._sockets.wake()
                client.close()


def _found(steps: Steps[Address]) -> Address:
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            address: Address = end.value
            return address
        assert isinstance(step, Sleep)
        time.sleep(step.seconds)


def _called(step: Call) -> Any:
    value = step.function(*step.args, **step.kwargs)
    if hasattr(value, "__await__"):
        if hasattr(value, "close"):
            value.close()
        raise UsageError(f"{getattr(step.function, '__name__', 'the function')} is a coroutine function; use "
                         "AsyncSandbox, which awaits it in its loop")
    return value
