# SPDX-License-Identifier: Apache-2.0
"""Random programs that are right: every statement and expression of the language, written as nobody
would write it. A program is made of lists of tokens; `join` puts what it likes between them."""

import random
import re

OPERATORS = set(
    "( ) [ ] { } : , ; + - * / | & < > = . % == != <= >= ~ ^ << >> ** += -= *= /= %= &= |= ^= <<="
    " >>= **= // //= @ @= -> ... := ! <>".split()
)
WORDS = (
    "a b c x y z self cls foo_bar _ __private __dunder__ T1 match case type print str exec async_ i"
    " été ﬁn µ 变量 𝔘nicode ᵢ_x ªb Ωmega x·y o\u0301ne"
).split()
MODULES = "os a.b a.b.c _x été.ß".split()
SPACES = ("", "", "", "", "", "", " ", " ", " ", "  ", "\t", "\\\n", " \\\n  ", "\x0c")
ESCAPES = (
    r"\n \t \\ \' \" \0 \101 \x41 \u00e9 \U0001F600 \N{BULLET} \a\b\f\r\v"
    r" \ud800 \d \( \8 \777"
).split() + ["\\\n", r"\N{latin small letter a}"]
CHARACTERS = ["a", "b", "Z", "0", " ", "  ", "%s", "#", "é", "ß", "语", "😀"]
CHARACTERS += ["\t", "\xa0", "~", "!", ":"]
BINARY = {
    "|": 6,
    "^": 7,
    "&": 8,
    "<<": 9,
    ">>": 9,
    "+": 10,
    "-": 10,
    "*": 11,
    "/": 11,
    "//": 11,
    "%": 11,
    "@": 11,
}
COMPARE = [op.split() for op in ("<", ">", "==", "!=", "<=", ">=", "is", "is not", "in", "not in")]
QUOTES = ("'", '"', "'''", '"""')


def flat(tokens):
    if isinstance(tokens, str):
        yield tokens
        return
    for each in tokens:
        yield from flat(each)


def commas(items, trailing=False):
    out = []
    for i, item in enumerate(items):
        out += [",", item] if i else [item]
    return out + [","] if trailing else out


def glued(left, right):
    """Whether two tokens side by side without a space would be read as something else."""
    a, b = left[-1:], right[:1]
    if not a or not b:
        return False
    word = a.isalnum() or a in "_·\u0301" or ord(a) > 127
    if word and (b.isalnum() or b in "_'\"" or ord(b) > 127):
        return True
    if a in "'\"" and a == b:
        return True
    if (left[0].isdigit() and b == ".") or (a == "." and b.isdigit()):
        return True
    if a == "." and left != "." and left != "...":  # a number such as "1."
        return b.isalnum() or b in "._"
    return any((left[-k:] + right[:1]) in OPERATORS for k in (1, 2)) and not word


