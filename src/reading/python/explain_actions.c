/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that the grammar cannot express. src/reading/python/grammar.peg names each function with
 * an @; the function returns the value of its alternative.
 */
#include "python/explain_parts.h"
#include "python/parse.h"
#include "syntax/literal.h"

#include <stdio.h>
#include <string.h>

static const struct token *token(const struct reader *r, uint32_t value)
{
    return &r->tokens->at[value_first(r, value)];
}

static struct str token_text(const struct reader *r, const struct token *t)
{
    return (struct str){r->tree->text.p + t->start, t->end - t->start};
}

/* ---- literals, whose own text can be invalid ---- */

/* The kind of node that the adjacent strings become because of this string; N_CONSTANT if this
 * string does not decide. */
static unsigned piece_kind(const struct reader *r, const struct token *t)
{
    struct str body;

    if (t->kind == T_TSTRING_START)
        return N_TEMPLATE_STR;
    if (t->kind == T_FSTRING_START ||
        (t->kind == T_STRING && literal_open(token_text(r, t), &body) & LITERAL_FORMAT))
        return N_JOINED_STR;
    return N_CONSTANT;
}

static bool is_bytes(const struct reader *r, const struct token *t)
{
    struct str body;

    return t->kind == T_STRING && literal_open(token_text(r, t), &body) & LITERAL_BYTES;
}

/* True if bytes and str are mixed, from 3.12 on, where the tokens of fields are among the strings.
 */
static bool are_mixed(const struct reader *r, uint32_t from, uint32_t to)
{
    bool bytes = is_bytes(r, &r->tokens->at[from]), mixed = false;
    int depth = 0;

    for (uint32_t i = from; i < to; i++) {
        const struct token *t = &r->tokens->at[i];
        mixed |= depth == 0 && is_bytes(r, t) != bytes;
        depth += t->kind == T_FSTRING_START;
        depth -= t->kind == T_FSTRING_END;
    }
    return mixed;
}

/* How often each token may be joined, on average: tokens of an f-string are joined again as part of
 * the f-string around it. */
enum { JOINS = 8 };

/* Moves an error of the strings as a whole to the token after them. (CPython takes the last token
 * that it has read, and may count the column from the previous line.) */
static void place_again(struct reader *r, uint32_t behind)
{
    const struct python_error *e = &r->tree->error;
    const struct token *t = &r->tokens->at[behind];

    if (r->field || behind == r->tokens->n || e->line != t->line || strchr(e->message, '$') ||
        e->column != python_offset(r->tree, t->line, (int32_t)t->column))
        return;
    explain_last(r, e->kind, e->message, NULL);
}

/* False, with an error, if the strings are invalid. */
static bool strings_are_good(struct reader *r, uint32_t from, uint32_t to)
{
    r->joined += to - from;
    if (r->joined > JOINS * r->tokens->n || strings_join(r->tree, &r->tokens->at[from], to - from))
        return true;
    r->failed = r->tree->error.kind != PYTHON_NO_ERROR;
    /* Without an error, strings_join has read on into a formatted string after these, which is
     * invalid. */
    if (!r->failed && are_mixed(r, from, to))
        explain_last(r, PYTHON_SYNTAX_ERROR, "cannot mix bytes and nonbytes literals", NULL);
    else if (r->failed)
        place_again(r, to);
    return !r->failed;
}

uint32_t explain_strings(struct reader *r, const struct match *m)
{
    unsigned kind = N_CONSTANT;

    if (!strings_are_good(r, m->start, r->mark))
        return 0;
    for (uint32_t i = m->start; i < r->mark && kind == N_CONSTANT; i++)
        kind = piece_kind(r, &r->tokens->at[i]);
    return form_new(r, kind, m->start, r->mark - 1);
}

/* Checks the letter after a `!`. From 3.14 on CPython checks it here, up to 3.13 at the end of the
 * field. */
static uint32_t conversion_letter(struct reader *r, uint32_t value, char prefix)
{
    const struct name *name = token(r, value)->name;
    char text[96];

    if (name->n == 1 && strchr("sra", name->text[0]))
        return value;
    snprintf(text, sizeof text,
             "%c-string: invalid conversion character '$t0': expected 's', 'r', or 'a'", prefix);
    return explain_range(r, value, value, text, &value);
}

static uint32_t conversion(struct reader *r, const struct match *m, char prefix)
{
    char text[96];

    if (token(r, m->a)->end == token(r, m->b)->start)
        return r->tree->target < 14 ? m->b : conversion_letter(r, m->b, prefix);
    snprintf(text, sizeof text, "%c-string: conversion type must come right after the %s mark",
             prefix, r->tree->target < 14 ? "exclamanation" : "exclamation");
    return explain_range(r, m->a, m->b, text, NULL);
}

static uint32_t explain_actions_field(struct reader *r, const struct match *m, char prefix)
{
    return m->a ? conversion_letter(r, m->a, prefix) : VALUE_SOME;
}

uint32_t explain_conversion(struct reader *r, const struct match *m)
{
    return conversion(r, m, 'f');
}

uint32_t explain_template_conversion(struct reader *r, const struct match *m)
{
    return conversion(r, m, 't');
}

uint32_t explain_field(struct reader *r, const struct match *m)
{
    return explain_actions_field(r, m, 'f');
}

uint32_t explain_template_field(struct reader *r, const struct match *m)
{
    return explain_actions_field(r, m, 't');
}

uint32_t explain_mixed_strings(struct reader *r, const struct match *m)
{
    return explain_range(r, value_last_item(r, m->a), m->b,
                         "cannot mix t-string literals with string or bytes literals", NULL);
}

/* A number of up to this many digits is never too long for CPython. */
enum { DIGITS_FREE = 640 };

uint32_t explain_number(struct reader *r, uint32_t token)
{
    const struct token *t = &r->tokens->at[token];
    struct error_place place = {.line = t->line, .end_line = t->end_line};
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

/* In the lexer, `<>` is the same token as `!=`. */
uint32_t explain_not_equal(struct reader *r, const struct match *m)
{
    return r->tree->text.p[token(r, m->a)->start] == '!' ? m->a : 0;
}

/* ---- type parameters ---- */

static bool is_tuple(const struct reader *r, uint32_t value)
{
    const struct form *f = value_form(r, value);

    return f && f->kind == N_TUPLE;
}

uint32_t explain_bound_of_tuple(struct reader *r, const struct match *m)
{
    return explain_from(r, m->a,
                        is_tuple(r, m->b) ? "cannot use constraints with TypeVarTuple"
                                          : "cannot use bound with TypeVarTuple",
                        NULL);
}

uint32_t explain_bound_of_spec(struct reader *r, const struct match *m)
{
    return explain_from(r, m->a,
                        is_tuple(r, m->b) ? "cannot use constraints with ParamSpec"
                                          : "cannot use bound with ParamSpec",
                        NULL);
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

/* ---- two adjacent expressions ---- */

/* True for a word that was a statement in Python 2. */
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

/* In a `for` loop, `a in b` has been read as a comparison, and only the part before the `in` is a
 * target. */
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

/* The part of a target that cannot be assigned to or deleted, or 0. The recursion is limited, like
 * that of the grammar. */
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
