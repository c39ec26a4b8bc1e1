# SPDX-License-Identifier: Apache-2.0
"""glovebox math: arithmetic, and nothing else."""

import math


def test_values(t):
    for text in (
        "1 + 2 * 3 - 4 / 5 // 6 % 7",
        "math.sqrt(2)",
        "sqrt(2) * pi",
        "2 ** 100",
        "2 ** -1",
        "pow(2, 10) + pow(3, 4, 5)",
        "max([1, 2, 3]) + min(4, 5) - sum((6, 7), start=8)",
        "factorial(20) // comb(10, 3)",
        "1 < 2 <= 3 != 4",
        "1 if 2 > 1 and not 0 else -1",
        "0x1F | 0b11 ^ 7 & ~2 << 3 >> 1",
        "round(2.567, 2) + abs(-3) + int(4.9) + float(2)",
        "isclose(0.1 + 0.2, 0.3, rel_tol=1e-9)",
        "gcd(12, 18) + lcm(4, 6) + isqrt(99) + floor(2.5) + ceil(2.5)",
        "(-8) ** (1 / 3)",
        "inf - 1, nan"[:7],
        "1_000 * 1e3",
        "dist([1, 2], (4, 6)) + fsum([0.1] )",
        "10 ** 5000 % 7",
    ):
        want = eval(text, dict(vars(math), math=math, pow=pow))
        done = t.box("math", "--", text)
        t.exits(done, 0, text, b"%s\n" % str(want).encode())
    done = t.box("math", "--", "-5", "+", "3")
    t.exits(done, 0, "in several pieces", b"-2\n")
    for words, want in ((["-5+3"], b"-2\n"), (["--5"], b"5\n"), (["-(3)", "*", "2"], b"-6\n"), (["-.5"], b"-0.5\n"),
                        (["-sqrt(4)"], b"-2.0\n"), (["-pi/2"], b"-1.5707963267948966\n"), (["5", "-5"], b"0\n"),
                        (["-t", "5s", "-5", "--timeout", "9s"], b"-5\n"), (["-t5s", "-1+2"], b"1\n")):
        t.exits(t.box("math", *words), 0, "math " + " ".join(words), want)
    t.refused(t.box("math", "-x"), 2, "unknown option -x$", "what is no expression")
    t.refused(t.run("-5+3"), 2, "unknown option -5$", "only in math")
    done = t.box("math", "factorial(20000)")
    t.ok(done.code == 0 and len(done.out) == 77339, "a number of 77338 digits", done.code)


def test_errors(t):
    for text, want in (
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("sqrt(-1)", "ValueError: "),
        ("exp(1000)", "OverflowError: "),
        ("max()", "TypeError: "),
        ("1 +", "SyntaxError: invalid syntax"),
        ("(1", "SyntaxError: '(' was never closed"),
    ):
        done = t.box("math", text)
        good = done.code == 1 and done.out.decode().startswith("Error: " + want) and not done.err
        t.ok(good, text, done)
    t.refused(t.box("math"), 2, "no expression", "nothing")
    t.refused(t.box("math", "1" * 20000), 2, "longer than 10000", "too much")
    t.refused(t.box("math", "--out", "x", "1"), 2, "does not apply", "an option of another command")


def test_refused(t):
    for text in (
        "__import__('os')",
        "__import__('os').system('id')",
        "(lambda: 1)()",
        "[x for x in (1, 2)]",
        "sum(x for x in (1, 2))",
        "{1: 2}",
        "{1}",
        "().__class__",
        "(1).real",
        "math.__class__",
        "math.sqrt.__self__",
        "math.math",
        "pi.hex()",
        "sqrt",
        "sqrt(sqrt)",
        "print(1)",
        "open(0)",
        "eval(1)",
        "getattr(math, 1)",
        "'a' * 3",
        "b'a'",
        "f'{1}'",
        "int('5')",
        "[1, 2] * 3",
        "[1, 2]",
        "(1, 2)",
        "max([1, 2] * 3)",
        "max([[1], 2])",
        "max(*[1, 2])",
        "max(**{})",
        "[1, 2][0]",
        "(x := 1)",
        "x = 1",
        "import os",
        "1; 2",
        "1\n2",
        "1 # 2",
        "1 \\\n+ 2",
        "None",
        "...",
        "1 is 1",
        "1 in (1, 2)",
        "1 @ 2",
        "frexp(8) * 1000",
        "pi()",
        "await_",
        "_",
        "\u03c0",
        "max\x0c(1)",
    ):
        done = t.box("math", "--", text)
        good = done.code == 1 and done.out.startswith(b"Error: ") and not done.err
        t.ok(good and b"is not allowed; use numbers" in done.out, repr(text), done)


def test_giants(t):
    for text in (
        "9 ** 9 ** 9",
        "9 ** 99999999",
        "factorial(1000000)",
        "factorial(factorial(20))",
        "perm(10 ** 9, 10 ** 6)",
        "comb(10 ** 9, 5 * 10 ** 8)",
        "1 << 10 ** 9",
        "pow(10, 10 ** 9)",
        "10 ** int(1e9)",
        "lcm(" + ", ".join("3 ** %d" % n for n in range(240000, 240010)) + ")",
        "prod([2 ** 300000, 2 ** 300000])",
        "max(2, 10) ** sum([10 ** 8, 1])",
        "(1 if 1 else 2) * 9 ** (10 ** 6)",
        "2 ** ceil(1e6)",
    ):
        done = t.box("math", text)
        good = done.code == 1 and b"more than 120000 digits" in done.out and done.seconds < 20
        t.ok(good, text[:60], done)
    done = t.box("math", "--timeout", "1s", " + ".join(["10 ** 100000 % 7 ** 30000"] * 300))
    t.ok(done.code in (0, 1) and done.seconds < 30, "many that are large", done.seconds)
