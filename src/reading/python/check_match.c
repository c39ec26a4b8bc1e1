/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks patterns: patterns that are never reached, and names that a pattern binds twice or not
 * always.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "python/check_parts.h"
#include "syntax/lex.h"
#include "syntax/literal.h"

/* ---- sets of names ---- */

/* Names in the order of their first occurrence, each once. */
struct bindings {
    struct name **at;
    size_t n, size; /* size: slots, a power of two; `at` has room for half as many */
    size_t *slots;  /* index + 1 */
};

#define AUTO_BINDINGS __attribute__((cleanup(bindings_done)))

static void bindings_done(struct bindings *b)
{
    free(b->at);
    free(b->slots);
}

static size_t check_match_slot_of(const struct bindings *b, const struct name *name)
{
    size_t slot = name->hash & (b->size - 1);

    while (b->slots[slot] && b->at[b->slots[slot] - 1] != name)
        slot = (slot + 1) & (b->size - 1);
    return slot;
}

static bool bindings_have(const struct bindings *b, const struct name *name)
{
    return b->size && b->slots[check_match_slot_of(b, name)];
}

static void bindings_add(struct bindings *b, struct name *name)
{
    if (2 * b->n >= b->size) {
        b->size = b->size ? 4 * b->size : 16;
        b->at = xrealloc_array(b->at, b->size / 2, sizeof *b->at);
        free(b->slots);
        b->slots = xcalloc(b->size, sizeof *b->slots);
        for (size_t i = 0; i < b->n; i++)
            b->slots[check_match_slot_of(b, b->at[i])] = i + 1;
    }
    b->at[b->n] = name;
    b->slots[check_match_slot_of(b, name)] = ++b->n;
}

static bool same_bindings(const struct bindings *a, const struct bindings *b)
{
    for (size_t i = 0; i < a->n; i++)
        if (!bindings_have(b, a->at[i]))
            return false;
    return a->n == b->n;
}

/* ---- patterns ---- */

struct matcher {
    struct checker *c;
    const struct node *at; /* the location of errors; until 3.11, the last pattern visited */
    struct bindings *bindings;
    bool may_be_irrefutable;
};

static int check_pattern(struct matcher *m, const struct node *p);

static int match_fail(const struct matcher *m, const char *message)
{
    return scope_fail(m->c->tree, m->at, "%s", message);
}

/* True for `_` or `*_`, for which CPython generates code only if it must. */
static bool is_wildcard(const struct node *p)
{
    return (p->kind == N_MATCH_AS && !p->match_as.name && !p->match_as.pattern) ||
           (p->kind == N_MATCH_STAR && !p->match_as.name);
}

/* Sets the location back to p after visiting a part of it. */
static void return_to(struct matcher *m, const struct node *p)
{
    if (m->c->tree->target > 11)
        m->at = p;
}

static int bind_name(struct matcher *m, struct name *name)
{
    if (!name)
        return 0;
    if (check_target(m->c, name, CTX_STORE, m->at) < 0)
        return -1;
    if (bindings_have(m->bindings, name))
        return scope_fail(m->c->tree, m->at, "multiple assignments to name '%s' in pattern",
                          name->text);
    bindings_add(m->bindings, name);
    return 0;
}

static int check_subpattern(struct matcher *m, const struct node *p, const struct node *outer)
{
    bool before = m->may_be_irrefutable;

    m->may_be_irrefutable = true;
    int rc = check_pattern(m, p);
    m->may_be_irrefutable = before;
    return_to(m, outer);
    return rc;
}

static int check_subpatterns(struct matcher *m, struct node_list patterns, bool skip_wildcards,
                             const struct node *outer)
{
    for (size_t i = 0; i < patterns.n; i++) {
        if (skip_wildcards && is_wildcard(patterns.at[i]))
            continue;
        if (check_subpattern(m, patterns.at[i], outer) < 0)
            return -1;
    }
    return 0;
}

static int check_value(struct matcher *m, const struct node *p)
{
    const struct node *value = p->value_of.value;

    if (value->kind == N_JOINED_STR || value->kind == N_TEMPLATE_STR)
        return match_fail(m, "patterns may only match literals and attribute lookups");
    return check_expression(m->c, value);
}

static bool all_wildcards(struct node_list patterns)
{
    for (size_t i = 0; i < patterns.n; i++)
        if (!is_wildcard(patterns.at[i]))
            return false;
    return true;
}

static int check_sequence(struct matcher *m, const struct node *p)
{
    struct node_list patterns = p->patterns_of.patterns;
    const struct node *star = NULL;
    size_t before = 0;

    for (size_t i = 0; i < patterns.n; i++) {
        if (patterns.at[i]->kind != N_MATCH_STAR)
            continue;
        if (star)
            return match_fail(m, "multiple starred names in sequence pattern");
        star = patterns.at[i];
        before = i;
    }
    bool by_index = star && !star->match_as.name;
    if (star && !by_index && (before >= 256 || patterns.n - before - 1 >= (INT_MAX >> 8)))
        return match_fail(m, "too many expressions in star-unpacking sequence pattern");
    return check_subpatterns(m, patterns, by_index || all_wildcards(patterns), p);
}

