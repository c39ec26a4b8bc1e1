# SPDX-License-Identifier: Apache-2.0
"""Frozen dataclasses from the daemon's documents: a member becomes the field of the same name."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar, cast

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


def object_or_none(value: object) -> dict[str, Any] | None:
    """The value if it is an object of JSON."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def objects(values: object) -> list[dict[str, Any]]:
    """The objects in an array of JSON; what is none, or no array, is left out."""
    items = cast("list[object]", values) if isinstance(values, list) else []
    return [found for found in map(object_or_none, items) if found is not None]


def each(kind: type[T], documents: object) -> tuple[T, ...]:
    return tuple(from_document(kind, document) for document in objects(documents))


def one(kind: type[T], document: object) -> T | None:
    found = object_or_none(document)
    return None if found is None else from_document(kind, found)


def nothing() -> dict[str, Any]:
    """The default of a field that is an object of JSON."""
    return {}


def _frozen(value: Any) -> Any:
    return tuple(cast("list[object]", value)) if isinstance(value, list) else value
