# SPDX-License-Identifier: Apache-2.0
"""Frozen dataclasses from the daemon's documents: a member becomes the field of the same name."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T")


def from_document(kind: type[T], document: Mapping[str, Any], **converted: Any) -> T:
    """An object of `kind`. A missing member keeps its default, an unknown one (of a newer daemon) is left out, and
    `converted` has the fields whose values are not the document's own."""
    given: dict[str, Any] = {}
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if field.name in converted:
            given[field.name] = converted[field.name]
        elif field.init and field.name in document:
            given[field.name] = _frozen(document[field.name])
    return kind(**given)


def each(kind: type[T], documents: Any) -> tuple[T, ...]:
    return tuple(from_document(kind, document) for document in documents or () if isinstance(document, dict))


def one(kind: type[T], document: Any) -> T | None:
    return from_document(kind, document) if isinstance(document, dict) else None


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
