# SPDX-License-Identifier: Apache-2.0
"""Pictures that a hostile program sends: no PNG unpacks to more than its bytes can hold."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from importlib import import_module
from typing import Any

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_DEFLATE = 1032  # bytes that deflate makes of one, at most
_PROFILE = 64    # the same for a profile of colours, which is unpacked when the picture is opened
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def picture(data: bytes) -> Any:
    """The picture as one of PIL, without its comments; ValueError if its header does not fit its bytes, and ImportError
    without PIL. Its pixels are unpacked when they are used first."""
    image = import_module("PIL.Image")
    parts = [data[:len(_SIGNATURE)]]
    for at, (kind, part) in enumerate(_chunks(data)):
        if (at == 0) != (kind == b"IHDR"):
            raise ValueError("a header in a wrong place")
        if at == 0:
            _check_size(part[8:], len(data))
        elif kind == b"iCCP":
            _check_profile(part[8:-4])
        if kind not in (b"zTXt", b"iTXt"):  # PIL unpacks them at once, to as much as 64 MiB
            parts.append(part)
    return image.open(io.BytesIO(b"".join(parts)), formats=["PNG"])


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks with their length, name and sum."""
    if not data.startswith(_SIGNATURE):
        raise ValueError("not a PNG")
    at = len(_SIGNATURE)
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        yield kind, data[at:at + 12 + length]
        at += 12 + length


def _check_size(header: bytes, size: int) -> None:
    width, height, bits, colours = struct.unpack_from(">IIBB", header)
    if width * height * bits * _CHANNELS[colours] > 8 * _DEFLATE * size:
        raise ValueError("more pixels than the bytes can hold")


def _check_profile(body: bytes) -> None:
    _, _, rest = body.partition(b"\0")
    unpacking = zlib.decompressobj()
    unpacking.decompress(rest[1:], _PROFILE * len(rest) + 1)
    if unpacking.unconsumed_tail:
        raise ValueError("a profile that is far larger than its bytes")
