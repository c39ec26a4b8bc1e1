# SPDX-License-Identifier: Apache-2.0
"""What both drivers need of httpx: settings, requests, answers, and its failures as ours."""

from __future__ import annotations

import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Optional

import httpx

from .address import Address
from .errors import DaemonError, DeadlineError
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


def request_parts(request: Request) -> dict[str, Any]:
    headers = {"Content-Type": request.content_type, "Accept-Encoding": "identity"}
    if request.stream:
        headers["Accept"] = "application/x-ndjson"
    return {"method": request.method, "url": request.path, "content": request.body, "headers": headers,
            "timeout": httpx.Timeout(request.wait, connect=_CONNECT, pool=None)}


def answer_head(response: httpx.Response, body: bytes) -> Answer:
    return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)


@contextmanager
def translated(address: Optional[Address]) -> Generator[None, None, None]:
    """Raises the failures of httpx as ours."""
    try:
        yield
    except httpx.ConnectError as error:
        raise DaemonError(f"no daemon listens at {address}: {error}; start it there with 'glovebox serve'") from error
    except httpx.ConnectTimeout as error:
        raise DaemonError(f"{address} does not answer; is that the daemon's address?") from error
    except httpx.TimeoutException as error:
        raise DeadlineError(f"the daemon at {address} sends nothing; give a longer deadline, or look at its "
                            "messages") from error
    except (httpx.HTTPError, httpx.StreamError) as error:
        raise DaemonError(f"the connection to the daemon at {address} was lost: {error}") from error
