# SPDX-License-Identifier: Apache-2.0
"""The models of the examples. `scripted` says what it was given, without a network or a key; put your own in its place:
a function that takes the messages so far, and returns the model's reply."""

from __future__ import annotations

import re
from collections.abc import Callable

Messages = list[dict[str, str]]
Model = Callable[[Messages], str]


def scripted(*replies: str) -> Model:
    left = iter(replies)
    return lambda messages: next(left)


def code_in(reply: str) -> str | None:
    """The first block of Python in a reply."""
    found = re.search(r"```python\n(.*?)```", reply, re.DOTALL)
    return found[1] if found else None
