# SPDX-License-Identifier: Apache-2.0
"""The lines of a stream of JSON documents."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Optional

from .documents import object_or_none
from .errors import DaemonError

_LONGEST = 1 << 30  # bytes of a line: a result with its files


class LineBuffer:
    """Cuts chunks of bytes into lines. A line may come in many chunks, so these are joined once."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._begun: list[bytes] = []
        self._size = 0

    def add(self, chunk: bytes) -> None:
        first, *more = chunk.split(b"\n")
        self._begun.append(first)
        self._size += len(first)
        for part in more:
            self._lines.append(b"".join(self._begun))
            self._begun, self._size = [part], len(part)
        if more:
            self._lines.reverse()
        if self._size > _LONGEST:
            raise DaemonError("the daemon sends a line of more than 1 GiB; limit what the run collects")

    def take(self) -> Optional[dict[str, Any]]:
        """The next complete line; None if there is none."""
        while self._lines:
            line = self._lines.pop()
            if line:
                return _document(line)
        return None


def _document(line: bytes) -> dict[str, Any]:
    try:
        document = object_or_none(json.loads(line))
    except RecursionError:
        raise DaemonError("a line of the stream is nested too deeply; print the value, or take a part of it") from None
    except ValueError:
        document = None
    if document is None:
        raise DaemonError("the stream has a line that is not a JSON object; is the address that of a glovebox daemon?")
    return document


class LineReader:
    """The lines of a blocking stream."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._buffer = chunks, LineBuffer()

    def next_line(self) -> Optional[dict[str, Any]]:
        while True:
            line = self._buffer.take()
            if line is not None:
                return line
            chunk = next(self._chunks, None)
            if chunk is None:
                return None
            self._buffer.add(chunk)


class AsyncLineReader:
    """The lines of an asynchronous stream."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks, self._buffer = chunks, LineBuffer()

    async def next_line(self) -> Optional[dict[str, Any]]:
        while True:
            line = self._buffer.take()
            if line is not None:
                return line
            try:
                chunk = await self._chunks.__anext__()
            except StopAsyncIteration:
                return None
            self._buffer.add(chunk)
