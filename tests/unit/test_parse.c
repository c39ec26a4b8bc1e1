/* SPDX-License-Identifier: Apache-2.0
 *
 * The parser by itself: trees of single statements, what each version of Python accepts, how deep
 * a program may nest. Whole files are compared with CPython's trees in tests/python.
 */
#include "python/parse.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "parse_trees.h"
#include "tap.h"

enum { DUMP_MAX = 64 << 20 };

/* ---- a program read ---- */

static struct python_tree read_text(struct str text, unsigned target, size_t memory_limit)
{
    struct python_tree tree = {.target = target, .memory_limit = memory_limit};
    struct tokens tokens;

    if (source_read(&tree, text) < 0)
        return tree;
    lex_text(&tree, tree.text, NULL, &tokens);
    tree.module = parse_module(&tree, &tokens);
    if (tree.error.kind == PYTHON_NO_ERROR)
        tree.error = tokens.error;
    tokens_done(&tokens);
    return tree;
}

static struct python_tree read_program(const char *text, unsigned target)
{
    return read_text(str_from(text), target, PYTHON_MEMORY);
}

/* ---- trees ---- */

/* ", lineno=1, col_offset=2, end_lineno=3, end_col_offset=4)" as ")@1.2-3.4"; where it ends, or
 * NULL when something else stands there. */
static const char *shorten_place(const char *p, struct buf *ret)
{
    static const char *const words[] = {
        "lineno=", ", col_offset=", ", end_lineno=", ", end_col_offset="};
    static const char *const marks[] = {")@", ".", "-", "."};
    size_t before = ret->n;

    p += strncmp(p, ", ", 2) == 0 ? 2 : 0;
    for (size_t i = 0; i < 4; i++) {
        size_t n = strlen(words[i]);
        if (strncmp(p, words[i], n) != 0) {
            ret->n = before;
            return NULL;
        }
        buf_adds(ret, marks[i]);
        for (p += n; *p >= '0' && *p <= '9'; p++)
            buf_addc(ret, *p);
    }
    return p + 1;
}

/* As parse_trees.h has it. */
static void shorten(struct str dump, struct buf *ret)
{
    static const char load[] = ", ctx=Load()";
    size_t head = strlen("Module(body=[");
    size_t tail = str_ends(dump, ", type_ignores=[])") ? strlen("], type_ignores=[])") : 2;
    const char *p = dump.p + head, *end = dump.p + dump.n - tail;

    while (p < end) {
        const char *after = *p == ',' || *p == 'l' ? shorten_place(p, ret) : NULL;
        if (after) {
            p = after;
        } else if (strncmp(p, load, strlen(load)) == 0) {
            p += strlen(load);
        } else {
            buf_addc(ret, *p++);
        }
    }
}

static void check_tree(const char *text, unsigned target, const char *want)
{
    struct python_tree tree = read_program(text, target);
    AUTO_BUF struct buf dump = {0};
    AUTO_BUF struct buf got = {0};

    buf_init(&dump, DUMP_MAX);
    buf_init(&got, DUMP_MAX);
    printf("# %u: %.60s\n", target, text);
    if (tree.module && tree_dump(tree.module, target, strchr(want, '@'), &dump) == 0)
        shorten(buf_str(&dump), &got);
    EQ_STR(got.p, want);
    python_tree_done(&tree);
}

static void test_trees(void)
{
    for (size_t i = 0; i < ARRAY_LEN(trees); i++)
        check_tree(trees[i].text, trees[i].target, trees[i].tree);
}

/* ---- what is accepted ---- */

static bool accepts(const char *text, unsigned target)
{
    struct python_tree tree = read_program(text, target);
    bool good = tree.module;

    OK(!good || tree.error.kind == PYTHON_NO_ERROR, "a tree means no error");
    python_tree_done(&tree);
    return good;
}