/* Checks a name or `_`, either of which matches everything. */
static int check_capture(struct matcher *m, const struct node *p)
{
    if (m->may_be_irrefutable)
        return bind_name(m, p->match_as.name);
    if (!p->match_as.name)
        return match_fail(m, "wildcard makes remaining patterns unreachable");
    return scope_fail(m->c->tree, m->at, "name capture '%s' makes remaining patterns unreachable",
                      p->match_as.name->text);
}

static int check_as(struct matcher *m, const struct node *p)
{
    if (!p->match_as.pattern)
        return check_capture(m, p);
    if (check_pattern(m, p->match_as.pattern) < 0)
        return -1;
    return_to(m, p);
    return bind_name(m, p->match_as.name);
}

static int check_star(struct matcher *m, const struct node *p)
{
    return bind_name(m, p->match_as.name);
}

static int check_class_pattern(struct matcher *m, const struct node *p)
{
    struct name_list attributes = p->match_class.kwd_attrs;
    struct node_list patterns = p->match_class.kwd_patterns;
    size_t first = SIZE_MAX, again = 0;
    bool repeated = names_repeat(attributes.at, attributes.n, &first, &again);

    for (size_t i = 0; i < attributes.n && i <= first; i++)
        if (check_target(m->c, attributes.at[i], CTX_STORE, patterns.at[i]) < 0)
            return -1;
    if (repeated)
        return scope_fail(m->c->tree, patterns.at[again],
                          "attribute name repeated in class pattern: %s",
                          attributes.at[first]->text);
    if (check_expression(m->c, p->match_class.cls) < 0 ||
        check_subpatterns(m, p->match_class.patterns, true, p) < 0)
        return -1;
    return check_subpatterns(m, patterns, true, p);
}

static int check_or(struct matcher *m, const struct node *p)
{
    struct node_list patterns = p->patterns_of.patterns;
    struct bindings *outer = m->bindings;
    bool last_may = m->may_be_irrefutable;
    AUTO_BINDINGS struct bindings first = {0};
    int rc = 0;

    for (size_t i = 0; i < patterns.n && rc == 0; i++) {
        AUTO_BINDINGS struct bindings other = {0};
        m->bindings = i == 0 ? &first : &other;
        m->may_be_irrefutable = i + 1 == patterns.n && last_may;
        rc = check_pattern(m, patterns.at[i]);
        return_to(m, p);
        if (rc == 0 && i > 0 && !same_bindings(&first, &other))
            rc = match_fail(m, "alternative patterns bind different names");
    }
    m->bindings = outer;
    m->may_be_irrefutable = last_may;
    for (size_t i = 0; i < first.n && rc == 0; i++)
        rc = bind_name(m, first.at[i]);
    return rc;
}

/* ---- keys of mappings, compared as Python compares constants ---- */

/* The value of a number; integers are exact if they fit. */
struct number {
    bool whole, big;
    int64_t integer;
    double real, imaginary;
    bool negative;       /* the sign of a big integer */
    struct str big_text; /* as it is written */
};

static void set_real(struct number *n, double real)
{
    n->real = real;
    n->whole = fabs(real) < 4e18 && real == floor(real);
    if (n->whole)
        n->integer = (int64_t)real;
}

static void read_constant(const struct node *n, struct number *ret)
{
    if (n->op == CONST_COMPLEX) {
        ret->imaginary = n->constant.real;
        ret->whole = true;
    } else if (n->op == CONST_FLOAT) {
        set_real(ret, n->constant.real);
    } else if (n->op == CONST_BIG_INT) {
        ret->big = true;
        ret->big_text = n->constant.text;
    } else {
        ret->whole = true;
        ret->integer = n->op == CONST_INT ? n->constant.integer : n->op == CONST_TRUE;
        ret->real = (double)ret->integer;
    }
}

/* Reads a number of a pattern, which may have a minus and an imaginary part. */
static void check_match_read_number(const struct node *n, struct number *ret)
{
    struct number imaginary = {0};

    if (n->kind == N_CONSTANT) {
        read_constant(n, ret);
    } else if (n->kind == N_UNARY_OP) {
        read_constant(n->unary_op.operand, ret);
        ret->negative = true;
        ret->integer = -ret->integer;
        ret->real = -ret->real;
        ret->imaginary = -ret->imaginary;
    } else {
        check_match_read_number(n->bin_op.left, ret);
        read_constant(n->bin_op.right, &imaginary);
        ret->imaginary = n->op == OP_SUB ? -imaginary.imaginary : imaginary.imaginary;
    }
}

static bool is_text(const struct node *n)
{
    return n->kind == N_CONSTANT && (n->op == CONST_STR || n->op == CONST_BYTES);
}

/* Returns the same name for all keys that are equal. */
static struct name *key_name(struct checker *c, const struct node *key)
{
    struct arena *arena = &c->tree->arena;
    struct number n = {0};
    const char *text;

