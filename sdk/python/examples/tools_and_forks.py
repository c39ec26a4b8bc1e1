#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An agent with tools and forks. A tool is a function of yours that the code may call; it runs in your process. A fork is
a copy of the session with all its state: here each of the model's ideas gets one, and the best one continues.

    python tools_and_forks.py
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from scripted import Model, code_in, scripted

from glovebox_sandbox import Sandbox, UnsupportedError

PRICES = {"tea": 3, "bread": 4, "honey": 9, "cheese": 11}
ASKED: list[str] = []


def price(item: str) -> int:
    """The price of an item, in crowns."""
    ASKED.append(item)
    if item not in PRICES:
        raise KeyError(f"{item} is not sold here")
    return PRICES[item]


PREPARE = """```python
items = ["tea", "bread", "honey", "cheese"]
prices = {item: price(item) for item in items}
basket, money = [], 16
```"""
IDEAS = (
    "```python\nfor item in sorted(items, key=prices.get):\n    if prices[item] <= money:\n        basket.append(item); money -= prices[item]\n```",
    "```python\nfor item in sorted(items, key=prices.get, reverse=True):\n    if prices[item] <= money:\n        basket.append(item); money -= prices[item]\n```",
    "```python\nbasket = items[:]; money -= sum(price(item) for item in items + ['gold'])\n```",
)


def attempt(box: Sandbox, reply: str) -> tuple[int, list[str], str]:
    """What an idea leaves of the money, in a fork of its own: the origin knows nothing of it."""
    with box.fork() as fork:
        result = fork.exec(code_in(reply) or "")
        if not result.success:
            return -1, [], result.failure
        return fork.variables["money"], fork.variables["basket"], ""


def shop(model: Model) -> list[str]:
    with Sandbox(tools=[price], timeout="10s") as box:
        box.exec(code_in(model([])) or "").raise_for_status()
        replies = [model([]) for _ in IDEAS]
        with ThreadPoolExecutor() as pool:
            tried = list(pool.map(lambda reply: attempt(box, reply), replies))
        for left, basket, error in tried:
            print(error or f"{', '.join(basket)}: {left} crowns are left")
        best = min(range(len(tried)), key=lambda i: tried[i][0] if tried[i][0] >= 0 else 10**9)
        box.exec(code_in(replies[best]) or "").raise_for_status()
        return list(box.variables["basket"])


if __name__ == "__main__":
    try:
        print("bought:", ", ".join(shop(scripted(PREPARE, *IDEAS))))
        print("asked for prices:", len(ASKED), "times")
    except UnsupportedError as error:
        print("no forks here:", error)
