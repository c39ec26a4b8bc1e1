# SPDX-License-Identifier: Apache-2.0
"""What the Python that runs this says of a program, and what ours says: in the same form, so that
tests compare two values. Ours is asked for the same version of the language."""

import ast
import os
import re
import select
import struct
import subprocess
import sys
import tempfile
import warnings
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TARGET = sys.version_info[1]
CODING = re.compile(rb"(?m)^[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
FOREIGN = re.compile(r"(Non-UTF-8 code starting with '\S+') in file \S+ on line (\d+), but no .*")

# kind is None for a program that is right; None elsewhere is what nobody knows; warnings are triples
# of kind, line and text.
Verdict = namedtuple("Verdict", "kind line offset end_line end_offset message warnings dump")
RIGHT = Verdict(None, 0, 0, 0, 0, "", (), None)


def _error(e, found=()):
    if isinstance(e, SyntaxError):
        places = (e.lineno, e.offset, e.end_lineno, e.end_offset)
        return Verdict(type(e).__name__, *(p or 0 for p in places), e.msg, found, None)
    return Verdict(type(e).__name__, 0, 0, 0, 0, str(e), found, None)


def _texts(found):
    return tuple((w.category.__name__, w.lineno, str(w.message)) for w in found)


def _is_foreign(program):
    """Not UTF-8, and nothing says what else."""
    try:
        program.decode()
        return False
    except UnicodeDecodeError:
        return not _coding(program)


def _plain(program):
    """What is plain UTF-8 as text: in bytes, Python counts the offset of an error in bytes."""
    if program.startswith(b"\xef\xbb\xbf") or _coding(program):
        return program
    return program.decode()


def _coding(program):
    return CODING.search(b"\n".join(program.split(b"\n")[:2]))


def _by_file(program):
    """What Python says when it is to run that as a file. compile() takes such bytes as they come, and
    stumbles over them or not; the reader of files, which is what we stand in for, refuses them."""
    with tempfile.NamedTemporaryFile(suffix=".py") as f:
        f.write(program)
        f.flush()
        done = subprocess.run([sys.executable, "-I", "-S", f.name], stderr=subprocess.PIPE)
    text = done.stderr.decode("utf-8", "replace")
    found = FOREIGN.search(text)
    if found:
        message = found[1] + found[0][found[0].index(" on line") :]
        return Verdict("SyntaxError", int(found[2]), *[None] * 3, message, (), None)
    lines = re.findall(r"line (\d+)\n", text)
    kind, message = text.rstrip("\n").rsplit("\n", 1)[-1].split(": ", 1)
    return Verdict(kind, int(lines[-1]) if lines else None, *[None] * 3, message, (), None)


def same(ours, theirs, fields=6):
    """Whether they agree in what is known."""
    pairs = zip(ours[:fields], theirs[:fields])
    return all(t is None and i > 0 or o == t for i, (o, t) in enumerate(pairs))


def compiled(program):
    """What compile() says, with its warnings."""
    if _is_foreign(program):
        return _by_file(program)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            compile(_plain(program), "<program>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as e:
            return _error(e, _texts(found))
    return RIGHT._replace(warnings=_texts(found))


def parsed(program):
    """What ast.parse() says, with the whole tree as text."""
    if _is_foreign(program):
        return _by_file(program)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(_plain(program))
            return RIGHT._replace(dump=ast.dump(tree, include_attributes=True))
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as e:
            return _error(e)


class Crash(Exception):
    """Ours ended, or had to be ended."""


class Feed:
    """tests/python/feed.c, kept running; started anew after a crash."""

    def __init__(self, target=TARGET, prepare=None, patience=60):
        given = os.environ.get("GLOVEBOX") or os.path.join(ROOT, "build", "glovebox")
        self.path = os.environ.get("FEED") or os.path.join(
            os.path.dirname(os.path.abspath(given)), "tests", "feed"
        )
        self.target, self.prepare, self.child = target, prepare, None
        self.patience = patience  # seconds for an answer

    def start(self):
        if self.child:
            return
        self.child = subprocess.Popen(
            [self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=self.prepare
        )

    def ask(self, verb, program):
        self.start()
        try:
            head = verb.encode() + bytes([self.target]) + struct.pack("<I", len(program))
            self.child.stdin.write(head + program)
            self.child.stdin.flush()
            if not select.select([self.child.stdout], [], [], self.patience)[0]:
                self.child.kill()
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
        told = answer.rfind("\nwarning\t") + 1 if answer.startswith("warning\t") else -1
        if told >= 0:
            end = answer.index("\n", told) + 1
            for line in answer[: end - 1].split("\n"):
                _, kind, at, _, message = line.split("\t", 4)
                found.append((kind, int(at), message))
            answer = answer[end:]
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
