/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors with CPython's messages and locations.
 */
#include "python/explain_parts.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

/* The name of an expression in `cannot assign to ...`. */
static const char *const kind_words[N_COUNT] = {
    [N_ATTRIBUTE] = "attribute",
    [N_SUBSCRIPT] = "subscript",
    [N_STARRED] = "starred",
    [N_NAME] = "name",
    [N_LIST] = "list",
    [N_TUPLE] = "tuple",
    [N_LAMBDA] = "lambda",
    [N_CALL] = "function call",
    [N_BOOL_OP] = "expression",
    [N_BIN_OP] = "expression",
    [N_UNARY_OP] = "expression",
    [N_GENERATOR_EXP] = "generator expression",
    [N_YIELD] = "yield expression",
    [N_YIELD_FROM] = "yield expression",
    [N_AWAIT] = "await expression",
    [N_LIST_COMP] = "list comprehension",
    [N_SET_COMP] = "set comprehension",
    [N_DICT_COMP] = "dict comprehension",
    [N_DICT] = "dict literal",
    [N_SET] = "set display",
    [N_JOINED_STR] = "f-string expression",
    [N_TEMPLATE_STR] = "t-string expression",
    [N_CONSTANT] = "literal",
    [N_COMPARE] = "comparison",
    [N_IF_EXP] = "conditional expression",
    [N_NAMED_EXPR] = "named expression",
};

/* "function call", "literal", ... */
static const char *explain_kind(const struct reader *r, uint32_t value)
{
    const struct form *f = value_form(r, value);

    if (f)
        return f->kind < N_COUNT && kind_words[f->kind] ? kind_words[f->kind] : "expression";
    switch (r->tokens->at[value_first(r, value)].kind) {
    case T_NAME:
        return "name";
    case T_NONE:
        return "None";
    case T_TRUE:
        return "True";
    case T_FALSE:
        return "False";
    case T_ELLIPSIS:
        return "ellipsis";
    default:
        return "literal";
    }
}

/* ---- messages ---- */

static void add_word(const struct reader *r, struct buf *b, char what, uint32_t value)
{
    const struct token *t = &r->tokens->at[value_first(r, value)];

    if (what == 'k')
        buf_addf(b, "%s", explain_kind(r, value));
    else if (what == 'l')
        buf_addf(b, "%u", t->line);
    else if (t->kind == T_NAME)
        buf_add(b, t->name->text, t->name->n);
    else
        buf_addf(b, "%s", token_texts[t->kind]);
}

static const char *words(struct reader *r, const char *text, const uint32_t *values)
{
    struct buf b;

    buf_init(&b, 1 << 16);
    if (r->field)
        buf_adds(&b, "f-string: ");
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "$");
        buf_add(&b, p, n);
        p += n;
        if (*p) {
            add_word(r, &b, p[1], values[p[2] - '0']);
            p += 3;
        }
    }
    const char *ret = arena_str(&r->tree->arena, buf_str(&b)).p;
    buf_done(&b);
    return ret;
}

/* ---- locations ---- */

static size_t line_start(const struct reader *r, size_t at)
{
    while (at && r->tree->text.p[at - 1] != '\n')
        at--;
    return at;
}

/* The start of the next line after `at`, or the end of the text. */
static size_t explain_words_next_line(const struct reader *r, size_t at)
{
    const char *p = r->tree->text.p + at;
    const char *end = memchr(p, '\n', r->tree->text.n - at);

    return end ? at + (size_t)(end - p) + 1 : r->tree->text.n;
}

static bool is_only_backslash(const struct reader *r, size_t at)
{
    const char *p = r->tree->text.p;

    while (p[at] == ' ' || p[at] == '\t' || p[at] == '\f')
        at++;
    return p[at] == '\\' && p[at + 1] == '\n';
}

/* The start of the first of the lines that backslashes join to the line at `at`. Outside brackets,
 * a line with only a backslash before a statement does not count. */
static size_t joined_start(const struct reader *r, size_t at, bool in_brackets)
{
    size_t start = at;

    while (start > 1 && r->tree->text.p[start - 2] == '\\')
        start = line_start(r, start - 1);
    while (!in_brackets && start < at && is_only_backslash(r, start))
        start = explain_words_next_line(r, start);
    return start;
}

/* The start of the piece (syntax/lex_parts.h) that contains `at`, the start of the line of token
 * `last`: an earlier line that backslashes join to it, or the first line of a string. */
static size_t piece_start(const struct reader *r, size_t at, uint32_t last)
{
    for (;;) {
        while (last && r->tokens->at[last].start >= at)
            last--;
        const struct token *t = &r->tokens->at[last];
        bool in_string = t->start < at && t->end > at;
        size_t start = in_string ? line_start(r, t->start) : joined_start(r, at, r->depth[last]);
        if (start == at)
            return at;
        at = start;
    }
}

/* The text in which CPython counts the columns of a line. If the tokenizer has passed the line, it
 * is the line; otherwise it is the text that the tokenizer holds, including the line's end. */
static struct str counted_text(const struct reader *r, uint32_t line)
{
    size_t start = 0;

    for (uint32_t i = 1; i < line; i++)
        start = explain_words_next_line(r, start);
    size_t end = explain_words_next_line(r, start);
    if (r->fill && r->tokens->at[r->fill - 1].end_line <= line) {
        if (r->tree->target < 14)
            start = piece_start(r, start, r->fill - 1);
    } else if (end > start) {
        end--;
    }
    return str_slice(r->tree->text, start, end);
}

