# SPDX-License-Identifier: Apache-2.0
"""The cases of a test (``glovebox help cases``), with Python values in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Callable, cast

from .errors import UsageError, kind_of
from .steps import json_text
from .values import encode


def cases_text(cases: object) -> str:
    """The cases as JSON. In a text, numbers keep all their digits.

    >>> cases_text([{"args": (1,), "expected": (1, 2)}, {"args": [0], "expected_exception": ZeroDivisionError}])
    '[{"args": [1], "expected": {"$type": "tuple", "items": [1, 2]}}, {"args": [0], "expected_exception": "ZeroDivisionError"}]'
    """
    if isinstance(cases, (str, bytes, Mapping)) or not isinstance(cases, Iterable):
        raise UsageError(f"cases is {kind_of(cases)}; give a list of dicts: [{{'args': [1], 'expected': 2}}]")
    return json_text([_case(case) for case in cast("Iterable[object]", cases)])


def _case(case: object) -> dict[str, Any]:
    if not isinstance(case, Mapping):
        raise UsageError(f"a case is {kind_of(case)}; give a dict: {{'args': [1], 'expected': 2}}")
    return {name: _FORMS.get(name, _form)(value) for name, value in cast("Mapping[str, Any]", case).items()}


def _form(value: Any) -> Any:
    """Typed JSON. A dict that is typed JSON already, as in a file of cases, stays as it is."""
    if type(value) is list:
        return [_form(item) for item in value]
    if type(value) is dict and "$type" in value:
        return value
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: _form(item) for key, item in value.items()}
    return encode(value)


def _arguments(value: Any) -> Any:
    return [_form(item) for item in value] if isinstance(value, tuple) else _form(value)


def _type_name(value: Any) -> Any:
    return value.__name__ if isinstance(value, type) else value


def _seconds(value: Any) -> Any:
    return value.total_seconds() if isinstance(value, timedelta) else value


_FORMS: dict[str, Callable[[Any], Any]] = {
    "args": _arguments, "input_args": _arguments, "expected_type": _type_name, "expected_exception": _type_name,
    "timeout": _seconds}
