/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the end of string literals. Their contents do not matter here.
 */
#include <string.h>

#include "syntax/lex_parts.h"

/* ---- prefixes ---- */

enum { P_B = 1, P_U = 2, P_R = 4, P_F = 8, P_T = 16 };

static unsigned prefix_letter(char c)
{
    switch (c | 0x20) {
    case 'b':
        return P_B;
    case 'u':
        return P_U;
    case 'r':
        return P_R;
    case 'f':
        return P_F;
    case 't':
        return P_T;
    default:
        return 0;
    }
}

/* Pairs of prefix letters that exclude each other, in the order in which CPython 3.14 reports them.
 */
static const char *wrong_pair(unsigned letters)
{
    static const struct {
        unsigned letters;
        const char *message;
    } pairs[] = {
        {P_U | P_B, "'u' and 'b' prefixes are incompatible"},
        {P_U | P_R, "'u' and 'r' prefixes are incompatible"},
        {P_U | P_F, "'u' and 'f' prefixes are incompatible"},
        {P_U | P_T, "'u' and 't' prefixes are incompatible"},
        {P_B | P_F, "'b' and 'f' prefixes are incompatible"},
        {P_B | P_T, "'b' and 't' prefixes are incompatible"},
        {P_F | P_T, "'f' and 't' prefixes are incompatible"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((letters & pairs[i].letters) == pairs[i].letters)
            return pairs[i].message;
    return NULL;
}

enum lex_prefix lex_prefix(struct lexer *l, const char *start, const char *p)
{
    unsigned letters = 0;

    for (const char *at = start; at < p; at++) {
        unsigned letter = prefix_letter(*at);
        if (!letter || letters & letter || (letter == P_T && l->tree->target < 14))
            return PREFIX_NONE;
        letters |= letter;
    }
    const char *wrong = wrong_pair(letters);
    if (wrong && l->tree->target < 14)
        return PREFIX_NONE;
    if (wrong) {
        (void)lex_fail_range(l, (int32_t)(start + 1 - l->line_start),
                             (int32_t)(p + 1 - l->line_start), wrong);
        return PREFIX_WRONG;
    }
    return letters & (P_F | P_T) && l->tree->target >= 12 ? PREFIX_FORMAT : PREFIX_STRING;
}

/* ---- strings ---- */

/* True if the quotes are those of the f-string around the field. Then they probably end the
 * f-string, and the field lacks its '}'. */
static bool closes_format(const struct lexer *l, char quote, unsigned quotes)
{
    const struct format *f = l->formats ? &l->format[l->formats - 1] : NULL;

    return f && f->quote == quote && f->quotes == quotes;
}

/* The location of a string's beginning. */
struct string_place {
    const char *start, *quote, *line_start;
    uint32_t line;
    unsigned quotes;
};

/* Reports the error at the string's beginning, however far the lexer has read. */
static const char *unterminated(struct lexer *l, const struct string_place *place, bool escaped)
{
    unsigned found = l->line - (l->line_start == l->end && l->end > l->text);
    const char *hint = "";

    l->line = place->line;
    l->line_start = place->line_start;
    if (closes_format(l, *place->quote, place->quotes))
        return lex_fail(l, place->start + 1, "%c-string: expecting '}'",
                        lex_letter(&l->format[l->formats - 1]));
    if (escaped && place->quotes == 1 && l->tree->target >= 13)
        hint = "; perhaps you escaped the end quote?";
    return lex_fail(l, place->start + 1, "unterminated %sstring literal (detected at line %u)%s",
                    place->quotes == 3 ? "triple-quoted " : "", found, hint);
}

/* The next quote, backslash or line end from p on, or the end of the text. */
static inline const char *skip_plain(const char *p, const char *end, char quote)
{
    while (p < end && *p != quote && *p != '\\' && *p != '\n')
        p++;
    return p;
}

static const char *add_string(struct lexer *l, const struct string_place *place, const char *p)
{
    struct token *t = lex_add(l, T_STRING, place->start, p);

    /* The string began on an earlier line. If that is the first line of an f-string's field, the
     * column lacks the field's own column, as in CPython. */
    if (place->line != l->line) {
        t->line = place->line;
        t->column = (uint32_t)(place->start - place->line_start);
    }
    return p;
}

const char *lex_string(struct lexer *l, const char *start, const char *p)
{
    const struct string_place place = {start, p, l->line_start, l->line,
                                       p[1] == *p && p[2] == *p ? 3 : 1};
    char quote = *p;
    bool escaped = false;

    for (p += place.quotes;; p++) {
        p = skip_plain(p, l->end, quote);
        if (p == l->end)
            return unterminated(l, &place, escaped);
        if (*p == quote && place.quotes == 1)
            return add_string(l, &place, p + 1);
        if (*p == quote && p[1] == quote && p[2] == quote)
            return add_string(l, &place, p + 3);
        if (*p == '\\') {
            p++;
            escaped |= *p == quote;
            if (p == l->end)
                return unterminated(l, &place, escaped);
        } else if (*p == '\n' && place.quotes == 1) {
            return unterminated(l, &place, escaped);
        }
        if (*p == '\n')
            lex_next_line(l, p + 1);
    }
}