/* Converts a column in bytes to one in characters, both from 1. CPython decodes that many bytes of
 * the text; they may end within a character, or be one more than there are. */
static int32_t characters(const struct reader *r, uint32_t line, int64_t column)
{
    int32_t n = 0;

    if (column <= 0)
        return (int32_t)column;
    struct str s = counted_text(r, line);
    if (column > (int64_t)s.n)
        n++;
    for (size_t i = 0; i < s.n && (int64_t)i < column; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

uint32_t explain_at(struct reader *r, enum python_error_kind kind, const struct error_place *place,
                    const char *text, const uint32_t *values)
{
    struct python_error *e = &r->tree->error;

    r->failed = true;
    *e = (struct python_error){
        .kind = kind,
        .line = place->line,
        .end_line = place->end_line,
        .column = (int32_t)place->column,
        .end_column = (int32_t)place->end_column,
        .message = words(r, text, values),
    };
    if (r->field) { /* CPython counts bytes in the field's own text */
        e->column -= (int32_t)r->tokens->at[0].column;
        e->end_column -= (int32_t)r->tokens->at[0].column;
    } else {
        e->column = characters(r, place->line, place->column);
        e->end_column = characters(r, place->line, place->end_column);
    }
    return 0;
}

/* Tokens without text have no column in CPython. */
static bool has_column(const struct token *t)
{
    return t->kind != T_INDENT && t->kind != T_DEDENT && t->kind != T_END;
}

/* For a token without a column, CPython uses the tokenizer's position in the line. */
static int64_t reached_column(const struct reader *r, const struct token *t)
{
    /* The end of the text belongs to its last line. */
    bool at_end = t->start && t->start == r->tree->text.n;

    return (int64_t)(t->start - line_start(r, t->start - at_end));
}

static int64_t start_column(const struct token *t)
{
    return has_column(t) ? (int64_t)t->column + 1 : 0;
}

static int64_t end_column(const struct token *t)
{
    return has_column(t) ? (int64_t)t->end_column + 1 : 0;
}

uint32_t explain_range(struct reader *r, uint32_t first, uint32_t last, const char *text,
                       const uint32_t *values)
{
    const struct token *a = &r->tokens->at[value_first(r, first)];
    const struct token *b = &r->tokens->at[value_last(r, last)];
    struct error_place place = {.line = a->line,
                                .column = start_column(a),
                                .end_line = b->end_line,
                                .end_column = end_column(b)};

    return explain_at(r, PYTHON_SYNTAX_ERROR, &place, text, values);
}

uint32_t explain_after(struct reader *r, uint32_t value, const char *text, const uint32_t *values)
{
    const struct token *a = &r->tokens->at[value_first(r, value)];
    const struct token *b = &r->tokens->at[value_last(r, value)];
    struct error_place place = {.line = a->line, .column = b->end_column, .end_line = b->end_line};

    return explain_at(r, PYTHON_SYNTAX_ERROR, &place, text, values);
}

uint32_t explain_from(struct reader *r, uint32_t value, const char *text, const uint32_t *values)
{
    const struct token *a = &r->tokens->at[value_first(r, value)];
    const struct token *last = &r->tokens->at[r->fill - 1];
    /* Includes a NEWLINE, which CPython's tokenizer has read; counted from 0. */
    int64_t end = last->end_column + (last->kind == T_NEWLINE && r->tree->target < 12);

    if (!has_column(last))
        end = reached_column(r, last);
    struct error_place place = {
        .line = a->line, .column = start_column(a), .end_line = last->end_line, .end_column = end};

    return explain_at(r, PYTHON_SYNTAX_ERROR, &place, text, values);
}

static uint32_t at_token(struct reader *r, enum python_error_kind kind, const struct token *t,
                         const char *text, const uint32_t *values)
{
    struct error_place place = {.line = t->line,
                                .column = start_column(t),
                                .end_line = t->end_line,
                                .end_column = end_column(t)};

    if (!has_column(t)) {
        place.column = reached_column(r, t);
        place.end_column = -1;
    }
    return explain_at(r, kind, &place, text, values);
}

uint32_t explain_last(struct reader *r, enum python_error_kind kind, const char *text,
                      const uint32_t *values)
{
    return at_token(r, kind, &r->tokens->at[r->fill - 1], text, values);
}

uint32_t explain_next(struct reader *r, const char *text, const uint32_t *values)
{
    return at_token(r, PYTHON_SYNTAX_ERROR, &r->tokens->at[r->mark], text, values);
}

uint32_t explain_open(struct reader *r, const struct open_bracket *open)
{
    AUTO_FREE char *text = xasprintf("'%c' was never closed", open->bracket);
    struct error_place place = {
        .line = open->line, .column = (int64_t)open->column + 1, .end_line = open->line};

    return explain_at(r, PYTHON_SYNTAX_ERROR, &place, text, NULL);
}

uint32_t explain_lexical(struct reader *r)
{
    const struct tokens *t = r->tokens;

    r->failed = r->lexical = true;
    r->tree->error = t->error;
    if (t->error.kind == PYTHON_NO_ERROR && t->open_count)
        explain_open(r, &t->open[t->open_count - 1]);
    return 0;
}
