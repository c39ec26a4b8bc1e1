# SPDX-License-Identifier: Apache-2.0
"""Requests that did not reach the daemon are sent again; those that may have reached it never are."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest

from glovebox_sandbox import AsyncSandbox, DaemonError, Sandbox, connections

ANSWER = json.dumps({"files": [{"verdict": {"allowed": True}}]}).encode()


class Server:
    """A server that does one thing with each of its connections: `close` it, `answer` all requests, or `once` and close it
    when that is asked for, or `lose` the request that it read."""

    def __init__(self, family: str, folder: Path, actions: list[str]) -> None:
        self.actions, self.received, self.close = actions, 0, threading.Event()
        self.closed, self.unseen = threading.Semaphore(0), int(family == "unix")  # finding a daemon closes one
        self.socket = socket.socket(socket.AF_UNIX if family == "unix" else socket.AF_INET)
        self.socket.bind(str(folder / "s") if family == "unix" else ("127.0.0.1", 0))
        self.socket.listen()
        self.url = f"unix:{folder}/s" if family == "unix" else "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self) -> None:
        for action in self.actions:
            try:
                end, _ = self.socket.accept()
            except OSError:
                return
            with end:
                if action != "close":
                    self.read(end, action)
            self.closed.release()

    def wait_for_a_closed_one(self) -> None:
        for _ in range(1 + self.unseen):
            self.closed.acquire(timeout=10)
        self.unseen = 0

    def read(self, end: socket.socket, action: str) -> None:
        data = end.recv(1 << 20)
        while b"\r\n\r\n" in data:
            head, _, body = data.partition(b"\r\n\r\n")
            length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
            while len(body) < length:
                body += end.recv(1 << 20)
            self.received += 1
            if action == "lose":
                return
            end.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(ANSWER) + ANSWER)
            if action == "once":
                self.close.wait(10)
                return
            data = end.recv(1 << 20)


@pytest.fixture(params=["unix", "tcp"])
def serve(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Server]]:
    made: list[Server] = []

    def start(*actions: str) -> Server:
        # finding a daemon connects once to a Unix socket
        made.append(Server(request.param, tmp_path, [*(["close"] if request.param == "unix" else []), *actions]))
        return made[-1]

    yield start
    for server in made:
        server.socket.shutdown(socket.SHUT_RDWR)
        server.socket.close()
        server.thread.join(10)


def check(server: Server, blocking: bool) -> bool:
    if blocking:
        with Sandbox(url=server.url) as box:
            return box.check("1").allowed

    async def main() -> bool:
        async with AsyncSandbox(url=server.url) as other:
            return (await other.check("1")).allowed

    return asyncio.run(main())


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Callable[[Server, str], None]:
    """Between an event and the next one, the loop or the thread waits until the server has closed a connection."""

    def wait(server: Server, where: str) -> None:
        look = connections.Try.look

        def looked(self: Any, event: str, info: Any) -> None:
            if event.endswith(where) and not where.endswith("started"):
                server.wait_for_a_closed_one()
            look(self, event, info)
            if event.endswith(where) and where.endswith("started"):
                server.close.set()
                server.wait_for_a_closed_one()

        monkeypatch.setattr(connections.Try, "look", looked)

    return wait


@pytest.mark.parametrize("blocking", [True, False], ids=["blocking", "async"])
def test_a_connection_that_was_closed_before_the_request(serve: Callable[..., Server], slow: Any, blocking: bool) -> None:
    server = serve("close", "close", "answer")
    slow(server, "socket.complete" if server.url.startswith("unix") else "tcp.complete")
    assert check(server, blocking) and server.received == 1


@pytest.mark.parametrize("blocking", [True, False], ids=["blocking", "async"])
def test_a_daemon_that_always_closes(serve: Callable[..., Server], slow: Any, blocking: bool) -> None:
    server = serve(*["close"] * 3)
    slow(server, "socket.complete" if server.url.startswith("unix") else "tcp.complete")
    with pytest.raises(DaemonError):
        check(server, blocking)
    assert server.received == 0


@pytest.mark.parametrize("blocking", [True, False], ids=["blocking", "async"])
def test_a_request_that_was_received_is_not_sent_again(serve: Callable[..., Server], blocking: bool) -> None:
    server = serve("lose", "answer", "answer")
    with pytest.raises(DaemonError, match="lost"):
        check(server, blocking)
    assert server.received == 1


def test_a_head_that_cannot_be_sent(serve: Callable[..., Server], slow: Any) -> None:
    """The daemon closes a connection that it kept, at the moment when the next request takes it."""
    server = serve("once", "answer")
    if not server.url.startswith("unix"):
        pytest.skip("a write to a closed connection of TCP succeeds")
    with Sandbox(url=server.url) as box:
        assert box.check("1").allowed
        slow(server, "send_request_headers.started")
        assert box.check("1").allowed and server.received == 2
