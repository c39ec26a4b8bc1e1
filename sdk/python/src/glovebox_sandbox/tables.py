# SPDX-License-Identifier: Apache-2.0
"""The table that a notebook shows of a frame, as a frame of pandas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from . import frames

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?")
_KINDS = {"integer": "int64", "number": "float64", "boolean": "bool"}


def frame_of(table: Mapping[str, Any]) -> Any:
    """The frame; an exception of any kind if the table is damaged. Each row has each column, and each column is there once:
    pandas would make the missing cells, as many as there are columns for each row."""
    fields, rows = table["schema"]["fields"], table["data"]
    names = [field["name"] for field in fields]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError("a name of a column that is no text, or that is there twice")
    columns = {field["name"]: _column([row[field["name"]] for row in rows], field) for field in fields}
    keys = list(table["schema"].get("primaryKey", []))
    index = [columns.pop(key) for key in keys]
    shown = [None if key == "index" else key for key in keys]
    return import_module("pandas").DataFrame(columns, index=frames.index_of(index, shown) if keys else None)


def _column(values: list[Any], field: Mapping[str, Any]) -> Any:
    pandas = import_module("pandas")
    if field.get("type") == "datetime":
        return _moments(pandas, values, field)
    column = pandas.Series(values, dtype=None if values else "object")
    kind = _KINDS.get(str(field.get("type")))
    return (column.astype(kind) if kind and not (kind != "float64" and column.isna().any()) else column).array


def _moments(pandas: Any, values: list[Any], field: Mapping[str, Any]) -> Any:
    """pandas' cache of moments is a table of hashes, and its readers of other forms are slow."""
    if not all(value is None or _MOMENT.fullmatch(value) for value in values):
        raise ValueError("a moment in an unknown form")
    form = {} if frames.version_of(pandas) < 2 else {"format": "ISO8601"}
    moments = pandas.Series(pandas.to_datetime(pandas.Series(values, dtype="object"), utc=True, cache=False, **form))
    return (moments.dt.tz_convert(frames.zone(field["tz"])) if "tz" in field else moments.dt.tz_localize(None)).array
