/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins adjacent strings. This file joins those without an f-string among them, for all versions.
 */
#include "base/utf8.h"
#include "python/parse_parts.h"

/* ---- errors and warnings ---- */

/* In a field, CPython counts columns in the field's own text, and in bytes instead of characters.
 */
static bool fail_in_field(struct python_tree *tree, const struct token *t, const char *message)
{
    uint32_t start = tree->field->column;

    python_fail(tree, PYTHON_SYNTAX_ERROR, t->line, -1, t->end_line, -1, "f-string: %s", message);
    tree->error.column = (int32_t)(t->column - start + 1);
    tree->error.end_column = (int32_t)(t->end_column - start + 1);
    return false;
}

/* Corrects the columns for CPython 3.11. After a string of several lines, it converts bytes to
 * characters as if the error were in the string's first line. */
static void recount(struct python_tree *tree, const struct token *t)
{
    const struct token *string = t - 1;
    const char *line = tree->text.p + string->start - string->column;

    if (string->line == t->line || string->end_line != t->line || t->kind == T_END)
        return;
    tree->error.column = (int32_t)utf8_count((struct str){line, t->column + 1});
    tree->error.end_column = (int32_t)utf8_count((struct str){line, t->end_column + 1});
}

bool strings_fail(struct python_tree *tree, const struct token *t, const char *message)
{
    if (tree->error.kind != PYTHON_NO_ERROR)
        return false;
    if (tree->field)
        return fail_in_field(tree, t, message);
    python_fail(tree, PYTHON_SYNTAX_ERROR, t->line, (int32_t)t->column, t->end_line,
                (int32_t)t->end_column, "%s", message);
    if (tree->target < 12)
        recount(tree, t);
    return false;
}

/* The length of an escape in a warning: a letter, or three digits. */
static int escape_length(struct str body, size_t at)
{
    bool octal = at + 1 < body.n && body.p[at + 1] >= '4' && body.p[at + 1] <= '7';

    return octal ? 3 : 1;
}

static uint32_t lines_before(struct str body, size_t to)
{
    uint32_t lines = 0;

    for (size_t i = 0; i < to; i++)
        lines += body.p[i] == '\n';
    return lines;
}

static void warn_escape(struct python_tree *tree, const struct token *t, struct str body, size_t at)
{
    int n = escape_length(body, at);
    const char *escape = body.p + at + 1, *octal = n == 3 ? "octal " : "";

    if (tree->target >= 14)
        python_warn(tree, PYTHON_SYNTAX_WARNING, t->line + lines_before(body, at), -1,
                    "\"\\%.*s\" is an invalid %sescape sequence. Such sequences will not work in "
                    "the future. Did you mean \"\\\\%.*s\"? A raw string is also an option.",
                    n, escape, octal, n, escape);
    else
        python_warn(tree, tree->target == 11 ? PYTHON_DEPRECATION_WARNING : PYTHON_SYNTAX_WARNING,
                    t->line, -1, "invalid %sescape sequence '\\%.*s'", octal, n, escape);
}

/* ---- values ---- */

static bool is_ascii(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] & 0x80)
            return false;
    return true;
}

bool strings_decode(struct python_tree *tree, const struct token *t, struct str body,
                    unsigned flags, const struct token *where, struct str *ret)
{
    struct literal_error error;
    long bad_escape;

    if ((flags & LITERAL_BYTES) && !is_ascii(body))
        return strings_fail(tree, where, "bytes can only contain ASCII literal characters");
    if (!literal_decode(tree, body, flags, ret, &bad_escape, &error))
        return strings_fail(tree, where, error.message);
    if (bad_escape >= 0)
        warn_escape(tree, t, body, (size_t)bad_escape);
    return true;
}

bool pieces_add(struct python_tree *tree, struct pieces *pieces, struct str text)
{
    if (!text.n)
        return true;
    if (!pieces->first.n) {
        pieces->first = text;
        return true;
    }
    if (!pieces->more.n) {
        buf_init(&pieces->more, tree->memory_limit);
        buf_add_str(&pieces->more, pieces->first);
    }
    buf_add_str(&pieces->more, text);
    if (!pieces->more.overflow)
        return true;
    python_fail(tree, PYTHON_MEMORY_ERROR, 0, -1, 0, -1, "a string is too large");
    return false;
}

