/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads f-strings and t-strings from their tokens, from Python 3.12 on.
 *
 * Adjacent strings are pushed as one flat list of texts and fields; then adjacent texts are joined.
 * A text stays undecoded until the end of its string, marked by the kind of its constant, because
 * its errors count only if the fields are valid.
 */
#include <string.h>

#include "python/parse_parts.h"

enum { UNDECODED = CONST_BYTES, FIRST_SIMPLE = 13, FIRST_TEMPLATE = 14 };

static struct node *text_node(struct parser *p, const struct token *t, struct str text,
                              enum constant_kind kind)
{
    struct node *n = start(p, N_CONSTANT, t);

    n->op = (uint8_t)kind;
    n->constant.text = text;
    n->end_line = t->end_line;
    n->end_column = t->end_column;
    return n;
}

static bool is_middle(const struct token *t)
{
    return t->kind == T_FSTRING_MIDDLE || t->kind == T_TSTRING_MIDDLE;
}

/* ---- the text of an expression, which `=` and t-strings keep ---- */

/* The end of the comment at `at`. */
static const char *skip_comment(const char *at, const char *end)
{
    const char *line_end = memchr(at, '\n', (size_t)(end - at));

    return line_end ? line_end : end;
}

/* The end of the string whose quote is at `at`, as CPython determines it. */
static const char *skip_string(const char *at, const char *end)
{
    char quote = *at++;

    while (at < end && *at != quote)
        at++;
    return at < end ? at + 1 : end;
}

/* Removes comments. Before 3.14 a `#` in a string counts as one. */
static struct str without_comments(struct parser *p, struct str text)
{
    const char *at = text.p, *end = text.p + text.n;
    char *copy, *out;

    if (!memchr(text.p, '#', text.n))
        return text;
    copy = out = arena_alloc(p->arena, text.n);
    while (at < end) {
        const char *piece = at;
        bool quote = (*at == '\'' || *at == '"') && p->target >= FIRST_TEMPLATE;
        at = *at == '#' ? skip_comment(at, end) : quote ? skip_string(at, end) : at + 1;
        if (*piece == '#')
            continue;
        memcpy(out, piece, (size_t)(at - piece));
        out += at - piece;
    }
    return (struct str){copy, (size_t)(out - copy)};
}

/* The text between the field's brace and the token after its expression. */
static struct str field_text(struct parser *p, const struct token *brace, const struct token *end)
{
    return without_comments(p, (struct str){p->text + brace->end, end->start - brace->end});
}

/* The text for an Interpolation: without blanks and `=` at its end. */
static struct str interpolation_text(struct str text)
{
    static const char cut[] = {' ', '\t', '\n', '\v', '\f', '\r', '='};

    while (text.n && memchr(cut, text.p[text.n - 1], sizeof cut))
        text.n--;
    return text;
}

/* ---- fields ---- */

static bool format_spec(struct parser *p, struct node *n, bool raw);

/* fstring_conversion: '!' NAME, with nothing between them */
static bool conversion(struct parser *p, struct node *n)
{
    const struct token *mark = p->at, *letter = mark + 1;

    if (!accept(p, T_EXCLAMATION))
        return true;
    if (letter->kind != T_NAME || letter->name->n != 1 || letter->start != mark->end)
        return false;
    n->formatted.conversion = (unsigned char)letter->name->text[0];
    p->at++;
    return strchr("sra", n->formatted.conversion);
}

/* The text that `=` adds before its field. */
static void push_debug_text(struct parser *p, const struct token *brace, const struct token *end,
                            bool in_spec)
{
    bool decoded = in_spec || p->target >= FIRST_TEMPLATE;
    struct node *n = text_node(p, brace, field_text(p, brace, end),
                               decoded ? CONST_STR : (enum constant_kind)UNDECODED);

    n->column++;
    n->end_line = end->line;
    n->end_column = end->column;
    push(p, n);
}

/* How a field is read, in an f-string, a t-string or a format. */
struct field_style {
    enum node_kind kind;
    bool raw, in_spec;
};

/* fstring_replacement_field: '{' annotated_rhs ['='] [fstring_conversion]
 * [fstring_full_format_spec] '}' */