/* The first version that accepts it; 0: none. */
static const struct {
    const char *text;
    unsigned since;
} programs[] = {
    {"a := b", 0},
    {"(a := b)", 11},
    {"(*a)", 0},
    {"*a", 11},
    {"(*a) = b", 0},
    {"a, b: c", 0},
    {"a: b, c", 0},
    {"f() = a", 0},
    {"f().a = b", 11},
    {"a + b += c", 0},
    {"(a, b) += c", 0},
    {"del f()", 0},
    {"del *a,", 0},
    {"print 1", 0},
    {"a <> b", 0},
    {"a not b", 0},
    {"a == not b", 0},
    {"f(a=1, b)", 0},
    {"f(**a, *b)", 0},
    {"f(**a, b=1)", 11},
    {"f(a for a in b, c)", 0},
    {"f(a for a in b,)", 0},
    {"class A(a for a in b): pass", 0},
    {"f(a.b=1)", 0},
    {"[*a for a in b]", 0},
    {"{**a for a in b}", 0},
    {"{a: *b}", 0},
    {"{a, b: c}", 0},
    {"{a := 1: b}", 0},
    {"a[b := 1]", 11},
    {"a[b := 1:2]", 0},
    {"a[*b]", 11},
    {"lambda *: a", 0},
    {"lambda *, a: a", 11},
    {"lambda a=1, b: a", 0},
    {"lambda /, a: a", 0},
    {"def f(a, /, *, b): pass", 11},
    {"def f(*, **a): pass", 0},
    {"def f(*a=1): pass", 0},
    {"def f(a: *b): pass", 0},
    {"def f(*a: *b): pass", 11},
    {"from a import b,", 0},
    {"from a import (b,)", 11},
    {"from a import (*)", 0},
    {"from ... import a", 11},
    {"import a.*", 0},
    {"with (a, b): c", 11},
    {"with (a as b), c: d", 0},
    {"with (a, b := c): d", 11},
    {"with (a, *b): d", 11},
    {"with (a as b, *c): d", 0},
    {"with (lambda x, *a: a): b", 11},
    {"with (a for a in b): c", 11},
    {"try: a\nexcept b: c\nexcept* d: e", 0},
    {"try: a\nexcept*: b", 0},
    {"try: a\nexcept b, c: d", 14},
    {"try: a\nexcept b, c as d: e", 0},
    {"try: a\nexcept b as: c", 0},
    {"match a:\n case _.b: c", 0},
    {"match a:\n case {_.b: c}: d", 11},
    {"match a:\n case {**b, 1: c}: d", 0},
    {"match a:\n case b(c=1, d): e", 0},
    {"match a:\n case 1 + 2: b", 0},
    {"match a:\n case -1 + 2j: b", 11},
    {"match a:\n case b as _: c", 0},
    {"match *a:\n case b: c", 0},
    {"match (a)\n", 11},
    {"match[a:b]", 11},
    {"match * a, b", 11},
    {"@a := b\nclass c: pass", 11},
    {"@a\nb", 0},
    {"async while a: b", 0},
    {"await await a", 0},
    {"yield = a", 0},
    {"a = yield", 11},
    {"x = *a or b", 0},
    {"f(*a or b)", 11},
    {"type A = b", 12},
    {"type A[T = b] = c", 13},
    {"class A[]: pass", 0},
    {"def f[**P: a](): pass", 0},
    {"type = a", 11},
    {"f'{a!x}'", 0},
    {"f'{a! r}'", 0},
    {"f'{a['b']}'", 12},
    {"f'{lambda x: 1}'", 0},
    {"f'{*a, b}'", 11},
    {"t'{a}'", 14},
    {"t'{a}' 'b'", 0},
    {"b'a' 'b'", 0},
};

static void test_accepted(void)
{
    for (size_t i = 0; i < ARRAY_LEN(programs); i++)
        for (unsigned target = PYTHON_OLDEST; target <= PYTHON_NEWEST; target++)
            OK(accepts(programs[i].text, target) ==
                   (programs[i].since && target >= programs[i].since),
               "3.%u: %s", target, programs[i].text);
}

/* ---- errors of strings ---- */

static void check_error(const char *text, unsigned target, int32_t column, const char *message)
{
    struct python_tree tree = read_program(text, target);

    EQ_STR(tree.error.message, message);
    EQ_INT(tree.error.column, column);
    python_tree_done(&tree);
}

static void test_string_errors(void)
{
    static const char escape[] = "(unicode error) 'unicodeescape' codec can't decode bytes in "
                                 "position 0-2: truncated \\xXX escape";

    check_error("'a' '\\x1' b", 11, 11, escape);
    check_error("'a' '\\x1'", 12, 5, escape);
    check_error("f'\\x1{a}'", 12, 9, escape);
    check_error("'a' b'b'", 11, 9, "cannot mix bytes and nonbytes literals");
    check_error("f'a' b'b'", 13, 10, "cannot mix bytes and nonbytes literals");
    check_error("b'\xC3\xA9'", 13, 1, "bytes can only contain ASCII literal characters");
    check_error("f'{}'", 11, 6, "f-string: empty expression not allowed");
    check_error("f'{!r}'", 11, 8, "f-string: expression required before '!'");
    check_error("f'}'", 11, 5, "f-string: single '}' is not allowed");
    check_error("f'{a'", 11, 6, "f-string: expecting '}'");
    check_error("f'{(a}'", 11, 8,
                "f-string: closing parenthesis '}' does not match opening parenthesis '('");
    check_error("f'{a]}'", 11, 8, "f-string: unmatched ']'");
    check_error("f'{[a'", 11, 7, "f-string: unmatched '['");
    check_error("f'{\"a}'", 11, 8, "f-string: unterminated string");
    check_error("f'{a\\n}'", 11, 9, "f-string expression part cannot include a backslash");
    check_error("f'{a#}'", 11, 8, "f-string expression part cannot include '#'");
    check_error("f'{a:{b:{c}}}'", 11, 15, "f-string: expressions nested too deeply");
    check_error("f'{a!x}'", 11, 9,
                "f-string: invalid conversion character: expected 's', 'r', or 'a'");
    check_error("f'{f\"{}\"}'", 11, 7, "f-string: f-string: empty expression not allowed");
}

