# SPDX-License-Identifier: Apache-2.0
"""The cases of a test (``glovebox help cases``), with Python values in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Callable, cast

from .documents import object_or_none
from .errors import UsageError, kind_of
from .steps import json_text
from .values import encode


def cases_text(cases: object) -> str:
    """The cases as JSON. In a text, numbers keep all their digits.

    >>> cases_text([{"args": (1,), "expected": (1, 2)}, {"args": [0], "expected_exception": ZeroDivisionError}])
    '[{"args": [1], "expected": {"$type": "tuple", "items": [1, 2]}}, {"args": [0], "expected_exception": "ZeroDivisionError"}]'
    """
    given = cases
    if isinstance(cases, (str, bytes, Mapping)) or not isinstance(cases, Iterable):
        raise UsageError(f"cases is {kind_of(given)}; give a list of dicts: [{{'args': [1], 'expected': 2}}]")
    return json_text([_case(case) for case in cast("Iterable[object]", cases)])


def _case(case: object) -> dict[str, Any]:
    if not isinstance(case, Mapping):
        raise UsageError(f"a case is {kind_of(case)}; give a dict: {{'args': [1], 'expected': 2}}")
    return {name: _member(name, value) for name, value in cast("Mapping[str, object]", case).items()}


def _member(name: str, value: object) -> Any:
    form = _FORMS.get(name)
    return _form(value) if form is None else form(value)


def _form(value: object) -> Any:
    """Typed JSON. A dict that is typed JSON already, as in a file of cases, stays as it is."""
    if isinstance(value, list):
        return _listed(cast("list[object]", value))
    plain = object_or_none(value)
    if plain is None or not all(type(key) is str for key in plain):
        return encode(value)
    return plain if "$type" in plain else {key: _form(item) for key, item in plain.items()}


def _listed(items: Iterable[Any]) -> list[Any]:
    return [_form(item) for item in items]


def _arguments(value: object) -> Any:
    return _listed(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else _form(value)


def _type_name(value: Any) -> Any:
    return value.__name__ if isinstance(value, type) else value


def _seconds(value: Any) -> Any:
    return value.total_seconds() if isinstance(value, timedelta) else value


_FORMS: dict[str, Callable[[Any], Any]] = {
    "args": _arguments, "input_args": _arguments, "expected_type": _type_name, "expected_exception": _type_name,
    "timeout": _seconds}