static bool strings_format_field(struct parser *p, const struct field_style *style)
{
    const struct token *brace = p->at++;
    struct node *n = start(p, style->kind, brace);

    n->formatted.conversion = -1;
    n->formatted.value = yield_or_star_expressions(p);
    if (!n->formatted.value)
        return false;
    above(n, n->formatted.value);
    bool debug = accept(p, T_EQUAL);
    if (style->kind == N_INTERPOLATION)
        n->formatted.str = interpolation_text(field_text(p, brace, p->at));
    if (debug)
        push_debug_text(p, brace, p->at, style->in_spec);
    if (!conversion(p, n) || !format_spec(p, n, style->raw) || !accept(p, T_RBRACE))
        return false;
    if (debug && n->formatted.conversion < 0 && !n->formatted.format_spec)
        n->formatted.conversion = 'r';
    push(p, finish(p, n));
    return true;
}

/* ---- lists of texts and fields ---- */

static struct node *strings_format_item(const struct parser *p, size_t i)
{
    return p->list[i];
}

static bool is_empty_text(const struct node *n)
{
    return n->kind == N_CONSTANT && n->constant.text.n == 0;
}

static void drop_empty_texts(struct parser *p, size_t mark)
{
    size_t kept = mark;

    for (size_t i = mark; i < p->list_n; i++)
        if (!is_empty_text(strings_format_item(p, i)))
            p->list[kept++] = p->list[i];
    p->list_n = kept;
}

/* Joins the texts from item `from` up to `to`; NULL if memory is out. */
static struct node *join_texts(struct parser *p, size_t from, size_t to)
{
    struct node *n = strings_format_item(p, from);
    struct pieces pieces = {{NULL, 0}, {0}};
    bool good = true;

    for (size_t i = from; i < to && good; i++)
        good = pieces_add(p->tree, &pieces, strings_format_item(p, i)->constant.text);
    n->constant.text = pieces_take(p->tree, &pieces);
    n->end_line = strings_format_item(p, to - 1)->end_line;
    n->end_column = strings_format_item(p, to - 1)->end_column;
    return good ? n : NULL;
}

/* Joins adjacent texts, and removes empty ones. */
static bool fold_texts(struct parser *p, size_t mark)
{
    size_t kept = mark;

    for (size_t i = mark, next; i < p->list_n; i = next) {
        struct node *n = strings_format_item(p, i);
        next = i + 1;
        if (n->kind == N_CONSTANT) {
            while (next < p->list_n && strings_format_item(p, next)->kind == N_CONSTANT)
                next++;
            n = next > i + 1 ? join_texts(p, i, next) : n;
            if (!n)
                return false;
        }
        if (!is_empty_text(n))
            p->list[kept++] = n;
    }
    p->list_n = kept;
    return true;
}

/* A text of a format, which is decoded at once. */
static bool spec_text(struct parser *p, bool raw)
{
    const struct token *t = p->at++;
    unsigned flags = raw && p->target >= FIRST_TEMPLATE ? LITERAL_RAW : 0;
    struct str text;

    if (!strings_decode(p->tree, t, token_text(p, t), flags, t, &text))
        return false;
    push(p, text_node(p, t, text, CONST_STR));
    return true;
}

/* (FSTRING_MIDDLE | fstring_replacement_field)* */
static bool spec_items(struct parser *p, bool raw)
{
    const struct field_style style = {N_FORMATTED_VALUE, raw, true};

    for (;;) {
        if (p->at->kind == T_LBRACE) {
            if (!strings_format_field(p, &style))
                return false;
        } else if (is_middle(p->at)) {
            if (!spec_text(p, raw))
                return false;
        } else {
            return true;
        }
    }
}

/* Before 3.13 the texts of a format are not joined, and empty ones stay. */
static bool simplify_spec(struct parser *p, size_t mark)
{
    if (p->target >= FIRST_SIMPLE || p->list_n == mark + 1)
        drop_empty_texts(p, mark);
    return p->target < FIRST_SIMPLE || fold_texts(p, mark);
}

