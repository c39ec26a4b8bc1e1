# SPDX-License-Identifier: Apache-2.0
"""Text of a guest, for a terminal or a log: no character in it is one that a terminal obeys."""

from __future__ import annotations


def one_line(text: str) -> str:
    r"""The text, with each character that cannot be printed as its escape.

    >>> print(one_line("a\x1b[2Jb\n\u202e"))
    a\x1b[2Jb\n\u202e
    """
    return text if text.isprintable() else "".join(char if char.isprintable() else _escape(char) for char in text)


def lines(text: str) -> str:
    """The same, but line ends and tabs stay."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else _escape(char) for char in text)


def shown(value: object) -> str:
    """The value's repr(), or its class where that fails: the digits of a large number, or times beyond a year.

    >>> shown(10**5), shown({"a": 10**5000})
    ('100000', '<dict object>')
    """
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__} object>"


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
