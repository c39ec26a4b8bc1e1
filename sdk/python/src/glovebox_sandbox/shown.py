# SPDX-License-Identifier: Apache-2.0
"""Displays: values, pictures and tables as MIME bundles, for notebooks and for people."""

from __future__ import annotations

import base64
import binascii
import json
import mimetypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, Union

from .documents import each, from_document, nothing, object_or_none, objects
from .errors import UsageError
from .printable import lines, one_line

_SUFFIXES = {".md": "text/markdown", ".tex": "text/latex", ".webp": "image/webp"}  # not known to every mimetypes
_VIEWED = ("image/png", "image/jpeg", "image/gif", "image/webp")  # an SVG may hold a program


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

    def save(self, path: Union[str, "os.PathLike[str]"]) -> Path:
        """Writes the form that the path's suffix names (``.png``, ``.svg``, ``.html``, ``.txt``) to this file, which is
        replaced if it exists; returns its path."""
        path = Path(path)
        mime = _SUFFIXES.get(path.suffix.lower()) or mimetypes.guess_type(path.name)[0] or ""
        if mime not in self.data:
            raise UsageError(f"'{path}': the display has no form for this suffix; give one of "
                             f"{', '.join(map(_suffix, self.data))}")
        path.write_bytes(_bytes(self.data[mime]))
        return path

    def show(self) -> None:
        """Shows the display: in IPython and Jupyter as they show any, elsewhere as text. On a terminal, a picture is
        written to a temporary file, whose path is printed, and opened if there is a screen."""
        ipython: Any = sys.modules.get("IPython")
        picture = next((mime for mime in _VIEWED if mime in self.data), None)
        if ipython is not None and ipython.get_ipython() is not None:
            ipython.display.display(self)
        elif picture is not None and sys.stdout.isatty():
            _view(self, _suffix(picture))
        else:
            print(lines(self.text) or repr(self), flush=True)

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


def _suffix(mime: str) -> str:
    known = {known: suffix for suffix, known in _SUFFIXES.items()}
    return known.get(mime) or mimetypes.guess_extension(mime) or f"(none for {mime})"


def _bytes(form: Any) -> bytes:
    if isinstance(form, bytes):
        return form
    return (form if isinstance(form, str) else json.dumps(form)).encode("utf-8", "replace")


def _view(display: Display, suffix: str) -> None:
    file, path = tempfile.mkstemp(suffix, "glovebox-")
    os.close(file)
    print(display.save(path), flush=True)
    viewer = shutil.which("xdg-open") if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") else None
    if viewer is not None:
        subprocess.Popen([viewer, path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         start_new_session=True)


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