/* [fstring_full_format_spec]: ':' fstring_format_spec* */
static bool format_spec(struct parser *p, struct node *n, bool raw)
{
    const struct token *colon = p->at;
    size_t mark = p->list_n;

    if (!accept(p, T_COLON))
        return true;
    if (!spec_items(p, raw) || !simplify_spec(p, mark))
        return false;
    struct node *spec = finish(p, start(p, N_JOINED_STR, colon));
    list_take(p, mark, spec, &spec->joined.values);
    n->formatted.format_spec = spec;
    above(n, spec);
    return true;
}

/* ---- whole strings ---- */

/* Decodes the texts since `mark`; CPython reports an error at the string's end. */
static bool decode_texts(struct parser *p, size_t mark, const struct token *end, bool raw)
{
    for (size_t i = mark; i < p->list_n; i++) {
        struct node *n = strings_format_item(p, i);
        if (n->kind != N_CONSTANT || n->op != UNDECODED)
            continue;
        if (!strings_decode(p->tree, end, n->constant.text, raw ? LITERAL_RAW : 0, end,
                            &n->constant.text))
            return false;
        n->op = CONST_STR;
    }
    drop_empty_texts(p, mark);
    return true;
}

/* (fstring_replacement_field | FSTRING_MIDDLE)* */
static bool format_items(struct parser *p, const struct field_style *style)
{
    for (;;) {
        const struct token *t = p->at;
        if (t->kind == T_LBRACE) {
            if (!strings_format_field(p, style))
                return false;
        } else if (is_middle(t)) {
            push(p, text_node(p, t, token_text(p, t), (enum constant_kind)UNDECODED));
            p->at++;
        } else {
            return true;
        }
    }
}

/* fstring: FSTRING_START (fstring_replacement_field | FSTRING_MIDDLE)* FSTRING_END; tstring
 * likewise. Pushes what is in it. */
static bool format_string(struct parser *p)
{
    const struct token *first = p->at++;
    bool template = first->kind == T_TSTRING_START;
    const struct field_style style = {template ? N_INTERPOLATION : N_FORMATTED_VALUE, first->raw,
                                      false};
    size_t mark = p->list_n;

    if (!format_items(p, &style))
        return false;
    const struct token *end = p->at;
    return accept(p, template ? T_TSTRING_END : T_FSTRING_END) &&
           decode_texts(p, mark, end, first->raw);
}

/* string: STRING. Pushes the literal. A bytes literal, which is an error here, is reported only
 * after all others. */
static bool plain_string(struct parser *p, bool *bytes)
{
    const struct token *t = p->at++;
    struct str body = token_text(p, t);
    unsigned flags = literal_open(body, &body);

    if (!strings_decode(p->tree, t, body, flags, t, &body))
        return false;
    *bytes |= flags & LITERAL_BYTES;
    struct node *n = text_node(p, t, body, CONST_STR);
    if (p->text[t->start] == 'u')
        n->constant.kind = STR("u");
    push(p, n);
    return true;
}

/* (fstring | string)+ | tstring+; the first string decides which */
static bool format_strings(struct parser *p, const struct token *end, bool *bytes)
{
    bool template = p->at->kind == T_TSTRING_START;
    enum token_kind kind = template ? T_TSTRING_START : T_FSTRING_START;

    while (p->at != end) {
        if (p->at->kind == kind) {
            if (!format_string(p))
                return false;
        } else if (p->at->kind == T_STRING && !template) {
            if (!plain_string(p, bytes))
                return false;
        } else {
            break;
        }
    }
    return true;
}

/* strings: (fstring | string)+ | tstring+ */
struct node *strings_format(struct parser *p, const struct token *end)
{
    const struct token *first = p->at;
    bool template = first->kind == T_TSTRING_START, bytes = false;
    size_t mark = p->list_n;

    if (!enter(p) || !format_strings(p, end, &bytes))
        return NULL;
    leave(p);
    if (bytes) {
        strings_fail(p->tree, p->at, "cannot mix bytes and nonbytes literals");
        return NULL;
    }
    struct node *n = start(p, template ? N_TEMPLATE_STR : N_JOINED_STR, first);
    if (!fold_texts(p, mark))
        return NULL;
    list_take(p, mark, n, &n->joined.values);
    return finish(p, n);
}
