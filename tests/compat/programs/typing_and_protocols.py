# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations
import typing
from typing import Protocol, TypedDict, get_type_hints

class Shape(Protocol):
    def area(self) -> float: ...

class Row(TypedDict, total=False):
    name: str
    size: int

def total(shapes: list[Shape]) -> float:
    return sum(s.area() for s in shapes)

class Square:
    def area(self) -> float:
        return 4.0

print(total([Square()]), get_type_hints(Row), typing.get_args(dict[str, int]))
