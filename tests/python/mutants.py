#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong programs, as they come about by accident: real ones with a token or a character deleted,
swapped, doubled or replaced, cut off, or indented otherwise. What compile() says of each, and what
we say: accepted or refused, line, place, text; and the warnings of those accepted.

    tests/python/mutants.py [--count N] [--seed N] [--show N] [--first N]

Mutant number n of a seed is always the same program, whatever N; --first begins elsewhere.
"""

import os
import random
import re
import sys
from collections import Counter

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import corpus  # noqa: E402
import oracle  # noqa: E402
from tap import alone, in_parts  # noqa: E402

# Rough, but it never fails: what it cuts need not be a token.
TOKEN = re.compile(
    rb"""[A-Za-z]{0,2}(?:'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")"""
    rb"""|[A-Za-z_0-9.\x80-\xff]+|\n[ \t]*|[ \t]+|\#[^\n]*"""
    rb"""|\*\*=?|//=?|<<=?|>>=?|[-+*/%&|^=!<>:@]=|->|.""",
    re.DOTALL,
)
WORDS = (
    b"False None True and as assert async await break class continue def del elif else except"
    b" finally for from global if import in is lambda nonlocal not or pass raise return try while"
    b" with yield match case _ type print exec x self 0 1.5 1_0 0x 1e 0777 1__0 5j '' 'a' \"b\""
    b" b'c' f'{x}' f'{x!r:>{y}}' f'{' f'}' f'{x' rb'\\d' '\\d' u'e' '''t''' \"\"\" ''' ' \" ( ) ["
    b" ] { } , : . ; @ = == != < > <= >= <> + - * / // % ** >> << & | ^ ~ := -> += -= *= /= //= %="
    b" @= &= |= ^= >>= <<= **= ... ! ? $ ` \\ \\\n # \t \x0c \xc3\xa9 \xe2\x82\xac \xc2\xa0"
    b" \xe2\x80\x9c async await"
).split(b" ")


def _is_token(piece):
    return not piece.isspace() and not piece.startswith(b"#")


class Mutator:
    def __init__(self, rng, text):
        self.rng = rng
        self.pieces = TOKEN.findall(text) or [b""]
        self.tokens = [i for i, p in enumerate(self.pieces) if _is_token(p)] or [0]
        self.lines = [i for i, p in enumerate(self.pieces) if p.startswith(b"\n")] or [0]

    def token(self):
        return self.rng.choice(self.tokens)

    def delete(self):
        self.pieces[self.token()] = b""

    def double(self):
        i = self.token()
        self.pieces[i] = self.rng.choice((b"", b" ")).join((self.pieces[i],) * 2)

    def swap(self):
        at = self.rng.randrange(len(self.tokens))
        i, j = self.tokens[at - 1], self.tokens[at]
        self.pieces[i], self.pieces[j] = self.pieces[j], self.pieces[i]

    def replace(self):
        self.pieces[self.token()] = self.rng.choice(WORDS)

    def replace_by_other(self):
        self.pieces[self.token()] = self.pieces[self.token()]

    def insert(self):
        space = self.rng.choice((b"", b" "))
        self.pieces[self.token()] += space + self.rng.choice(WORDS) + space

    def indent(self):
        i = self.rng.choice(self.lines)
        change = self.rng.choice((b" ", b"    ", b"\t", None, None, b"  \t", b"\x0c"))
        if change is None:
            self.pieces[i] = self.pieces[i][: 1 + self.rng.randrange(max(1, len(self.pieces[i])))]
        else:
            self.pieces[i] += change

    def join_lines(self):
        self.pieces[self.rng.choice(self.lines)] = self.rng.choice((b" ", b"", b";", b"\\\n"))

    def delete_line(self):
        at = self.rng.randrange(len(self.lines))
        end = self.lines[at + 1] if at + 1 < len(self.lines) else len(self.pieces)
        del self.pieces[self.lines[at] : end]

    def truncate(self):
        del self.pieces[self.rng.randrange(len(self.pieces)) :]

    def character(self):
        i = self.token()
        piece = self.pieces[i]
        at = self.rng.randrange(len(piece) + 1)
        new = bytes([self.rng.choice(b"\"'()[]{}:,.;=!\\#@$?`~ \n\t0a_xjeE\x00\x80\xff")])
        cut = self.rng.randrange(2)
        self.pieces[i] = piece[:at] + self.rng.choice((b"", new)) + piece[at + cut :]


HOW = (
    (Mutator.delete, 20),
    (Mutator.double, 10),
    (Mutator.swap, 12),
    (Mutator.replace, 16),
    (Mutator.replace_by_other, 10),
    (Mutator.insert, 12),
    (Mutator.indent, 6),
    (Mutator.join_lines, 3),
    (Mutator.delete_line, 3),
    (Mutator.truncate, 5),
    (Mutator.character, 12),
)


