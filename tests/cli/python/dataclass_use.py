# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass, field, asdict
from enum import Enum
from typing import NamedTuple, get_type_hints


class Colour(Enum):
    RED = 1


@dataclass(order=True)
class P:
    x: int
    y: "list[int]" = field(default_factory=list)


class N(NamedTuple):
    a: int = 1


print(P(1), asdict(P(2, [3])), P(1) < P(2), Colour.RED, N(), get_type_hints(P))
print(P.__module__, N.__module__, Colour.__module__)
