/* SPDX-License-Identifier: Apache-2.0
 *
 * What is wrong to the lexer. What CPython says of it is asked when the test runs.
 */
#ifndef LEX_WRONG_H
#define LEX_WRONG_H

/* clang-format off */

/* Beginnings of expressions: each is tried alone and behind each of lex_before. */
static const char *const lex_before[] = {
    "", "x = ", "é = \"é\", ", "[1,\n ", "def f():\n    return ", "x = \\\n", "'''é\n''', ", "if x: a[b] = ",
};

static const char *const lex_wrong[] = {
    /* numbers */
    "1_", "1__0", "1_000_", "1_a", "1a", "1z ", "12abc", "1é", "1_.5", "1._5", "1.5_", "1.5a", "1.e",
    "1e", "1e+", "1e-x", "1e5_", "1e_5", "1e5e", "1E+_1", "1ee", "1.2.3_", ".5_", ".5e", ".5x", "5.a",
    "0_", "00_", "0__1", "00a", "0a", "0e", "0e+", "0.0_0_", "0777", "08", "0009 ", "01_", "0_7",
    "00_1", "0777L", "00009é", "012 + 1", "0x", "0X", "0xg", "0x_", "0x1_", "0x1_g", "0x1g", "0x1__1",
    "0b", "0b2", "0b12", "0b_", "0b1_", "0b1_2", "0b1a", "0B9", "0o", "0o8", "0o18", "0o_8", "0o1_8",
    "0o1_", "0o1a", "0O", "0oé", "1j1", "1jj", "1ja", "0j1", "0jx", "1.5j_", "1e5jx", "1_0jé", "1ifx",
    "1andy", "1orb", "1nota", "0xfg", "0b1e", "1elsex", "1fora", "1i", "1n", "1o", "1L", "1_l", "1.real",
    "1.5real", "1__", "0_x1", "0xx", "0b0b", "0o0o", "1e1.5e", "1e10_", "0xfor", "0b1f", "1isx", "1inx",
    /* strings */
    "'", "\"", "'a", "\"a", "'a\n'", "\"a\nb\"", "'''", "\"\"\"", "'''a", "\"\"\"a\nb\n", "'''a''",
    "'''a\\'''", "'a\\'", "\"a\\\"", "'\\", "'\\\n", "'a\\\nb", "'a\\\nb\n", "b'", "b\"a\n", "rb'a",
    "Rb'''a", "u'a", "U\"a", "r'a\\'", "b'''\n\n\n", "'a' 'b", "'a' '''b\n", "\"é", "'é\\", "''''", "'''''",
    "br'\\'", "'a\\'b\\'c", "'a\\\\\\'",
    /* characters */
    "?é€", "€", "a€", "é€b", "“a”", "‘a’", "a\xC2\xA0", "\xC2\xA0", "\xE2\x80\x8B", "ab\xE2\x80\x8B",
    "-\xEF\xBB\xBF", "a\xEF\xBB\xBF", "\xF0\x9F\x98\x80", "a😀b", "×", "a×b", "1 × 2",
    "\x01", "\x7F", "a\x0B", "\x1A", "a \x0E", "\x1B[0m", "–1", "a…", "·a", "\xCC\x81'a'", "²", "x²",
    "½", "„a“", "¿", "ab\xE2\x80\x8F", "\xE3\x80\x80(a", "a\xE2\x80\xA8", "(a，b)", "（a）", "a；", "\x08",
    "\xF0\x90\x80\x80-\xF3\xA0\x80\x81", "\xEE\x80\x80", "ℼ", "a\xCD\xBA", "ﬀ€", "№",
    /* brackets */
    ")", "]", "}", "(]", "(}", "[)", "[}", "{)", "{]", "(\n]", "[\n\n)", "{a:\n(]", "f(a[1)", "([)]", "((])",
    "{'a': [1, 2}", "(a,\n b]", "[[[", "[(a)}", "(1))", "a]", "[1]]", "{1}}", "a[b}",
    /* line continuation */
    "\\a", "1 \\ 2", "a \\#", "é\\ ", "(\\ \n", "'é' \\ \n", "\\\\", "a\\\n\\b", "1 + \\\n\\", "a \\\n é \\ \n",
    "é \\\n bbb \\ ccccccccc\n", "\"\"\"é\n\"\"\" \\ é\n",
};

