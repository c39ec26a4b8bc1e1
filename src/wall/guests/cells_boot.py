# SPDX-License-Identifier: Apache-2.0
# A session's Python starts with this text: python3 -S -c. Reads the frame "program" from descriptor 3 and runs it. The
# frame is the text; or the line "#code MAGIC BYTES", that many bytes of bytecode for the Python with this magic number,
# and the text for all others.
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
    # It runs with builtins of its own, because the program may change the usual ones.
    names = {"__name__": "<glovebox>", "__builtins__": vars(builtins).copy()}
    exec(code(text), names)
    names["serve"](3, 4, rest)


start()
