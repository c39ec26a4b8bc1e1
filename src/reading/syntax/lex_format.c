/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the text of f-strings and t-strings, from Python 3.12 on. A doubled brace ends a MIDDLE,
 * which includes the first of the two braces. So between two fields there is at most one MIDDLE
 * more than there are doubled braces.
 */
#include "syntax/lex_parts.h"

static struct format *top(struct lexer *l)
{
    return &l->format[l->formats - 1];
}

char lex_letter(const struct format *f)
{
    return f->template ? 't' : 'f';
}

/* The token kind, T_FSTRING_... or the corresponding T_TSTRING_... */
static enum token_kind kind_of(const struct format *f, enum token_kind kind)
{
    return f->template ? (enum token_kind)(kind + (T_TSTRING_START - T_FSTRING_START)) : kind;
}

static bool has_letter(const char *start, const char *end, char lower)
{
    for (; start < end; start++)
        if ((*start | 0x20) == lower)
            return true;
    return false;
}

const char *lex_format_start(struct lexer *l, const char *start, const char *p)
{
    uint8_t quotes = p[1] == *p && p[2] == *p ? 3 : 1;

    if (l->formats + 1 >= MAX_FORMATS)
        return lex_fail(l, p + quotes, "too many nested f-strings%s",
                        l->tree->target >= 14 ? " or t-strings" : "");
    l->format[l->formats++] = (struct format){
        .quote = *p,
        .quotes = quotes,
        .raw = has_letter(start, p, 'r'),
        .template = has_letter(start, p, 't'),
        .start = start,
        .line_start = l->line_start,
        .line = l->line,
        .fields = -1,
    };
    struct token *t = lex_add(l, kind_of(top(l), T_FSTRING_START), start, p + quotes);
    t->quote = quotes;
    t->raw = top(l)->raw;
    return lex_format_text(l, p + quotes);
}

static bool quotes_at(const struct format *f, const char *p)
{
    return *p == f->quote && (f->quotes == 1 || (p[1] == f->quote && p[2] == f->quote));
}

static const char *format_end(struct lexer *l, const char *p)
{
    struct format *f = top(l);
    struct token *t = lex_add(l, kind_of(f, T_FSTRING_END), p, p + f->quotes);

    t->quote = f->quotes;
    l->formats--;
    return p + f->quotes;
}

/* Ends a field's format. CPython 3.12 notices this only at the next field that is not in a format
 * itself. */
static void leave_spec(const struct lexer *l, struct format *f)
{
    f->in_spec &= l->tree->target < 13 && f->braces > 0;
}

static const char *lex_format_field(struct lexer *l, const char *p)
{
    struct format *f = top(l);

    leave_spec(l, f);
    if (++f->fields >= MAX_FIELDS)
        return lex_fail(l, p, "%c-string: expressions nested too deeply", lex_letter(f));
    return p;
}

static const char *unterminated(struct lexer *l)
{
    const struct format *f = top(l);
    unsigned found = l->line - (l->line_start == l->end && l->end > l->text);

    l->line = f->line;
    l->line_start = f->line_start;
    return lex_fail(l, f->start + 1, "unterminated %s%c-string literal (detected at line %u)",
                    f->quotes == 3 ? "triple-quoted " : "", lex_letter(f), found);
}

static void warn_escape(struct lexer *l, char c)
{
    if (l->tree->target >= 14)
        python_warn(l->tree, PYTHON_SYNTAX_WARNING, l->line, -1,
                    "\"\\%c\" is an invalid escape sequence. Such sequences will not work in the "
                    "future. Did you mean \"\\\\%c\"? A raw string is also an option.",
                    c, c);
    else
        python_warn(l->tree, PYTHON_SYNTAX_WARNING, l->line, -1, "invalid escape sequence '\\%c'",
                    c);
}