/* Whole programs. */
static const char *const lex_wrong_programs[] = {
    "\\", "a\\", "\\a", "\\\n\\", "a = 1\\\n", "é\\\n", "é \\\né\\\n", "é='''aaaé\n'''; é\\\n", "if a:\n \\\n",
    "\\\n\na\\", "  \\\n\\x", "  \\\n  \\ y", "#\n\\x", "a\n\\\n", "a\n\\\n\\\nb\\", "a \\\n\n\\",
    "if x:\n  y\n z\n", "if x:\n    a\n  b\n", "if x:\n  if y:\n    a\n   b\nc\n", "if é:\n   é\n é #é\n",
    "if x:\n        a\n   b", "for i in a:\n    b\n  # c\n  d\n", "if x:\n  a\n b # é€ é\nc", "if x:\n  a\n \\\n b\n",
    "if x:\n  \\\n    a\n b\n", "if x:\n\f  a\n b\n", "if x:\n  a\n\f b\n", "class A:\n  def f(): pass\n def g(): pass",
    "if x:\n        a\n\tb\n", "if x:\n\ta\n        b\n", "if x:\n  if y:\n\ta\n",
    "if x:\n \ta\n\tb\n", "if x:\n\t if y:\n \t\ta\n", "if x:\n\tif y:\n\t\ta\n        b\n", "if x:\n    a\n\f\tb\n",
    "if é:\n        é\n\té = 1 # é\n", "if x:\n        if y:\n                a\n\t\tb\n",
};

/* Formatted strings, from 3.12 on. */
static const char *const lex_wrong_formats[] = {
    "f'", "f\"", "f'a", "f'a\n'", "f'''", "f'''a\n", "f'''a\n\n''", "rf'a", "fr\"\"\"a\n", "F'\\", "f'\\'", "f'\\\n",
    "f'a\\\nb", "f'é", "f'}'", "f'a}'", "f'{{}'", "f'}}}'", "f'{a}}'", "f'{a}}}}}'", "f'{a:}}'", "f'{a:}}}}'",
    "f'{a'", "f'{'", "f'{a:{b'", "f'''{a'''", "f'''{'''", "f\"{'a'", "f'{\"a'", "f'{\"a}'", "f'{a\"'",
    "f'''{\n'a\n}'''", "f'{)}'", "f'{]}'", "f'{a)}'", "f'{(}'", "f'{[}'", "f'{(a]}'", "f'{a[}'", "f'''{(\n}'''", "f'{a:{)}}'",
    "f'{a:{b]}}'", "f'{({)}'", "f'{{{)}}}'", "f'{a:{b:{c:{d}}}}'", "f'{a:b{c:d{e:f{g}}}}'",
    "f'{a:{b:{c:d{e}}}}'", "f'{1_}'", "f'{0x}'", "f'{€}'", "f'{a\\ }'", "f'{\\'a\\'}'", "f'{a\\", "f'{a} {",
    "f'{a:'", "f'{a:é", "f'{a:\n}'", "f'{a!r:\n}'", "f'{a:{b}\n}'", "f'{a:x{b}\n}'", "f'{a:{b}{c}\n}'", "f'{a:{b}{{'", "f'{a:{b:c}\n}'", "f'''{a:", "f'''{a:\nb", "f'{a=",
    "f'{f\"{a'", "f'{f\"{a}'", "f'{f\"{a\"'", "f'{f\"}\"}'", "f\"{f'{)}'}\"", "f'{f'{f'{)}'}'}'", "f'a{b}\\", "f'{a}' f'{b",
    "f'{a}' '", "'a' f'", "f'{#'", "f'{a#}'", "f'{'\n'}'", "f'{x:'\n'}'", "f'{a\n\n", "f'''é\né{é\né",
    "f'{a}\n", "f'\\N{a", "f'\\N{\n}'", "f'\\N'x{)}'", "rf'\\N{)}'", "f'\\{)}'", "f'\\}'", "rf'\\}'", "f'{a:\\}}'",
    "t'", "t'{)}'", "t'a\n", "t'''", "t'}'", "t'{a'", "tr'{]}'", "Rt'}'", "t'{a:{b:{c:{d}}}}'", "t'{a:\n}'",
    "bu'a'", "ub'a'", "ur'a'", "ru'a'", "uf'a'", "fu'a'", "bf'a'", "fb'a'", "ut'a'", "bt'a'", "tb'a'", "ft'a'", "tf'a'",
    "bru'a'", "frb'''a'''", "(bfé'a'", "rft'é", "urb'",
};

/* Right, but CPython warns of it; `1if` in some form, or a brace after a backslash. */
static const char *const lex_warned[] = {
    "1if 1else 2", "0xfor x in y", "0o17or 3", "0b1and 2", "1jif 2 else 3", "1.5if 1 else 2", "1e5if 1 else 2",
    "[1for x in y]", "1in x", "a = [\n1or 2,\n\n0x1or 2]", "0if 0else 0", "00if 1 else 2", "x = 1;y = 1if x else 2",
    "1not in x", "1.or 2", "1_0or 2", "0_0or 2", "[0x1for x in (1, 2)]", "'''\n\n''' if 1or 2else 3",
};
/* clang-format on */

#endif
