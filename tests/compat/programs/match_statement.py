# SPDX-License-Identifier: Apache-2.0
def describe(command):
    match command:
        case ["go", ("north" | "south") as way]:
            return f"going {way}"
        case {"action": str(name), **rest}:
            return f"{name} {rest}"
        case [int(x), *others] if x > 0:
            return (x, others)
        case _:
            return "unknown"

print([describe(c) for c in (["go", "north"], {"action": "buy", "n": 2}, [3, 4, 5], 7)])
