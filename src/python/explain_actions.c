/* SPDX-License-Identifier: Apache-2.0
 *
 * What the grammar cannot say itself. Each function is one that src/python/grammar.peg names with
 * an @, and answers what its alternative is worth.
 */
#include "python/explain_parts.h"
#include "python/literal.h"
#include "python/parse.h"

#include <string.h>

static const struct token *token(const struct reader *r, uint32_t value)
{
    return &r->tokens->at[value_first(r, value)];
}

static struct str token_text(const struct reader *r, const struct token *t)
{
    return (struct str){r->tree->text.p + t->start, t->end - t->start};
}

/* ---- literals, which can be wrong in themselves ---- */

static bool is_format(const struct reader *r, const struct token *t)
{
    struct str body;

    return t->kind == T_STRING && literal_open(token_text(r, t), &body) & LITERAL_FORMAT;
}

uint32_t explain_strings(struct reader *r, const struct match *m)
{
    unsigned kind = N_CONSTANT;

    if (m->start >= r->joined) {
        r->joined = r->mark;
        r->failed = !strings_join(r->tree, &r->tokens->at[m->start], r->mark - m->start);
        if (r->failed)
            return 0;
    }
    for (uint32_t i = m->start; i < r->mark; i++)
        if (is_format(r, &r->tokens->at[i]))
            kind = N_JOINED_STR;
    return form_new(r, kind, m->start, r->mark - 1);
}

/* CPython converts any number this short. */
enum { DIGITS_FREE = 640 };

uint32_t explain_number(struct reader *r, uint32_t token)
{
    const struct token *t = &r->tokens->at[token];
    struct place place = {.line = t->line, .end_line = t->end_line};
    struct node n = {0};

    if (t->end - t->start <= DIGITS_FREE || literal_number(r->tree, token_text(r, t), &n) == 0)
        return VALUE_SOME;
    return explain_at(r, PYTHON_SYNTAX_ERROR, &place, r->tree->error.message, NULL);
}

static bool is_imaginary(const struct reader *r, uint32_t value)
{
    struct str s = token_text(r, token(r, value));

    return s.p[s.n - 1] == 'j' || s.p[s.n - 1] == 'J';
}

uint32_t explain_real(struct reader *r, const struct match *m)
{
    if (!is_imaginary(r, m->a))
        return m->a;
    return explain_range(r, m->a, m->a, "real number required in complex literal", NULL);
}

uint32_t explain_imaginary(struct reader *r, const struct match *m)
{
    if (is_imaginary(r, m->a))
        return m->a;
    return explain_range(r, m->a, m->a, "imaginary number required in complex literal", NULL);
}

/* `<>` is the same token to the lexer. */
uint32_t explain_not_equal(struct reader *r, const struct match *m)
{
    return r->tree->text.p[token(r, m->a)->start] == '!' ? m->a : 0;
}

/* ---- calls ---- */

uint32_t explain_generator_alone(struct reader *r, const struct match *m)
{
    uint32_t last = value_last_item(r, value_last_item(r, m->b));

    return explain_range(r, m->a, last, "Generator expression must be parenthesized", NULL);
}

static bool is_keyword(const struct reader *r, uint32_t value)
{
    const struct form *f = value_form(r, value);

    return f && f->kind == N_KEYWORD;
}

uint32_t explain_generator_last(struct reader *r, const struct match *m)
{
    const struct form *args = value_form(r, m->a);
    uint32_t count = 0, last = 0;

    for (uint32_t c = args ? args->head : 0; c; c = r->cell[c].next)
        if (!is_keyword(r, r->cell[c].value)) {
            last = r->cell[c].value;
            count++;
        }
    if (count <= 1)
        return 0;
    return explain_generator_alone(r, &(struct match){.a = last, .b = m->b});
}