class Generator:
    def __init__(self, seed, version):
        self.rng = random.Random(seed)
        self.version = version
        self.budget = self.rng.choice((20, 60, 200))
        self.quotes = QUOTES  # that a string may have here
        self.in_field = 0  # depth of f-string fields around
        self.one_line = False  # no line may end here

    # ---- chance ----

    def one(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p):
        return self.rng.random() < p

    def several(self, make, least=0, most=3):
        return [make() for _ in range(self.rng.randint(least, most))]

    # ---- between tokens ----

    def space(self, needed, depth):
        if self.chance(0.75):
            return " " if needed else ""
        if self.in_field and self.version < 12:
            choices = (" ", "  ", "\t") if self.one_line or not depth else (" ", "\n", "\n  ")
            return self.one(*choices)
        if depth and not self.one_line and self.chance(0.3):
            return self.one("\n", "\n\n   ", " # comment '\n", "\r\n"[1:], "\n\t# é\n  ")
        found = self.one(*SPACES)
        if self.one_line and "\n" in found:
            found = " "
        return found or (" " if needed else "")

    def join(self, tokens, depth=0):
        out, last = [], ""
        for token in flat(tokens):
            if last:
                out.append(self.space(glued(last, token), depth))
            out.append(token)
            if token in ("(", "[", "{"):
                depth += 1
            elif token in (")", "]", "}"):
                depth -= 1
            last = token
        return "".join(out)

    # ---- atoms ----

    def name(self):
        return self.one(*WORDS)

    def digits(self, alphabet="0123456789", most=6):
        n = self.rng.randint(1, most)
        text = "".join(self.rng.choice(alphabet) for _ in range(n))
        return text[0] + "_" + text[1:] if n > 2 and self.chance(0.2) else text

    def number(self):
        kind = self.rng.randrange(10)
        first = self.one(*"123456789")
        if kind < 3:
            return self.one("0", "1", "00", "0_0", first + self.digits(most=3))
        if kind == 3:
            return first + self.digits(most=60)
        if kind == 4:
            return self.one("0x", "0X", "0x_") + self.digits("0123456789abcdefABCDEF", most=30)
        if kind == 5:
            if self.chance(0.5):
                return self.one("0b", "0B") + self.digits("01")
            return self.one("0o", "0O") + self.digits("01234567", most=24)
        whole, part = self.digits(), self.digits()
        text = self.one(whole + ".", "." + part, whole + "." + part, whole)
        if "." not in text or self.chance(0.3):
            text += self.one("e", "E") + self.one("", "+", "-") + self.digits(most=3)
        return text + self.one("", "", "j", "J")

    def characters(self, quote, raw, plain, no_escapes=False):
        """What may stand in a string between these quotes."""
        out = []
        for _ in range(self.rng.randint(0, 6)):
            if self.chance(0.25) and not no_escapes:
                escape = self.one(*ESCAPES)
                if raw and escape in ("\\'", '\\"', "\\\n") or plain and "N{" in escape:
                    continue
                out.append(escape)
            elif self.chance(0.1) and len(quote) == 3 and not self.one_line:
                out.append(self.one("\n", "\n\n  "))
            else:
                out.append(self.one(*CHARACTERS))
        text = "".join(out)
        if self.one_line:
            text = text.replace("\n", "")
            if text.endswith("\\") and not text.endswith("\\\\"):
                text += "n"
        return text

    def plain_string(self, quote):
        raw = self.chance(0.2)
        prefix = self.one("r", "R") if raw else self.one("", "", "", "u", "U")
        if self.in_field and self.version < 12:
            return prefix + quote + self.one("a", "", "b c", "é", ":", "!r") + quote
        return prefix + quote + self.characters(quote, raw, False) + quote

    def bytes_string(self, quote):
        raw = self.chance(0.3)
        prefix = self.one("rb", "Rb", "bR", "br") if raw else self.one("b", "B")
        if self.in_field and self.version < 12:
            return prefix + quote + "a" + quote
        text = self.characters(quote, raw, True).encode("ascii", "ignore").decode()
        return prefix + quote + text + quote

    def format_string(self, quote, letter="f"):
        raw = self.chance(0.2)
        prefix = self.one(letter, letter.upper())
        if raw:
            prefix = self.one(prefix + "r", "r" + prefix, "R" + prefix)
        kept = self.quotes, self.one_line
        bare = bool(self.in_field) and self.version < 12
        if self.version < 12:
            self.quotes = tuple(q for q in self.quotes if q[0] != quote[0])
            self.one_line = self.one_line or len(quote) == 1
        out = []
        for _ in range(self.rng.randint(0, 3)):
            if self.chance(0.6):
                out.append(self.field(0, len(quote)))
            elif bare:
                out.append(self.one("a", " ", "{{", "}}"))
            else:
                text = self.characters(quote, raw, False)
                text = re.sub(r"\\N\{[^}]*\}?", "N", text)
                out.append(text + self.one("", "", "{{", "}}"))
        self.quotes, self.one_line = kept
        text = "".join(out)
        return prefix + quote + text + quote

    def field(self, depth, width):
        """{expression = !r :spec}"""
        self.in_field += 1
        one_line = self.one_line
        if self.version >= 12 and depth:
            self.one_line = True
        tokens = list(flat(self.expr(2) if self.chance(0.9) else self.one_of_star()))
        text = self.join(tokens, depth=1)
        if text[:1] == "{":
            text = " " + text
        text += " " if text[-1:] in "}=!<>" or self.chance(0.1) else ""
        if self.version >= 12 and self.chance(0.05) and not self.one_line:
            text += "# note\n"
        if self.chance(0.15):
            text += self.one("=", " = ", "=  ")
        if self.chance(0.25):
            text += self.one("!r", "!s", "!a")
        if self.chance(0.3):
            text += ":" + self.spec(depth, width)
        self.in_field -= 1
        self.one_line = one_line
        return "{" + text + "}"

    def spec(self, depth, width):
        out = [self.one("", ">10", "x", ".2f", "%Y-%m", "é<", ",", " ", "=+8", "!r", ":")]
        if depth < 1 and self.chance(0.5):
            out.append(self.field(depth + 1, width))
            out.append(self.one("", ".3", "d"))
        return "".join(out)

    def one_of_star(self):
        return self.one(["yield"], ["*", self.expr(6), ","], ["yield", "from", self.expr(15)])

    def string(self):
        if not self.quotes:
            return self.name()
        kind = self.rng.randrange(10)
        if kind == 0:
            return [self.bytes_string(self.one(*self.quotes)) for _ in range(self.one(1, 1, 2))]
        if kind == 1 and self.version >= 14:
            return [self.format_string(self.one(*self.quotes), "t") for _ in range(self.one(1, 2))]
        parts = []
        for _ in range(self.one(1, 1, 1, 2, 3)):
            make = self.format_string if self.chance(0.35) and self.spend() else self.plain_string
            parts.append(make(self.one(*self.quotes)))
        return parts

    def atom(self):
        kind = self.rng.randrange(12)
        if kind < 5:
            return self.name()
        if kind < 7:
            return self.number()
        if kind < 9:
            return self.string()
        return self.one("None", "True", "False", "...", ["(", ")"], ["[", "]"], ["{", "}"])

    # ---- expressions: expr(n) binds at least as tightly as level n ----

    def spend(self):
        self.budget -= 1
        return self.budget > 0

    def expr(self, level=1):
        if not self.spend() or self.chance(0.2):
            return self.atom()
        own, make = self.rng.choice(self.EXPRESSIONS)
        tokens = make(self)
        return ["(", tokens, ")"] if own < level or self.chance(0.04) else tokens

    def ternary(self):
        return [self.expr(2), "if", self.expr(2), "else", self.expr(1)]

    def lambda_(self):
        return ["lambda", self.parameters(False), ":", self.expr(1)]

    def boolean(self, word, level):
        return [self.expr(level + 1), [[word, self.expr(level + 1)] for _ in range(self.one(1, 2))]]

    def comparison(self):
        return [
            self.expr(6),
            [[self.one(*COMPARE), self.expr(6)] for _ in range(self.one(1, 1, 2))],
        ]

    def binary(self):
        op = self.one(*BINARY)
        return BINARY[op], [self.expr(BINARY[op]), op, self.expr(BINARY[op] + 1)]

    def binary_any(self):
        own, tokens = self.binary()
        return tokens if own >= 11 else ["(", tokens, ")"]

    def power(self):
        return [self.expr(14), "**", self.expr(12)]

    def call(self):
        return [self.expr(15), "(", self.call_arguments(), ")"]

    def call_arguments(self):
        if self.chance(0.1):
            return [self.expr(1), self.comp_for()]
        plain = self.several(self.argument, 0, 2)
        named = self.several(lambda: [self.name(), "=", self.expr(1)], 0, 2)
        if named and self.chance(0.2):
            named.append(["*", self.expr(1)])
        if self.chance(0.15):
            named.append(["**", self.expr(1)])
        return commas(plain + named, bool(plain + named) and self.chance(0.2))

    def argument(self):
        kind = self.rng.randrange(8)
        if kind == 0:
            return ["*", self.expr(1)]
        if kind == 1:
            return [self.name(), ":=", self.expr(1)]
        return self.expr(1)

    def subscript(self):
        items = self.several(self.index, 1, 2)
        return [self.expr(15), "[", commas(items, self.chance(0.1)), "]"]

    def index(self):
        kind = self.rng.randrange(6)
        if kind < 2:
            ends = [self.expr(1) if self.chance(0.6) else [] for _ in range(3)]
            return [ends[0], ":", ends[1], [":", ends[2]] if self.chance(0.4) else []]
        if kind == 2:
            return ["*", self.expr(6)]
        if kind == 3:
            return [self.name(), ":=", self.expr(1)]
        return self.expr(1)

    def element(self):
        kind = self.rng.randrange(8)
        if kind == 0:
            return ["*", self.expr(6)]
        if kind == 1:
            return [self.name(), ":=", self.expr(1)]
        return self.expr(1)

    def display(self):
        left, right = self.one(("[", "]"), ("{", "}"))
        return [left, commas(self.several(self.element, 1, 3), self.chance(0.2)), right]

    def tuple_(self):
        items = self.several(self.element, 1, 3)
        return ["(", commas(items, len(items) == 1 or self.chance(0.2)), ")"]

    def dict_(self):
        def item():
            if self.chance(0.2):
                return ["**", self.expr(6)]
            return [self.expr(1), ":", self.expr(1)]

        return ["{", commas(self.several(item, 1, 3), self.chance(0.2)), "}"]

    def comp_for(self):
        out = []
        for _ in range(self.one(1, 1, 1, 2)):
            out += ["async"] if self.chance(0.1) else []
            out += ["for", self.targets(), "in", self.expr(2)]
            for _ in range(self.one(0, 0, 1, 2)):
                out += ["if", self.expr(2)]
        return out

    def comprehension(self):
        kind = self.rng.randrange(4)
        if kind == 0:
            return ["{", self.expr(1), ":", self.expr(1), self.comp_for(), "}"]
        left, right = ("[", "]", "{", "}", "(", ")")[2 * kind - 2 : 2 * kind]
        head = self.expr(1) if self.chance(0.9) else [self.name(), ":=", self.expr(1)]
        return [left, head, self.comp_for(), right]

    def yield_(self):
        kind = self.rng.randrange(3)
        if kind == 0:
            return ["yield"]
        return ["yield", self.star_expressions()] if kind == 1 else ["yield", "from", self.expr(1)]

    EXPRESSIONS = (
        (1, ternary),
        (1, lambda_),
        (2, lambda s: s.boolean("or", 2)),
        (3, lambda s: s.boolean("and", 3)),
        (4, lambda s: ["not", s.expr(4)]),
        (5, comparison),
        (11, binary_any),
        (11, binary_any),
        (12, lambda s: [s.one("+", "-", "~"), s.expr(12)]),
        (13, power),
        (14, lambda s: ["await", s.expr(15)]),
        (15, call),
        (15, call),
        (15, subscript),
        (15, lambda s: [s.expr(15), ".", s.name()]),
        (15, lambda s: [s.expr(15), ".", s.name()]),
        (16, display),
        (16, tuple_),
        (16, dict_),
        (16, comprehension),
        (0, lambda s: [s.name(), ":=", s.expr(1)]),
        (0, yield_),
        (16, string),
    )

    def star_expressions(self):
        def item():
            return ["*", self.expr(6)] if self.chance(0.15) else self.expr(1)

        items = self.several(item, 1, 3)
        star = list(flat(items))[:1] == ["*"]
        return commas(items, (len(items) == 1 and star) or self.chance(0.1))

    # ---- targets and parameters ----

    def target(self):
        kind = self.rng.randrange(8)
        if kind < 4:
            return self.name()
        if kind == 4:
            return [self.name(), ".", self.name()]
        if kind == 5:
            return [self.name(), "[", self.index(), "]"]
        inner = self.targets()
        return self.one(["(", inner, ")"], ["[", inner, "]"], ["(", self.name(), ")"])

    def targets(self):
        items = self.several(self.target, 1, 2)
        if self.chance(0.15):
            items.insert(self.rng.randrange(len(items) + 1), ["*", self.name()])
        star = list(flat(items))[0] == "*"
        return commas(items, len(items) == 1 and star or self.chance(0.1))

    def parameters(self, annotated=True):
        used = list(dict.fromkeys(WORDS))
        self.rng.shuffle(used)

        def one(default):
            out = [used.pop()]
            out += [":", self.expr(1)] if annotated and self.chance(0.3) else []
            return out + (["=", self.expr(1)] if default else [])

        items, defaults = [], False
        for _ in range(self.rng.randint(0, 3)):
            defaults = defaults or self.chance(0.2)
            items.append(one(defaults))
        if items and self.chance(0.15):
            items.insert(self.rng.randint(1, len(items)), "/")
        if self.chance(0.25):
            star = ["*", used.pop()]
            if annotated and self.chance(0.3):
                star += [":", self.one([], ["*"]), self.expr(6)]
            named = [one(self.chance(0.5)) for _ in range(self.rng.randint(0, 2))]
            items += [star if not named or self.chance(0.6) else "*"] + named
        if self.chance(0.15):
            items.append(["**", one(False)])
        return commas(items, bool(items) and items[-1] != "*" and self.chance(0.1))

    def type_parameters(self):
        if self.version < 12 or self.chance(0.6):
            return []

        def one():
            star = self.one("", "", "*", "**")
            out = [star] if star else []
            out.append(self.name())
            out += [":", self.expr(1)] if not star and self.chance(0.4) else []
            if self.version >= 13 and self.chance(0.3):
                out += ["=", ["*"] if star == "*" and self.chance(0.3) else [], self.expr(6)]
            return out

        return ["[", commas(self.several(one, 1, 3), self.chance(0.1)), "]"]

    # ---- patterns ----

    def pattern(self, depth=0):
        alternatives = [self.closed_pattern(depth) for _ in range(self.one(1, 1, 1, 2))]
        out = [alternatives[0], [["|", a] for a in alternatives[1:]]]
        return [out, "as", self.capture()] if self.chance(0.15) else out

    def capture(self):
        return self.one(*(w for w in WORDS if w != "_"))

    def closed_pattern(self, depth):
        kind = self.rng.randrange(9 if depth < 3 else 5)
        if kind == 0:
            return self.capture()
        if kind == 1:
            return "_"
        if kind == 2:
            number = self.one("1", "0x1F", "1.5", "2j")
            complex_ = [self.one("1", "2.5"), self.one("+", "-"), "3j"]
            return self.one([], ["-"]), self.one(number, complex_)
        if kind == 3:
            return self.one("None", "True", "False", "'a'", "b'c'", ["'a'", '"b"'])
        if kind == 4:
            return [self.name(), ".", self.name()]
        if kind == 5:
            left, right = self.one(("[", "]"), ("(", ")"))
            items = self.several(lambda: self.pattern(depth + 1), 0, 3)
            if self.chance(0.3):
                items.insert(self.rng.randint(0, len(items)), ["*", self.one("_", self.capture())])
            return [left, commas(items, len(items) == 1 or bool(items) and self.chance(0.2)), right]
        if kind == 6:

            def item():
                key = self.one("1", "'k'", ["-", "1"], "None", ["a", ".", "b"])
                return [key, ":", self.pattern(depth + 1)]

            items = self.several(item, 0, 2)
            items += [["**", self.capture()]] if self.chance(0.3) else []
            return ["{", commas(items, bool(items) and self.chance(0.2)), "}"]
        if kind == 7:
            items = self.several(lambda: self.pattern(depth + 1), 0, 2)
            named = self.several(lambda: [self.name(), "=", self.pattern(depth + 1)], 0, 2)
            items += named
            call = ["(", commas(items, bool(items) and self.chance(0.2)), ")"]
            return [self.name(), self.one([], [".", self.name()]), call]
        return ["(", self.pattern(depth + 1), ")"]

    # ---- statements: lists of tokens without the end of the line ----

    def assignment(self):
        value = self.one(self.star_expressions, self.yield_, lambda: self.expr(1))
        kind = self.rng.randrange(5)
        if kind == 0:
            op = self.one(*"+= -= *= /= //= %= @= &= |= ^= <<= >>= **=".split())
            place = self.one(
                self.name(), [self.name(), ".", self.name()], [self.name(), "[", self.index(), "]"]
            )
            return [place, op, value()]
        if kind == 1:
            place = self.one(
                self.name(),
                ["(", self.name(), ")"],
                [self.name(), ".", self.name()],
                [self.name(), "[", self.expr(1), "]"],
            )
            return [place, ":", self.expr(1), ["=", value()] if self.chance(0.6) else []]
        return [[[self.targets(), "="] for _ in range(self.one(1, 1, 2))], value()]

    def module(self):
        return self.one(*MODULES).replace(".", " . ").split()

    def import_(self):
        def alias():
            return [self.module(), self.one([], ["as", self.name()])]

        if self.chance(0.4):
            return ["import", commas(self.several(alias, 1, 2))]
        dots = self.one([], [], ["."], ["..."], [".", "...", "."])
        module = self.module() if not dots or self.chance(0.6) else []
        names = commas(
            self.several(lambda: [self.name(), self.one([], ["as", self.name()])], 1, 3)
        )
        names = self.one(["*"], names, ["(", names, self.one([], [","]), ")"])
        return ["from", dots, module, "import", names]

    def simple(self):
        rng = self.rng.randrange(17)
        if rng < 5:
            return self.assignment()
        if rng < 8:
            return self.star_expressions()
        if rng == 8:
            return self.import_()
        if rng == 9:
            return ["return", self.star_expressions() if self.chance(0.7) else []]
        if rng == 10:
            cause = ["from", self.expr(1)] if self.chance(0.4) else []
            return ["raise", [self.expr(1), cause] if self.chance(0.8) else []]
        if rng == 11:
            return ["assert", self.expr(1), [",", self.expr(1)] if self.chance(0.4) else []]
        if rng == 12:
            return ["del", commas(self.several(self.deleted, 1, 3), self.chance(0.1))]
        if rng == 13:
            return [self.one("global", "nonlocal"), commas(self.several(self.name, 1, 3))]
        if rng == 14 and self.version >= 12:
            return ["type", self.name(), self.type_parameters(), "=", self.expr(1)]
        return self.one("pass", "break", "continue", self.yield_())

    def deleted(self):
        kind = self.rng.randrange(5)
        if kind == 0:
            return [self.name(), ".", self.name()]
        if kind == 1:
            return [self.name(), "[", self.index(), "]"]
        if kind == 2:
            inner = commas(self.several(self.deleted, 0, 2))
            return self.one(["[", inner, "]"], ["(", inner, ")"])
        return self.name()

    def decorated(self):
        out = []
        for _ in range(self.one(0, 0, 0, 1, 2)):
            out.append((["@", self.expr(1)], None))
        if self.chance(0.3):
            bases = ["(", self.call_arguments_of_class(), ")"] if self.chance(0.5) else []
            head = ["class", self.name(), self.type_parameters(), bases, ":"]
        else:
            returns = ["->", self.expr(1)] if self.chance(0.3) else []
            head = [
                ["async"] if self.chance(0.25) else [],
                "def",
                self.name(),
                self.type_parameters(),
                ["(", self.parameters(), ")"],
                returns,
                ":",
            ]
        return out + [(head, True)]

    def call_arguments_of_class(self):
        items = self.several(lambda: self.expr(1), 0, 2)
        named = self.several(lambda: [self.name(), "=", self.expr(1)], 0, 1)
        return commas(items + named)

    def else_(self, p=0.3):
        return [(["else", ":"], True)] if self.chance(p) else []

    def loop(self):
        before = ["async"] if self.chance(0.15) else []
        if self.chance(0.4):
            return [(["while", self.named(), ":"], True)] + self.else_()
        head = [before, "for", self.targets(), "in", self.star_expressions(), ":"]
        return [(head, True)] + self.else_()

    def named(self):
        return [self.name(), ":=", self.expr(1)] if self.chance(0.1) else self.expr(1)

    def if_(self):
        out = [(["if", self.named(), ":"], True)]
        for _ in range(self.one(0, 0, 1, 2)):
            out.append((["elif", self.named(), ":"], True))
        return out + self.else_()

    def with_(self):
        def item():
            return [self.expr(1), ["as", self.target()] if self.chance(0.5) else []]

        items = commas(self.several(item, 1, 3))
        if self.chance(0.3):
            items = ["(", items, self.one([], [","]), ")"]
        return [([["async"] if self.chance(0.15) else [], "with", items, ":"], True)]

    def try_(self):
        out = [(["try", ":"], True)]
        if self.chance(0.8):
            star = ["*"] if self.chance(0.25) else []
            for _ in range(self.one(1, 1, 2)):
                what = [self.expr(1), ["as", self.name()] if self.chance(0.4) else []]
                if self.version >= 14 and self.chance(0.3):
                    what = commas([self.expr(1), self.expr(1)])
                out.append((["except", star, what, ":"], True))
            if not star and self.chance(0.2):
                out.append((["except", ":"], True))
            out += self.else_()
        if len(out) == 1 or self.chance(0.2):
            out.append((["finally", ":"], True))
        return out

    def match(self):
        subject = self.star_expressions() if self.chance(0.8) else ["(", self.expr(0), ")"]
        return [(["match", subject, ":"], "cases")]

    def case(self):
        patterns = [self.pattern() for _ in range(self.one(1, 1, 1, 2))]
        guard = ["if", self.named()] if self.chance(0.2) else []
        return ["case", commas(patterns, self.chance(0.1)), guard, ":"]

    COMPOUND = (decorated, decorated, loop, if_, with_, try_, match)

    # ---- lines ----

    def noise(self, out):
        while self.chance(0.12):
            space = self.one("", "  ", "\t", "\x0c", "            ")
            out.append(space + self.one("", "# comment", "#", "# é '''", "# type: ignore"))

    def simple_line(self, indent, out):
        statements = [self.join(self.simple()) for _ in range(self.one(1, 1, 1, 1, 2))]
        end = self.one("", "", "", ";", " ", " # comment", "  #'")
        out.append(indent + self.one(";", " ; ", "; ").join(statements) + end)

    def body(self, indent, out, depth):
        if self.chance(0.15):
            statements = [self.join(self.simple()) for _ in range(self.one(1, 1, 2))]
            out[-1] += self.one("", " ") + ";".join(statements)
            return
        out[-1] += self.one("", "", " ", "  # why")
        self.block(indent + self.one("    ", " ", "  ", "\t", "        "), out, depth + 1)

    def block(self, indent, out, depth):
        for _ in range(self.rng.randint(1, 3)):
            self.noise(out)
            if depth > 4 or self.budget <= 0 or self.chance(0.55):
                self.simple_line(indent, out)
            else:
                self.compound(indent, out, depth)

    def compound(self, indent, out, depth):
        for head, body in self.rng.choice(self.COMPOUND)(self):
            out.append(indent + self.join(head))
            if body == "cases":
                inner = indent + self.one("  ", "\t", "    ")
                for _ in range(self.rng.randint(1, 3)):
                    self.noise(out)
                    out.append(inner + self.join(self.case()))
                    self.body(inner, out, depth)
            elif body:
                self.body(indent, out, depth)
            self.noise(out)

    def program(self):
        """Its bytes."""
        out = []
        while self.budget > 0:
            self.block("", out, 0)
        end = self.one("\n", "\n", "\r\n", "\r")
        text = "\n".join(out).replace("\n", end) + self.one(end, end, "", " ")
        if self.chance(0.05):
            try:
                text.encode("latin-1")
                return b"# -*- coding: latin-1 -*-" + end.encode() + text.encode("latin-1")
            except UnicodeEncodeError:
                pass
        mark = b"\xef\xbb\xbf" if self.chance(0.05) else b""
        return mark + text.encode("utf-8", "surrogatepass")
