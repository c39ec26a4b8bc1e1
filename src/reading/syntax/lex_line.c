/* SPDX-License-Identifier: Apache-2.0
 *
 * The beginning and the end of lines: margins (indentation), continued lines, the end of the text.
 */
#include "syntax/lex_parts.h"

static void add_mark(struct lexer *l, enum token_kind kind, const char *p)
{
    struct token *t = lex_add(l, kind, p, p);

    t->column = t->end_column = TOKEN_NO_COLUMN;
}

/* ---- margins ---- */

bool lex_odd_margin(struct lexer *l, const char **p, struct margin *ret)
{
    struct margin m = {0, 0};
    uint32_t first = 0; /* the margin before the first backslash, which counts */

    for (const char *at = *p;; at++) {
        switch (*at) {
        case ' ':
            m.column++, m.tabless++;
            break;
        case '\t':
            m.column = (m.column / 8 + 1) * 8, m.tabless++;
            break;
        case '\f':
            m = (struct margin){0, 0};
            break;
        case '\\':
            first = first ? first : m.column;
            at = lex_continue(l, at);
            if (!at)
                return false;
            l->piece_start = at--;
            break;
        default:
            *p = at;
            *ret = first ? (struct margin){first, first} : m;
            return true;
        }
    }
}

static const char *tab_error(struct lexer *l)
{
    return lex_fail_late(l, PYTHON_TAB_ERROR, 1, 0,
                         "inconsistent use of tabs and spaces in indentation");
}

static const char *deeper(struct lexer *l, struct margin m, const char *p)
{
    if (l->indent + 1 >= MAX_INDENTS)
        return lex_fail_late(l, PYTHON_INDENTATION_ERROR, 1, 0, "too many levels of indentation");
    if (m.tabless <= l->tabless[l->indent])
        return tab_error(l);
    l->indent++;
    l->indents[l->indent] = m.column;
    l->tabless[l->indent] = m.tabless;
    add_mark(l, T_INDENT, p);
    return p;
}

static const char *no_such_margin(struct lexer *l, const char *p)
{
    const char *end = lex_line_end(l, p);
    int32_t offset = lex_count(l->line_start, end + (end < l->end));

    return lex_fail_late(l, PYTHON_INDENTATION_ERROR, offset, -1,
                         "unindent does not match any outer indentation level");
}

static const char *shallower(struct lexer *l, struct margin m, const char *p)
{
    unsigned closed = 0;

    for (; l->indent && m.column < l->indents[l->indent]; closed++)
        l->indent--;
    if (m.column != l->indents[l->indent])
        return no_such_margin(l, p);
    if (m.tabless != l->tabless[l->indent])
        return tab_error(l);
    while (closed--)
        add_mark(l, T_DEDENT, p);
    return p;
}

const char *lex_margin(struct lexer *l, struct margin m, const char *p)
{
    if (m.column > l->indents[l->indent])
        return deeper(l, m, p);
    if (m.column < l->indents[l->indent])
        return shallower(l, m, p);
    return tab_error(l);
}

/* ---- ends ---- */

/* The end of the text is on its last line. */
const char *lex_end(struct lexer *l)
{
    if (l->line_start == l->end && l->end > l->text)
        l->line--;
    if (!l->level)
        (void)shallower(l, (struct margin){0, 0}, l->end);
    add_mark(l, T_END, l->end);
    return NULL;
}

/* Converts n bytes from `from` on to a number of characters, at most those of the line, its end,
 * and one more. Up to 3.13, CPython counts from the start of the piece (piece_start), even in the
 * lines after it. */
static int32_t continued_offset(const struct lexer *l, size_t n)
{
    const char *from = l->tree->target < 14 ? l->piece_start : l->line_start;
    const char *end = lex_line_end(l, l->line_start) + 1;
    size_t line = (size_t)(end - from);

    return n > line ? lex_count(from, end) + 1 : lex_count(from, from + n);
}

static const char *end_in_continued(struct lexer *l)
{
    if (l->level)
        return lex_end(l);
    return lex_fail_late(l, PYTHON_SYNTAX_ERROR,
                         continued_offset(l, (size_t)(l->end - l->line_start)), -1,
                         "unexpected EOF while parsing");
}

const char *lex_continue(struct lexer *l, const char *p)
{
    if (p[1] != '\n')
        return lex_fail_late(l, PYTHON_SYNTAX_ERROR,
                             continued_offset(l, (size_t)(p + 2 - l->piece_start)), 0,
                             "unexpected character after line continuation character");
    if (p + 2 == l->end)
        return end_in_continued(l);
    lex_next_line(l, p + 2);
    return p + 2;
}