def mutant(pieces, seed, number):
    """The program of that number: one thing wrong with it, sometimes two."""
    rng = random.Random("%d %d" % (seed, number))
    mutator = Mutator(rng, rng.choice(pieces))
    for _ in range(1 if rng.random() < 0.85 else 2):
        (how,) = rng.choices([h for h, _ in HOW], [w for _, w in HOW])
        how(mutator)
        if not mutator.pieces:
            break
        mutator.__init__(rng, b"".join(mutator.pieces))
    return b"".join(mutator.pieces)


def all_pieces():
    """Every second file: the tests write down what is odd, the library what is usual."""
    found = []
    for path in corpus.files()[::2]:
        found += corpus.pieces(path)
    return found


PIECES = []  # set before the processes part


def judge(ours, theirs):
    """What differs, the worst first; None when nothing does."""
    if (ours.kind is None) != (theirs.kind is None):
        return "accepts what is wrong" if ours.kind is None else "refuses what is right"
    if theirs.kind is None:
        # Python repeats itself where it compiles a piece twice, such as the body of a `finally`.
        same = {w[:2] for w in ours.warnings} == {w[:2] for w in theirs.warnings}
        return None if same else "warnings"
    for what, i in (("line", 1), ("kind", 0), ("text", 5), ("offset", 2)):
        if theirs[i] is not None and ours[i] != theirs[i]:
            return what
    return None if oracle.same(ours, theirs) else "end"


def compare(numbers):
    """Counts, and the disagreements."""
    feed, counts, found = oracle.Feed(), Counter(), []
    for seed, number in numbers:
        program = mutant(PIECES, seed, number)
        theirs = oracle.compiled(program)
        try:
            ours = feed.verdict("c", program)
            what = judge(ours, theirs)
        except oracle.Crash as e:
            ours, what = oracle.RIGHT._replace(message=str(e)), "crash"
        both = ours.kind is not None and theirs.kind is not None
        counts.update(
            programs=1,
            refused=theirs.kind is not None,
            both=both,
            line=both and ours.line == theirs.line,
            text=both and ours.message == theirs.message,
            offset=both and oracle.same(ours, theirs, 3),
            end=both and oracle.same(ours, theirs, 5),
            warnings=what == "warnings",
        )
        if what:
            found.append((what, number, ours, theirs))
    feed.close()
    return counts, found


def report(tap, found, show):
    """The disagreements by kind, and some of each."""
    by_kind = {}
    for each in found:
        what, _, ours, theirs = each
        key = (what, theirs.message) if what == "text" else (what, theirs.message or ours.message)
        by_kind.setdefault(key, []).append(each)
    for (what, message), group in sorted(by_kind.items(), key=lambda p: -len(p[1]))[:show]:
        _, number, ours, theirs = group[0]
        tap.note("%5d  %s: %s" % (len(group), what, message[:90]))
        tap.note("       number %d, ours %r, theirs %r" % (number, ours[:7], theirs[:7]))


def test(tap, count=4000, seed=1, show=12, first=0):
    PIECES[:] = all_pieces()
    counts, found = Counter(), []
    numbers = [(seed, n) for n in range(first, first + count)]
    for some, more in in_parts(compare, numbers, 250):
        counts.update(some)
        found += more
    crashes = [f for f in found if f[0] == "crash"]
    verdicts = [f for f in found if f[0] in ("accepts what is wrong", "refuses what is right")]
    both = counts["both"] or 1
    percent = {k: 100 * counts[k] / both for k in ("line", "text", "offset", "end")}
    tap.note(
        "%d programs, %d refused by Python; accept/reject differs in %d; of those that both refuse"
        " the same line in %.2f %%, text %.2f %%, offset %.2f %%, end %.2f %%;"
        " warnings differ in %d"
        % (count, counts["refused"], len(verdicts), *percent.values(), counts["warnings"])
    )
    report(tap, found, show)
    tap.ok(not crashes, "no crash", *["number %d: %s" % (f[1], f[2].message) for f in crashes[:5]])
    tap.ok(
        len(verdicts) * 10000 < count or not verdicts,
        "accepted or refused as by Python, but for less than 1 in 10 000",
        *["number %d: %s: %r, %r" % (f[1], f[0], f[2][:6], f[3][:6]) for f in verdicts[:10]],
    )
    tap.ok(percent["line"] >= 99, "the same line in 99 %", "%.2f" % percent["line"])
    tap.ok(percent["text"] >= 95, "the same text in 95 %", "%.2f" % percent["text"])
    tap.ok(counts["warnings"] * 1000 <= count, "the same warnings in 999 of 1000")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--print"]:
        sys.stdout.buffer.write(mutant(all_pieces(), int(sys.argv[2]), int(sys.argv[3])))
    else:
        alone(test, __doc__, count=4000, seed=1, show=12, first=0)
