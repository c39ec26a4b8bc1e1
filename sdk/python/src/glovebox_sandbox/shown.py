# SPDX-License-Identifier: Apache-2.0
"""Displays: values, pictures and tables as MIME bundles, for notebooks and for people."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from .documents import each, from_document, nothing, object_or_none, objects
from .printable import one_line


@dataclass(frozen=True)
class Dropped:
    """A form of a display that was left out, its size, and why."""

    mime: str = ""
    bytes: int = 0
    why: str = ""


@dataclass(frozen=True)
class Display:
    """A value or a display in several forms. `data` has text by MIME type, and bytes for pictures and PDF."""

    kind: str = "display"
    data: Mapping[str, Any] = field(default_factory=nothing)
    metadata: Mapping[str, Any] = field(default_factory=nothing)
    dropped: tuple[Dropped, ...] = ()

    @property
    def png(self) -> Optional[bytes]:
        """The picture as PNG, or None."""
        data = self.data.get("image/png")
        return data if isinstance(data, bytes) else None

    @property
    def text(self) -> str:
        """The display as plain text; empty if it has none."""
        text = self.data.get("text/plain", "")
        return text if isinstance(text, str) else ""

    def __repr__(self) -> str:
        return one_line(f"<Display {' '.join(self.data)}>")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {mime: _for_notebook(data) for mime, data in self.data.items()}


def displays_from(documents: object) -> tuple[Display, ...]:
    return tuple(display_from(document) for document in objects(documents))


def display_from(document: Mapping[str, Any]) -> Display:
    data = {mime: _content(mime, content) for mime, content in (object_or_none(document.get("data")) or {}).items()}
    return from_document(Display, document, data=data, dropped=each(Dropped, document.get("dropped")))


def bundle_of(displays: Sequence[Display], otherwise: str) -> dict[str, Any]:
    """The bundle that a notebook shows: of the displays, the last one that is more than text."""
    rich = [display for display in displays if set(display.data) - {"text/plain"}]
    shown = (rich or list(displays))[-1:]
    return shown[0]._repr_mimebundle_() if shown else {"text/plain": otherwise}


def as_text(displays: Sequence[Display]) -> str:
    """The text of the displays of values."""
    return "\n".join(display.text for display in displays if display.kind == "value" and display.text)


def _is_binary(mime: str) -> bool:
    return mime == "application/pdf" or (mime.startswith("image/") and not mime.endswith("+xml"))


def _content(mime: str, content: Any) -> Any:
    if not _is_binary(mime) or not isinstance(content, str):
        return content
    try:
        return base64.b64decode(content)
    except (binascii.Error, ValueError):
        return content


def _for_notebook(data: Any) -> Any:
    return base64.b64encode(data).decode("ascii") if isinstance(data, bytes) else data