struct str pieces_take(struct python_tree *tree, struct pieces *pieces)
{
    struct str all = pieces->first;

    if (pieces->more.n)
        all = arena_str(&tree->arena, buf_str(&pieces->more));
    buf_done(&pieces->more);
    pieces->first = (struct str){NULL, 0};
    return all;
}

static struct str strings_text_of(const struct python_tree *tree, const struct token *t)
{
    return (struct str){tree->text.p + t->start, t->end - t->start};
}

static struct node *constant(struct python_tree *tree, const struct token *first,
                             const struct token *last, unsigned flags, struct str text)
{
    struct node *n = node_new(&tree->arena, N_CONSTANT);

    n->height = 1;
    n->line = first->line;
    n->column = first->column;
    n->end_line = last->end_line;
    n->end_column = last->end_column;
    n->op = flags & LITERAL_BYTES ? CONST_BYTES : CONST_STR;
    if (!(flags & LITERAL_BYTES) && tree->text.p[first->start] == 'u')
        n->constant.kind = STR("u");
    n->constant.text = text.n ? text : STR("");
    return n;
}

/* The location of an error in a string. Up to 3.11 it is after all the strings, since CPython reads
 * them all first. */
static const struct token *place(const struct python_tree *tree, const struct token *t,
                                 const struct token *behind)
{
    return tree->target >= 12 ? t : behind;
}

/* strings: STRING+, none of them an f-string */
static struct node *join(struct python_tree *tree, const struct token *first, size_t n,
                         unsigned flags)
{
    const struct token *behind = first + n;
    struct pieces pieces = {{NULL, 0}, {0}};
    struct str body;
    bool good = true, mixed = false;

    for (const struct token *t = first; good && t < behind; t++) {
        unsigned own = literal_open(strings_text_of(tree, t), &body);
        good = strings_decode(tree, t, body, own, place(tree, t, behind), &body) &&
               pieces_add(tree, &pieces, body);
        mixed |= (own ^ flags) & LITERAL_BYTES;
        if (mixed && tree->target < 12)
            break;
    }
    if (mixed && good)
        good = strings_fail(tree, behind, "cannot mix bytes and nonbytes literals");
    struct str text = pieces_take(tree, &pieces);
    return good ? constant(tree, first, behind - 1, flags, text) : NULL;
}

static bool any_format(const struct python_tree *tree, const struct token *first, size_t n)
{
    struct str body;

    for (size_t i = 0; i < n; i++)
        if (first[i].kind != T_STRING ||
            literal_open(strings_text_of(tree, first + i), &body) & LITERAL_FORMAT)
            return true;
    return false;
}

/* One STRING that is not an f-string, the usual case. */
static struct node *single(struct python_tree *tree, const struct token *t, struct str body,
                           unsigned flags)
{
    if (!strings_decode(tree, t, body, flags, place(tree, t, t + 1), &body))
        return NULL;
    return constant(tree, t, t, flags, body);
}

struct node *strings_join(struct python_tree *tree, const struct token *first, size_t n)
{
    struct str body;
    unsigned flags = literal_open(strings_text_of(tree, first), &body);

    if (n == 1 && first->kind == T_STRING && !(flags & LITERAL_FORMAT))
        return single(tree, first, body, flags);
    if (!any_format(tree, first, n))
        return join(tree, first, n, flags);
    if (tree->target < 12)
        return strings_311(tree, first, n, flags & LITERAL_BYTES);
    struct parser p;
    parser_init(&p, tree, first);
    struct node *node = strings_format(&p, first + n);
    parser_done(&p);
    return node;
}

/* strings: STRING+;  from 3.12 on (fstring | string)+, from 3.14 on also tstring+ */
struct node *strings(struct parser *p)
{
    const struct token *first = p->at;

    while (p->at->kind == T_STRING)
        p->at++;
    if (p->at->kind == T_FSTRING_START || p->at == first) {
        p->at = first;
        return strings_format(p, NULL);
    }
    return strings_join(p->tree, first, (size_t)(p->at - first));
}
