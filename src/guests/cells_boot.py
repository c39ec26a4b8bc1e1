# SPDX-License-Identifier: Apache-2.0
# What a session's Python is started with: python3 -S -c. Reads the frame "program" from descriptor 3 and runs it. That
# is text; or the line "#code MAGIC BYTES", so many bytes of bytecode for the Python that has this magic number, and the
# text for any other.
import builtins
import sys
from posix import read


def program():
    data = b""
    while True:
        head, line, rest = data.partition(b"\n")
        size = int(head.split()[2]) if line else 0
        if line and len(rest) >= size:
            return rest[:size], rest[size:]
        more = read(3, 1 << 20)
        if not more:
            raise SystemExit("no program came")
        data += more


def code(text):
    if text[:6] == b"#code ":
        from _frozen_importlib_external import MAGIC_NUMBER
        from marshal import loads
        head, _, text = text.partition(b"\n")
        _, magic, size = head.split()
        if magic.decode() == MAGIC_NUMBER.hex():
            return loads(text)
        text = text[int(size):]
    return compile(text, "<glovebox>", "exec", 0, True, 2)


def start():
    text, rest = program()
    # With builtins of its own: the program's may be changed by it.
    names = {"__name__": "<glovebox>", "__builtins__": vars(builtins).copy()}
    exec(code(text), names)
    names["serve"](3, 4, rest)


start()