uint32_t explain_positional_late(struct reader *r, const struct match *m)
{
    const struct form *args = value_form(r, m->a);

    for (uint32_t c = args ? args->head : 0; c; c = r->cell[c].next)
        if (is_keyword(r, r->cell[c].value) && token(r, r->cell[c].value)->kind == T_DOUBLE_STAR)
            return explain_last(r, PYTHON_SYNTAX_ERROR,
                                "positional argument follows keyword argument unpacking", NULL);
    return explain_last(r, PYTHON_SYNTAX_ERROR, "positional argument follows keyword argument",
                        NULL);
}

/* ---- two things side by side ---- */

/* What was a statement in Python 2. */
static bool was_statement(const struct reader *r, uint32_t value)
{
    const struct token *t = token(r, value);

    return value & VALUE_TOKEN && t->kind == T_NAME &&
           (strcmp(t->name->text, "print") == 0 || strcmp(t->name->text, "exec") == 0);
}

uint32_t explain_print_call(struct reader *r, const struct match *m)
{
    uint32_t values[] = {m->a, m->b};

    if (!was_statement(r, m->a))
        return 0;
    return explain_range(r, m->a, m->b,
                         "Missing parentheses in call to '$t0'. Did you mean $t0(...)?", values);
}

uint32_t explain_comma_forgotten(struct reader *r, const struct match *m)
{
    if (was_statement(r, m->a) || r->depth[r->mark - 1] == 0)
        return 0;
    return explain_range(r, m->a, m->b, "invalid syntax. Perhaps you forgot a comma?", NULL);
}

/* ---- targets ---- */

enum target { TARGET_ASSIGN, TARGET_FOR, TARGET_DELETE };

static uint32_t bad_target(const struct reader *r, uint32_t value, enum target target);

static uint32_t bad_item(const struct reader *r, const struct form *f, enum target target)
{
    for (uint32_t c = f->head; c; c = r->cell[c].next) {
        uint32_t bad = bad_target(r, r->cell[c].value, target);
        if (bad)
            return bad;
    }
    return 0;
}

/* `for a in b` reads as a comparison; only what stands before an `in` is a target then. */
static uint32_t bad_comparison(const struct reader *r, uint32_t value, enum target target)
{
    const struct form *f = value_form(r, value);
    uint32_t second = r->cell[f->head].next;

    if (target != TARGET_FOR)
        return value;
    if (token(r, r->cell[second].value)->kind != T_IN)
        return 0;
    return bad_target(r, r->cell[f->head].value, target);
}

/* What in it cannot be assigned to, or deleted; 0: nothing. It is no higher than the grammar's
 * recursion, which has a limit. */
static uint32_t bad_target(const struct reader *r, uint32_t value, enum target target)
{
    const struct form *f = value_form(r, value);

    if (!f)
        return token(r, value)->kind == T_NAME ? 0 : value;
    switch (f->kind) {
    case N_LIST:
    case N_TUPLE:
        return bad_item(r, f, target);
    case N_STARRED:
        return target == TARGET_DELETE ? value : bad_item(r, f, target);
    case N_COMPARE:
        return bad_comparison(r, value, target);
    case N_SUBSCRIPT:
    case N_ATTRIBUTE:
        return 0;
    default:
        return value;
    }
}

static uint32_t refuse_target(struct reader *r, uint32_t value, enum target target)
{
    uint32_t bad = bad_target(r, value, target);

    if (!bad)
        return 0;
    return explain_range(
        r, bad, bad, target == TARGET_DELETE ? "cannot delete $k0" : "cannot assign to $k0", &bad);
}

uint32_t explain_assign_to(struct reader *r, const struct match *m)
{
    return refuse_target(r, m->a, TARGET_ASSIGN);
}

uint32_t explain_loop_over(struct reader *r, const struct match *m)
{
    return refuse_target(r, m->a, TARGET_FOR);
}

uint32_t explain_delete(struct reader *r, const struct match *m)
{
    return refuse_target(r, m->a, TARGET_DELETE);
}
