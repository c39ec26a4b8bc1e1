# SPDX-License-Identifier: Apache-2.0
"""The programs that people wrote: the standard library of the Python that runs this, with its
tests where they are installed."""

import ast
import os
import sysconfig


def files():
    """Every .py file, in the same order everywhere."""
    found = []
    top = sysconfig.get_path("stdlib")
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(f for f in folders if f not in ("site-packages", "dist-packages"))
        found += [os.path.join(folder, n) for n in sorted(names) if n.endswith(".py")]
    return found


def has_tests(paths):
    return any(p.endswith("/test/test_grammar.py") for p in paths)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def pieces(path, most=3000):
    """A file's top-level statements, those of at most `most` bytes, and the file if it is small."""
    text = read(path)
    try:
        tree = ast.parse(text)
        text.decode()
    except (SyntaxError, ValueError):
        return []
    lines = text.splitlines(keepends=True)
    found = [text] if 200 < len(text) <= 4 * most else []
    for node in tree.body:
        first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", ())])
        piece = b"".join(lines[first - 1 : node.end_lineno])
        if 60 < len(piece) <= most:
            found.append(piece)
    return found