/* Skips a backslash and the character that it escapes. It does not escape a brace. */
static const char *escape(struct lexer *l, const char *p, bool *named)
{
    p++;
    if (*p == '{' || *p == '}') {
        if (!top(l)->raw)
            warn_escape(l, *p);
        return p;
    }
    if (*p == 'N' && !top(l)->raw) {
        *named |= p[1] == '{';
        return p + 1 + (p[1] == '{');
    }
    if (p == l->end)
        return p;
    if (*p == '\n')
        lex_next_line(l, p + 1);
    return p + 1;
}

/* A part of the text, with its location. */
struct piece {
    const char *start;
    uint32_t line, line_base;
};

/* Ends the part at `end`; the lexer continues at `next`. After a doubled brace `next` is one byte
 * further, and CPython, too, counts that as the token's end. */
static const char *add_piece(struct lexer *l, const struct piece *piece, const char *end,
                             const char *next)
{
    const struct format *f = top(l);
    struct token *t = lex_add(l, kind_of(f, T_FSTRING_MIDDLE), piece->start, end);

    t->raw = f->raw;
    t->line = piece->line;
    t->column = (uint32_t)(piece->start - l->text) - piece->line_base;
    t->end_column = (uint32_t)(next - l->text) - l->line_base;
    return next;
}

static const char *newline_in_one(struct lexer *l, const struct piece *piece, const char *p)
{
    struct format *f = top(l);

    if (!f->in_spec || f->fields < 0 || p == l->end)
        return unterminated(l);
    if (l->tree->target >= 14)
        return lex_fail(l, p + 1,
                        "%c-string: newlines are not allowed in format specifiers for single "
                        "quoted %c-strings",
                        lex_letter(f), lex_letter(f));
    leave_spec(l, f);
    return add_piece(l, piece, p, p);
}

static bool in_spec(const struct format *f)
{
    return f->in_spec && f->fields >= 0;
}

static const char *brace_open(struct lexer *l, const struct piece *piece, const char *p, bool *more)
{
    if (p[1] == '{' && !in_spec(top(l))) {
        *more = true;
        return add_piece(l, piece, p + 1, p + 2);
    }
    return lex_format_field(l, p) ? add_piece(l, piece, p, p) : NULL;
}

static const char *brace_close(struct lexer *l, const struct piece *piece, const char *p,
                               bool *more)
{
    struct format *f = top(l);

    if (p[1] == '}' && !in_spec(f) && !f->braces) {
        *more = true;
        return add_piece(l, piece, p + 1, p + 2);
    }
    leave_spec(l, f);
    return add_piece(l, piece, p, p);
}

static inline const char *skip_plain(const struct format *f, const char *p, const char *end)
{
    while (p < end && *p != f->quote && *p != '\\' && *p != '\n' && *p != '{' && *p != '}')
        p++;
    return p;
}

/* Reads one part. *ret_more: more text or the end of the string follows. */
static const char *text_piece(struct lexer *l, const char *p, bool *ret_more)
{
    const struct format *f = top(l);
    const struct piece piece = {p, l->line, l->line_base};
    bool named = false; /* inside \N{...}: its brace ends the part */

    for (;; p++) {
        p = skip_plain(f, p, l->end);
        if (p == l->end)
            return unterminated(l);
        if (*p == '\\') {
            p = escape(l, p, &named) - 1;
        } else if (*p == '\n') {
            if (f->quotes == 1)
                return newline_in_one(l, &piece, p);
            lex_next_line(l, p + 1);
        } else if (*p == '{') {
            return brace_open(l, &piece, p, ret_more);
        } else if (*p == '}' && !named) {
            return brace_close(l, &piece, p, ret_more);
        } else if (*p == '}') {
            *ret_more = true;
            return add_piece(l, &piece, p + 1, p + 1);
        } else if (quotes_at(f, p)) {
            *ret_more = true;
            return add_piece(l, &piece, p, p);
        }
    }
}

const char *lex_format_text(struct lexer *l, const char *p)
{
    for (bool more = true; more && p;) {
        more = false;
        if (*p == '{' && p[1] != '{')
            return lex_format_field(l, p);
        if (quotes_at(top(l), p))
            return format_end(l, p);
        p = text_piece(l, p, &more);
    }
    return p;
}