    if (is_text(key)) {
        struct str value = key->constant.text;
        char *p = arena_alloc(arena, value.n + 1);
        p[0] = key->op == CONST_STR ? 's' : 'b';
        if (value.n)
            memcpy(p + 1, value.p, value.n);
        return name_get_plain(c->tree, (struct str){p, value.n + 1});
    }
    if (key->kind == N_CONSTANT && key->op == CONST_NONE)
        return name_get_plain(c->tree, STR("none"));
    check_match_read_number(key, &n);
    if (n.big)
        text =
            arena_printf(arena, "#%s%.*s", n.negative ? "-" : "", (int)n.big_text.n, n.big_text.p);
    else if (n.imaginary != 0)
        text = arena_printf(arena, "#%a+%aj", n.real + 0.0, n.imaginary);
    else if (n.whole)
        text = arena_printf(arena, "#%" PRId64, n.integer);
    else
        text = arena_printf(arena, "#%a", n.real);
    return name_get_plain(c->tree, str_from(text));
}

/* Appends a part of a complex number, without the ".0" of whole numbers. */
static void add_part(struct checker *c, double value, struct buf *ret)
{
    struct node part = {.kind = N_CONSTANT, .op = CONST_FLOAT};

    if (signbit(value))
        (void)buf_addc(ret, '-');
    part.constant.real = fabs(value);
    (void)literal_repr(&part, c->tree->target, ret);
    if (str_ends(buf_str(ret), ".0"))
        ret->p[ret->n -= 2] = '\0';
}

static void add_key(struct checker *c, const struct node *key, struct buf *ret)
{
    struct number n = {0};

    if (key->kind == N_CONSTANT) {
        (void)literal_repr(key, c->tree->target, ret);
        return;
    }
    check_match_read_number(key, &n);
    if (key->kind == N_BIN_OP || key->unary_op.operand->op == CONST_COMPLEX) {
        (void)buf_addc(ret, '(');
        add_part(c, n.real, ret);
        if (!signbit(n.imaginary))
            (void)buf_addc(ret, '+');
        add_part(c, n.imaginary, ret);
        (void)buf_adds(ret, "j)");
        return;
    }
    if (n.negative && (n.big || n.real != 0 || key->unary_op.operand->op == CONST_FLOAT))
        (void)buf_addc(ret, '-');
    (void)literal_repr(key->unary_op.operand, c->tree->target, ret);
}

static int duplicate_key(struct matcher *m, const struct node *key)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1 << 20);
    add_key(m->c, key, &text);
    return scope_fail(m->c->tree, m->at, "mapping pattern checks duplicate key (%s)", text.p);
}

static int check_keys(struct matcher *m, struct node_list keys)
{
    AUTO_BINDINGS struct bindings seen = {0};

    for (size_t i = 0; i < keys.n; i++) {
        const struct node *key = keys.at[i];
        if (key->kind == N_JOINED_STR || key->kind == N_TEMPLATE_STR)
            return match_fail(m,
                              "mapping pattern keys may only match literals and attribute lookups");
        if (check_expression(m->c, key) < 0)
            return -1;
        if (key->kind == N_ATTRIBUTE)
            continue;
        struct name *name = key_name(m->c, key);
        if (bindings_have(&seen, name))
            return duplicate_key(m, key);
        bindings_add(&seen, name);
    }
    return 0;
}

static int check_mapping(struct matcher *m, const struct node *p)
{
    if (check_keys(m, p->match_mapping.keys) < 0 ||
        check_subpatterns(m, p->match_mapping.patterns, false, p) < 0)
        return -1;
    return bind_name(m, p->match_mapping.rest);
}

static int check_pattern(struct matcher *m, const struct node *p)
{
    static int (*const patterns[N_COUNT])(struct matcher *, const struct node *) = {
        [N_MATCH_VALUE] = check_value,     [N_MATCH_SEQUENCE] = check_sequence,
        [N_MATCH_MAPPING] = check_mapping, [N_MATCH_CLASS] = check_class_pattern,
        [N_MATCH_STAR] = check_star,       [N_MATCH_AS] = check_as,
        [N_MATCH_OR] = check_or,
    };

    m->at = p;
    return patterns[p->kind] ? patterns[p->kind](m, p) : 0;
}

static int check_case(struct checker *c, const struct node *n, bool is_last)
{
    AUTO_BINDINGS struct bindings bindings = {0};
    struct matcher m = {
        .c = c, .bindings = &bindings, .may_be_irrefutable = is_last || n->match_case.guard};

    if (check_pattern(&m, n->match_case.pattern) < 0 ||
        check_expression(c, n->match_case.guard) < 0)
        return -1;
    return check_statements(c, n->match_case.body);
}

int check_match(struct checker *c, const struct node *n)
{
    struct node_list cases = n->match_stmt.cases;

    if (check_expression(c, n->match_stmt.subject) < 0)
        return -1;
    for (size_t i = 0; i < cases.n; i++)
        if (check_case(c, cases.at[i], i + 1 == cases.n) < 0)
            return -1;
    return 0;
}
