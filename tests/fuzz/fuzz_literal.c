/* SPDX-License-Identifier: Apache-2.0
 *
 * A byte that says what and for which Python; then the body of a string, or a number. What comes
 * out is written as repr() has it and read again: it has to be the same.
 */
#include <assert.h>
#include <string.h>

#include "syntax/literal.h"
#include "syntax/unicode.h"

enum { IS_BYTES = 4, IS_RAW = 8, IS_NUMBER = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Whether it is UTF-8, but for surrogates. */
static bool is_text(struct str s)
{
    for (size_t at = 0; at < s.n;) {
        size_t start = at;
        if (unicode_next(s, &at) == 0xFFFD && at == start + 1)
            return false;
    }
    return true;
}

static struct str repr(struct python_tree *tree, const struct node *n)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1 << 24);
    return literal_repr(n, tree->target, &b) < 0 ? (struct str){0}
                                                 : arena_str(&tree->arena, buf_str(&b));
}

static void try_string(struct python_tree *tree, struct str body, unsigned flags)
{
    struct literal_error error = {0};
    struct node *n = node_new(&tree->arena, N_CONSTANT);
    struct str text = {0}, again, inside;
    long bad = -1;

    if (!literal_decode(tree, body, flags, &text, &bad, &error)) {
        assert(error.at < error.end && error.end <= body.n && body.p[error.at] == '\\');
        assert(strlen(error.message) > 10 && !(flags & LITERAL_RAW));
        return;
    }
    assert(text.n <= body.n);
    assert(bad < 0 || ((size_t)bad < body.n && body.p[bad] == '\\'));
    if (!(flags & LITERAL_BYTES) && !is_text(text))
        return; /* a lexer would not have let it pass */
    n->op = flags & LITERAL_BYTES ? CONST_BYTES : CONST_STR;
    n->constant.text = text;
    again = repr(tree, n);
    assert(literal_open(again, &inside) == (flags & LITERAL_BYTES));
    assert(literal_decode(tree, inside, flags & LITERAL_BYTES, &again, &bad, &error));
    assert(bad < 0 && str_eq(again, text));
}

/* As the lexer would let a number pass, more or less. */
static bool is_number(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!memchr("0123456789abcdefABCDEFxXoOjJ_.+-", s.p[i], 32))
            return false;
    return s.n && s.p[0] >= '0' && s.p[0] <= '9';
}

static void try_number(struct python_tree *tree, struct str text)
{
    struct node *n = node_new(&tree->arena, N_CONSTANT);
    struct node *again = node_new(&tree->arena, N_CONSTANT);

    if (!is_number(text) || literal_number(tree, text, n) < 0)
        return;
    struct str printed = repr(tree, n);
    if (!printed.n || printed.p[0] == 'i') /* too long, or infinite */
        return;
    assert(literal_number(tree, printed, again) == 0 && again->op == n->op);
    if (n->op == CONST_BIG_INT)
        assert(str_eq(repr(tree, again), printed));
    else
        assert(memcmp(&n->constant.integer, &again->constant.integer, 8) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct python_tree tree = {0};

    if (!n)
        return 0;
    struct str text = {(const char *)data + 1, n - 1};
    tree.target = PYTHON_OLDEST + (data[0] & 3U);
    if (data[0] & IS_NUMBER)
        try_number(&tree, text);
    else
        try_string(&tree, text,
                   (data[0] & IS_BYTES ? LITERAL_BYTES : 0U) |
                       (data[0] & IS_RAW ? LITERAL_RAW : 0U));
    arena_done(&tree.arena);
    return 0;
}
