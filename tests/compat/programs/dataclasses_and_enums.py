# SPDX-License-Identifier: Apache-2.0
import enum
from dataclasses import asdict, dataclass, field

class Color(enum.Enum):
    RED = "r"
    BLUE = "b"

@dataclass(order=True, frozen=True)
class Item:
    price: float
    name: str = field(compare=False)
    tags: tuple = ()

items = sorted([Item(2.5, "b"), Item(1.5, "a", ("x",))])
print(items, asdict(items[0]), Color("r"), list(Color), hash(items[0]) == hash(Item(1.5, "z", ("x",))))
