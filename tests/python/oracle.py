# SPDX-License-Identifier: Apache-2.0
"""What the Python that runs this says of a program, and what ours says: in the same form, so that
tests compare two values. Ours is asked for the same version of the language."""

import ast
import os
import struct
import subprocess
import sys
import warnings
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TARGET = sys.version_info[1]

# kind is None for a program that is right; warnings are pairs of kind and line.
Verdict = namedtuple("Verdict", "kind line offset end_line end_offset message warnings dump")
RIGHT = Verdict(None, 0, 0, 0, 0, "", (), None)


def _error(e, found=()):
    if isinstance(e, SyntaxError):
        places = (e.lineno, e.offset, e.end_lineno, e.end_offset)
        return Verdict(type(e).__name__, *(p or 0 for p in places), e.msg, found, None)
    return Verdict(type(e).__name__, 0, 0, 0, 0, str(e), found, None)


def _texts(found):
    return tuple((w.category.__name__, w.lineno, str(w.message)) for w in found)


def compiled(program):
    """What compile() says, with its warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            compile(program, "<program>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as e:
            return _error(e, _texts(found))
    return RIGHT._replace(warnings=_texts(found))


def parsed(program):
    """What ast.parse() says, with the whole tree as text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(program)
            return RIGHT._replace(dump=ast.dump(tree, include_attributes=True))
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as e:
            return _error(e)


class Crash(Exception):
    """Ours ended, or never answered."""


class Feed:
    """tests/python/feed.c, kept running; started anew after a crash."""

    def __init__(self, target=TARGET, prepare=None):
        given = os.environ.get("GLOVEBOX") or os.path.join(ROOT, "build", "glovebox")
        self.path = os.environ.get("FEED") or os.path.join(
            os.path.dirname(os.path.abspath(given)), "tests", "feed"
        )
        self.target, self.prepare, self.child = target, prepare, None

    def start(self):
        self.child = subprocess.Popen(
            [self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=self.prepare
        )

    def ask(self, verb, program):
        if not self.child:
            self.start()
        try:
            head = verb.encode() + bytes([self.target]) + struct.pack("<I", len(program))
            self.child.stdin.write(head + program)
            self.child.stdin.flush()
            (length,) = struct.unpack("<I", self._read(4))
            return self._read(length).decode("utf-8", "surrogatepass")
        except (OSError, EOFError):
            self.child.stdout.close()
            raise Crash("it ended with status %s" % self._reap()) from None

    def _read(self, n):
        data = self.child.stdout.read(n)
        if len(data) != n:
            raise EOFError
        return data

    def _reap(self):
        try:
            self.child.stdin.close()
        except OSError:
            pass
        status, self.child = self.child.wait(), None
        return status

    def close(self):
        if self.child:
            self._reap()

    def verdict(self, verb, program):
        """A Verdict; the dump with the verb 'd', warnings with 'c'."""
        answer, found = self.ask(verb, program), []
        while answer.startswith("warning\t"):
            line, answer = answer.split("\n", 1)
            _, kind, at, _, message = line.split("\t", 4)
            found.append((kind, int(at), message))
        if answer.startswith("error\t"):
            _, kind, *places, message = answer[:-1].split("\t", 6)
            return Verdict(kind, *map(int, places), message, tuple(found), None)
        dump = answer.split("\n", 1)[1] if verb == "d" else None
        return RIGHT._replace(warnings=tuple(found), dump=dump)


def first_difference(ours, theirs):
    """Both texts from shortly before the place where they part."""
    at = len(os.path.commonprefix((ours, theirs)))
    begin = max(0, at - 120)
    return "ours   ...%s\ntheirs ...%s" % (ours[begin : at + 80], theirs[begin : at + 80])