static void check_warning(const char *text, unsigned target, unsigned kind, unsigned line,
                          const char *message)
{
    struct python_tree tree = read_program(text, target);

    EQ_INT(tree.warnings.n, 1);
    if (tree.warnings.n) {
        EQ_INT(tree.warnings.at[0].kind, kind);
        EQ_INT(tree.warnings.at[0].line, line);
        EQ_STR(tree.warnings.at[0].message, message);
    }
    python_tree_done(&tree);
}

static void test_string_warnings(void)
{
    check_warning("'''\n\\d'''", 11, PYTHON_DEPRECATION_WARNING, 1,
                  "invalid escape sequence '\\d'");
    check_warning("f'\\{a}'", 11, PYTHON_DEPRECATION_WARNING, 1, "invalid escape sequence '\\{'");
    check_warning("b'\\501'", 12, PYTHON_SYNTAX_WARNING, 1,
                  "invalid octal escape sequence '\\501'");
    check_warning("'''\n\\d'''", 14, PYTHON_SYNTAX_WARNING, 2,
                  "\"\\d\" is an invalid escape sequence. Such sequences will not work in the "
                  "future. Did you mean \"\\\\d\"? A raw string is also an option.");
}

/* ---- depth and size ---- */

/* head, n times the unit, tail. */
static struct python_tree read_repeated(const char *head, const char *unit, size_t n,
                                        const char *tail)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, DUMP_MAX);
    buf_adds(&text, head);
    for (size_t i = 0; i < n; i++)
        buf_adds(&text, unit);
    buf_adds(&text, tail);
    return read_text(buf_str(&text), PYTHON_OLDEST, PYTHON_MEMORY);
}

static enum python_error_kind error_of_repeated(const char *head, const char *unit, size_t n,
                                                const char *tail)
{
    struct python_tree tree = read_repeated(head, unit, n, tail);
    enum python_error_kind kind = tree.error.kind;

    OK(!tree.module == (kind != PYTHON_NO_ERROR), "%zu times `%s`: a tree or an error", n, unit);
    python_tree_done(&tree);
    return kind;
}

static void test_depth(void)
{
    static const char *const nested[][3] = {
        {"", "-", "a"},
        {"", "not ", "a"},
        {"", "lambda:", "a"},
        {"", "a**", "a"},
        {"", "a if b else ", "a"},
        {"a", ".b", ""},
        {"a", "()", ""},
        {"a", "[0]", ""},
        {"a", "+a", ""},
        {"if a: b\n", "elif a: b\n", ""},
    };

    for (size_t i = 0; i < ARRAY_LEN(nested); i++) {
        const char *const *n = nested[i];
        EQ_INT(error_of_repeated(n[0], n[1], 2900, n[2]), PYTHON_NO_ERROR);
        EQ_INT(error_of_repeated(n[0], n[1], 300000, n[2]), PYTHON_RECURSION_ERROR);
    }
    EQ_INT(error_of_repeated("a", " < a", 300000, ""), PYTHON_NO_ERROR);
    EQ_INT(error_of_repeated("a", " or a", 300000, ""), PYTHON_NO_ERROR);
    EQ_INT(error_of_repeated("f'", "{a}", 300000, "'"), PYTHON_NO_ERROR);
}

static void test_memory(void)
{
    AUTO_FREE char *text = xmalloc(1 << 20);
    memset(text, ',', 1 << 20);
    for (size_t i = 0; i < 1 << 20; i += 2)
        text[i] = 'a';
    struct python_tree tree = read_text((struct str){text, 1 << 20}, PYTHON_NEWEST, 8 << 20);

    OK(!tree.module, "no tree past the memory limit");
    EQ_INT(tree.error.kind, PYTHON_MEMORY_ERROR);
    python_tree_done(&tree);
}

int main(void)
{
    RUN(test_trees());
    RUN(test_accepted());
    RUN(test_string_errors());
    RUN(test_string_warnings());
    RUN(test_depth());
    RUN(test_memory());
    return tap_done();
}
