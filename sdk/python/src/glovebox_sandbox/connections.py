# SPDX-License-Identifier: Apache-2.0
"""What both drivers need of httpx: settings, requests, answers, and its failures as ours."""

from __future__ import annotations

import os
import socket
import weakref
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Optional, Protocol

import httpcore
import httpx

from .address import Address, is_trusted
from .errors import DaemonError, DeadlineError, SessionError
from .state import CLOSED_MEANWHILE
from .steps import Answer, Request

_CONNECT = 5.0
# Less than the minute after which the daemon closes a connection that is not used.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=16, keepalive_expiry=30)


@dataclass(frozen=True)
class Settings:
    """Arguments of a transport and of a client."""

    transport: dict[str, Any]
    client: dict[str, Any]


def settings(address: Address) -> Settings:
    secure = address.url.startswith("https:")
    transport: dict[str, Any] = {"limits": _LIMITS, "verify": secure, "trust_env": False}
    if address.path:
        transport["uds"] = address.path
    else:
        transport["socket_options"] = _keep_alive()
    client = {"base_url": address.url, "headers": address.headers, "trust_env": False}
    return Settings(transport, client)


def _keep_alive() -> list[tuple[int, int, int]]:
    """A daemon that is lost without a word is noticed within a minute."""
    seconds = (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 4))
    named = [(socket.IPPROTO_TCP, getattr(socket, name), n) for name, n in seconds if hasattr(socket, name)]
    return [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), *named]


def check_there(address: Address) -> None:
    """A daemon that has ended took its socket with it. (httpcore leaves a socket open that it could not connect.)"""
    if address.path and not os.path.exists(address.path):
        raise DaemonError(f"no daemon listens at {address}: it has ended, and its sessions with it")


_ANOTHER_USER = "the socket belongs to another user: nothing was sent; choose a place that only you can write"


def _is_stranger(event: str, stream: Any) -> bool:
    """Where others can make files, one of theirs may listen after a daemon has ended."""
    return event == "connection.connect_unix_socket.complete" and not is_trusted(stream.get_extra_info("socket"))


TRIES = 3  # to send a request that was not received


class NotReceived(Exception):
    """The daemon cannot have read the request, so it may be sent again."""


class Try:
    """A try to send a request. Between the connection and the first byte, the caller's loop or thread may have done something
    else for so long that the daemon has closed the connection. The last try leaves that to httpx."""

    def __init__(self, number: int) -> None:
        self._is_last, self._stream = number == TRIES - 1, None

    def look(self, event: str, info: Mapping[str, Any]) -> None:
        """Raises `NotReceived` if the connection was closed before a byte was sent, or the request's head was not sent
        whole. What happens later says nothing about what the daemon did."""
        if event.startswith("connection.connect_") and event.endswith(".complete"):
            self._stream = info["return_value"]
        unsent = event == "http11.send_request_headers.started" and self._stream is not None and _is_closed(self._stream)
        failed = event == "http11.send_request_headers.failed" and isinstance(info.get("exception"), httpcore.WriteError)
        if (unsent or failed) and not self._is_last:
            raise NotReceived

    async def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """The extension `trace` of a request in an event loop."""
        if _is_stranger(event, info.get("return_value")):
            await info["return_value"].aclose()
            raise DaemonError(_ANOTHER_USER)
        self.look(event, info)


def _is_closed(stream: Any) -> bool:
    """Whether the other end has closed the connection, and sent nothing."""
    try:
        with socket.socket(fileno=os.dup(stream.get_extra_info("socket").fileno())) as end:
            return end.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


class Sockets:
    """The sockets of a client. To close one does not wake a thread that waits at it, to shut it down does."""

    def __init__(self) -> None:
        self._streams: weakref.WeakSet[Any] = weakref.WeakSet()

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """The extension `trace` of a request."""
        if _is_stranger(event, info.get("return_value")):
            info["return_value"].close()
            raise DaemonError(_ANOTHER_USER)
        if event.startswith("connection.connect_") and event.endswith(".complete"):
            self._streams.add(info["return_value"])

    def wake(self) -> None:
        for stream in list(self._streams):
            with suppress(OSError, AttributeError):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def request_parts(request: Request) -> dict[str, Any]:
    headers = {"Content-Type": request.content_type, "Accept-Encoding": "identity", "Glovebox-Wording": "python"}
    if request.stream:
        headers["Accept"] = "application/x-ndjson"
    return {"method": request.method, "url": request.path, "content": request.body, "headers": headers,
            "timeout": httpx.Timeout(request.wait, connect=_CONNECT, pool=None)}


def answer_head(response: httpx.Response, body: bytes) -> Answer:
    return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)


class Connected(Protocol):
    """A driver."""

    @property
    def address(self) -> Optional[Address]: ...

    @property
    def closed(self) -> bool: ...


@contextmanager
def translated(driver: Connected) -> Generator[None, None, None]:
    """Raises the failures of httpx as ours."""
    try:
        yield
    except Exception as error:
        if driver.closed:
            raise SessionError(CLOSED_MEANWHILE) from error
        if isinstance(error, (httpx.HTTPError, httpx.StreamError)):
            raise _failure(error, driver.address) from error
        raise


def _failure(error: Exception, address: Optional[Address]) -> Exception:
    """Our exception for one of httpx."""
    if isinstance(error, httpx.ConnectError):
        return DaemonError(f"no daemon listens at {address}: {error}; start it there with 'glovebox serve'")
    if isinstance(error, httpx.ConnectTimeout):
        return DaemonError(f"{address} does not answer; is that the daemon's address?")
    if isinstance(error, httpx.TimeoutException):
        return DeadlineError(f"the daemon at {address} sends nothing; give a longer deadline, or look at its messages")
    return DaemonError(f"the connection to the daemon at {address} was lost: {error}")
