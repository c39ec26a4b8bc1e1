#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Programs made to hurt whoever reads them: a megabyte of one thing, or nesting without end. Ours
answers each of them on a stack of 1 MiB, within a ceiling of memory, in time that grows as the text
does; and where Python answers too, with the same verdict.
"""

import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import oracle  # noqa: E402
from tap import alone  # noqa: E402

MB = 1 << 20
STACK = 1 << 20
MEMORY = 2 << 30
SECONDS = 2.0  # for a megabyte
GROWTH = 3.5  # the time for twice the size, at most
SOON = 0.05  # seconds: too short to compare
NEWEST = 14
PATIENCE = 20  # seconds after which it is killed


def times(unit, end=""):
    """As many of it as fit into so many bytes."""
    return lambda size: (unit * (size // len(unit)) + end).encode()


def closed(left, middle, right):
    def make(size):
        n = size // (len(left) + len(right))
        return (left * n + middle + right * n + "\n").encode()

    return make


def lines(line, least=0):
    return lambda size: "".join(line % n for n in range(max(least, size // len(line)))).encode()


def nested_blocks(head, deepest):
    def make(size):
        depth, used, out = 0, 0, []
        while used < size:
            out.append(" " * min(depth, deepest) + head)
            used += len(out[-1])
            depth += 1
        return "".join(out).encode()

    return make


def nested_fstrings(quotes):
    def make(size):
        n, text = size // 5, "x"
        if quotes == "same":
            return ("f'{" * n + "x" + "}'" * n + "\n").encode()
        for quote in ("'", '"', "'''", '"""'):
            text = "f" + quote + "{" + text + "}" + quote
        return (("(" + text + ")\n") * (size // len(text))).encode()

    return make


def wide(before, each, after="\n"):
    return lambda size: (before + each * (size // len(each)) + after).encode()


def numbered(before, each, between, after):
    def make(size):
        n = size // (len(each) + len(between) + 4)
        return (before + between.join(each % i for i in range(n)) + after).encode()

    return make


# name: what makes so many bytes of it
CASES = {
    # brackets and operators that nest to the right or the left
    "( open": times("("),
    "[ open": times("["),
    "{ open": times("{"),
    "([{ open": times("([{"),
    "( closed": closed("(", "x", ")"),
    "[ closed": closed("[", "x", "]"),
    "{ closed": closed("{", "x", "}"),
    "{1: closed": closed("{1:", "x", "}"),
    "() in a row": wide("x", "()"),
    "closing": times(")"),
    "not": wide("", "not ", "x\n"),
    "- ": wide("", "-", "x\n"),
    "~": wide("", "~", "x\n"),
    "+-": wide("", "+-", "x\n"),
    "await": wide("", "await ", "x\n"),
    "lambda:": wide("", "lambda:", "x\n"),
    "lambda x=": wide("", "lambda x=", "x\n"),
    "a.": wide("", "a.", "a\n"),
    "a[": times("a["),
    "a[ closed": closed("a[", "x", "]"),
    "[0] in a row": wide("a", "[0]"),
    "f(": times("f("),
    "f( closed": closed("f(", "x", ")"),
    "f(a= closed": closed("f(a=", "x", ")"),
    "x if y else": wide("", "x if y else ", "z\n"),
    "x if (": times("x if ("),
    "1+": wide("", "1+", "1\n"),
    "a**": wide("", "a**", "a\n"),
    "a@": wide("", "a@", "a\n"),
    "a or": wide("", "a or ", "a\n"),
    "a and b or": wide("", "a and b or ", "a\n"),
    "a<": wide("", "a<", "a\n"),
    "a is not": wide("", "a is not ", "a\n"),
    "a if": wide("", "a if ", "a\n"),
    "*": wide("", "*"),
    "* and , ": wide("", "*a,"),
    "yield": wide("", "(yield ", "x\n"),
    ":=": wide("(", "a:=", "1)\n"),
    "a=": wide("", "a=", "1\n"),
    "a:": wide("", "a:", "1\n"),
    "for x in": wide("[x ", "for x in y ", "]\n"),
    "if in comprehension": wide("[x for x in y ", "if z ", "]\n"),
    "[x for x in": wide("", "[x for x in ", "\n"),
    "->": wide("def f()", "->"),
    "!": wide("", "!"),
    ":": wide("", ":"),
    ": in a subscript": wide("a[", "::,", "]\n"),
    "commas": wide("", ","),
    "a, a, a": wide("", "a,"),
    "semicolons": wide("a", ";a"),
    ";;": wide("", ";"),
    "@": wide("", "@"),
    "...": wide("", "..."),
    "dots of an import": wide("from ", ".", " import x\n"),
    # f-strings
    "f'{": times("f'{"),
    'f"""{': times('f"""{'),
    "f'{ closed, the same quotes": nested_fstrings("same"),
    "f-strings in each other": nested_fstrings("other"),
    "f'{x:{x:{": wide("f'", "{x:", "'\n"),
    "f'{x:{y}}' fields": wide("f'", "{x:{y}}", "'\n"),
    "f'{{": wide("f'", "{{", "'\n"),
    "f'}": wide("f'", "}", "'\n"),
    "f'{(((": wide("f'{", "(", "'\n"),
    "f'{!r": wide("f'", "{x!r}", "'\n"),
    "f'{x=": wide("f'", "{x=}", "'\n"),
    "f'{not not": wide("f'{", "not ", "x}'\n"),
    "f'\\N{": wide("f'", "\\N{BULLET}", "'\n"),
    "f-strings in a row": wide("", "f'{x}'"),
    # lines
    "backslashes": wide("", "\\"),
    "backslash newline": wide("", "\\\n", "x\n"),
    "a \\newline + in brackets": wide("(", "a+\\\n", "a)\n"),
    "newlines": wide("", "\n"),
    "newlines in brackets": wide("(", "\n", ")\n"),
    "carriage returns": wide("", "\r"),
    "form feeds": wide("", "\f"),
    "comments": wide("", "#\n"),
    "one comment": wide("#", "x"),
    "spaces": wide("", " "),
    "tabs": wide("", "\t"),
    "spaces before a name": wide("", " ", "x\n"),
    "x": wide("", "x\n"),
    "if x: nested, one space more each": nested_blocks("if x:\n", 10**9),
    "if x: nested up to 99": nested_blocks("if x:\n", 99),
    "while x: nested up to 20": nested_blocks("while x:\n", 20),
    "indent, dedent": wide("", "if x:\n y\n"),
    "dedent to nowhere": wide("", "if x:\n  y\n z\n"),
    "elif": lambda size: ("if x:\n p\n" + "elif x:\n p\n" * (size // 11)).encode(),
    "else if": lambda size: ("if x: p\n" + "else: p\n" * (size // 8)).encode(),
    "except": lambda size: ("try:\n p\n" + "except x:\n p\n" * (size // 13)).encode(),
    "case": lambda size: ("match x:\n" + " case 1:\n  p\n" * (size // 13)).encode(),
    "case [": lambda size: ("match x:\n case " + "[" * size + ":\n  p\n").encode(),
    "case |": lambda size: ("match x:\n case " + "1|" * (size // 2) + "1:\n  p\n").encode(),
    "case .": lambda size: ("match x:\n case " + "a." * (size // 2) + "a:\n  p\n").encode(),
    "match": wide("", "match "),
    "match(": wide("", "match("),
    "decorators": wide("", "@a\n", "def f(): pass\n"),
    "async": wide("", "async "),
    "def f(": times("def f("),
    "with (": wide("with (", "a as b,", "): pass\n"),
    "with (a, ": wide("with (", "a,", "): pass\n"),
    "with ((": times("with ("),
    "global": wide("global a", ",a"),
    "del (": times("del ("),
    "import": wide("import a", ".a"),
    "import a as b": wide("import a", ",a as b"),
    "print": wide("", "print "),
    "names in a row": wide("", "a "),
    "numbers in a row": wide("", "1 "),
    "keywords in a row": wide("", "if "),
    "functions": lines("def f%d(a, b=1, *c, d, **e): return a\n"),
    "parameters": numbered("def f(", "a%d", ",", "): pass\n"),
    "parameters with defaults": numbered("def f(", "a%d=1", ",", "): pass\n"),
    "the same parameter": wide("def f(", "a,", "): pass\n"),
    "arguments": numbered("f(", "a%d=1", ",", ")\n"),
    "the same argument": wide("f(", "a=1,", ")\n"),
    "* arguments": wide("f(", "*a,", ")\n"),
    "names": lines("n%d = 1\n"),
    "nested functions' names": numbered("def f():\n global ", "a%d", ",", "\n"),
    "classes' private names": lines("class C%d: __a = 1\n"),
    "slices": wide("a[", "1:2,", "]\n"),
    # long tokens
    "string": wide("'", "x", "'\n"),
    "string without end": wide("'", "x", ""),
    "triple string without end": wide("'''", "x\n", ""),
    "quotes": wide("", "'"),
    "strings in a row": wide("", "'a'"),
    "strings in a row over lines": wide("(", "'a'\n", ")\n"),
    "escapes": wide("'", "\\n", "'\n"),
    "wrong escapes": wide("'", "\\d", "'\n"),
    "wrong unicode escapes": wide("'", "\\u12", "'\n"),
    "bytes": wide("b'", "\\xff", "'\n"),
    "number": wide("", "1"),
    "0s": wide("", "0"),
    "hexadecimal": wide("0x", "f"),
    "binary": wide("0b", "1"),
    "float": wide("1.", "1"),
    "exponent": wide("1e", "1"),
    "_ in a number": wide("1", "_1"),
    "name": wide("", "x"),
    "name that is not ASCII": wide("", "é"),
    "name of combining marks": wide("a", "\u0301"),
    "name of ligatures": wide("a", "ﷺ"),
    "warnings on many lines": wide("", "'\\d'\n"),
    "other warnings on many lines": wide("", "x is 1\n"),
    "numbers that warn": wide("", "1if 1else 1\n"),
    "invalid characters": wide("", "€"),
    "BOM in the middle": wide("x = 1\n", "\ufeff"),
    "question marks": wide("", "?"),
}
RAW = {
    "NUL": lambda size: b"\0" * size,
    "NUL at the end": lambda size: b"x\n" * (size // 2) + b"\0",
    "not UTF-8": lambda size: b"\xff" * size,
    "not UTF-8 at the end": lambda size: b"x = 1\n" * (size // 6) + b"# \xe9\n",
    "a sequence cut off": lambda size: b"'" + b"\xf0\x9f\x98" * (size // 3) + b"'\n",
    "surrogates": lambda size: b"'" + b"\xed\xa0\x80" * (size // 3) + b"'\n",
    "coding: latin-1": lambda size: b"# coding: latin-1\n" + b"'\xe9'\n" * (size // 4),
    "coding: unknown": lambda size: b"# coding: " + b"x" * size + b"\n",
    "coding: utf-7": lambda size: b"# coding: utf-7\n" + b"+AGE-\n" * (size // 6),
    "UTF-16": lambda size: b"\xff\xfe" + "x = 1\n".encode("utf-16-le") * (size // 12),
}
# Read by Python and not by us, and we say so.
NOT_OURS = ("coding: utf-7",)
DEPTHS = (20, 90, 99, 100, 101, 195, 200, 201, 32768)


def bounded():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def mortal():
    bounded()
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))


def processor_time(pid):
    """Seconds that a process has had so far; unlike a clock it does not care who else is busy."""
    return time.clock_gettime(~pid << 3 | 2)  # what clock_getcpuclockid(3) gives


def timed(feed, program):
    """The verdict of the second of two rounds, and the shorter time."""
    best = 1e9
    for _ in range(2):
        feed.start()
        begin = processor_time(feed.child.pid)
        verdict = feed.verdict("c", program)
        best = min(best, processor_time(feed.child.pid) - begin)
    return verdict, best


def _answer(program, pipe):
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pipe.send(oracle.compiled(program)[:6])


def of_python(program, seconds=2):
    """What Python says, if it survives and says it soon; else None."""
    ours, theirs = multiprocessing.Pipe(False)
    child = multiprocessing.Process(target=_answer, args=(program, theirs))
    child.start()
    theirs.close()
    verdict = None
    try:
        verdict = ours.recv() if ours.poll(seconds) else None
    except EOFError:
        pass
    child.kill()
    child.join()
    # It has its own ceilings of nesting and memory, which are no property of the program.
    return None if verdict and verdict[0] in ("RecursionError", "MemoryError") else verdict


def measured(feed, make, size):
    """The verdict, its time, and what is wrong with that."""
    _, short = timed(feed, make(size // 2))
    verdict, long = timed(feed, make(size))
    if long > SECONDS * size / MB:
        return verdict, long, ["%.2f s for %d bytes" % (long, size)]
    if long > SOON and long > GROWTH * short:
        # Memory new to the process costs once; what is quadratic goes on so.
        _, longer = timed(feed, make(2 * size))
        if longer > GROWTH * long:
            return verdict, long, ["%.3f s, %.3f s, %.3f s" % (short, long, longer)]
    return verdict, long, []


def too_slow(feed, make, size):
    """The same, of three tries: what is slow stays so, and the machine may have other things to do."""
    for _ in range(3):
        verdict, long, bad = measured(feed, make, size)
        if not bad:
            break
    return verdict, long, bad


def one(tap, feeds, name, make, size):
    said, wrong = [], []
    for feed in feeds:
        try:
            verdict, seconds, bad = too_slow(feed, make, size)
            said.append("%s (%.0f ms)" % ((verdict.message or "accepted")[:60], seconds * 1000))
            wrong += ["3.%d: %s" % (feed.target, b) for b in bad]
        except oracle.Crash as e:
            wrong.append("3.%d: crash: %s" % (feed.target, e))
    tap.ok(not wrong, "a megabyte of %s: %s" % (name, " / ".join(said).replace("#", "?")), *wrong)


def shallow(feed, make):
    """Where our verdict on moderate nesting is not Python's."""
    wrong = []
    for depth in DEPTHS:
        program = make(depth * 2)
        theirs = of_python(program)
        ours = feed.verdict("c", program)
        if theirs and depth > 300 and ours.kind != "RecursionError":
            if (ours.kind is None) != (theirs[0] is None):
                wrong.append("64 KiB: ours %r, theirs %r" % (ours[:6], theirs))
        elif theirs and depth < 300 and not oracle.same(ours, theirs):
            wrong.append("%d bytes: ours %r, theirs %r" % (len(program), ours[:6], theirs))
    return wrong


def by_command(name, make, size):
    """What is wrong when the whole of `glovebox check` reads it, with every rule of the guard."""
    glovebox = os.environ.get("GLOVEBOX") or os.path.join(oracle.ROOT, "build", "glovebox")
    with tempfile.NamedTemporaryFile(suffix=".py") as f:
        f.write(make(size))
        f.flush()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [glovebox, "check", "--profile", "strict", "--json", f.name]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, preexec_fn=mortal)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode not in (0, 1):
        return ["%s: exit status %d" % (name, done.returncode)]
    return ["%s: %.2f s" % (name, seconds)] if seconds > SECONDS * size / MB + SOON else []


def test(tap, size=MB, only=""):
    feed = oracle.Feed(prepare=bounded, patience=PATIENCE)
    newest = oracle.Feed(NEWEST, bounded, PATIENCE)
    cases = {**CASES, **RAW}
    for name, make in cases.items():
        if only in name:
            one(tap, (feed, newest), name, make, size)
    found = []
    for name, make in cases.items():
        if only in name and name not in NOT_OURS:
            try:
                found += ["%s: %s" % (name, w) for w in shallow(feed, make)]
            except oracle.Crash as e:
                found.append("%s: crash: %s" % (name, e))
    tap.ok(not found, "the same verdicts as Python's while sizes are moderate", *found[:40])
    found = []
    for name, make in cases.items():
        if only in name:
            found += by_command(name, make, size // 4)
    tap.ok(not found, "the guard reads them as well", *found)
    feed.close()
    newest.close()


if __name__ == "__main__":
    alone(test, __doc__, size=MB, only="")
