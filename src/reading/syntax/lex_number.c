/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads numbers: finds their end, and refuses characters that may not follow them. literal.h
 * computes their values.
 */
#include <string.h>

#include "syntax/lex_parts.h"

/* ---- what follows ---- */

/* True if a keyword is directly after the number, as in `1if x else y`. CPython warns of this. */
static bool keyword_follows(const char *p)
{
    static const char *const words[] = {"and", "else", "for", "or", "not"};

    if (p[0] == 'i')
        return p[1] == 'f' || p[1] == 'n' || p[1] == 's';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (p[0] == words[i][0] && strncmp(p, words[i], n) == 0)
            return !goes_on(p[n]);
    }
    return false;
}

/* Ends the number at p, unless an invalid character follows. */
static const char *number_end(struct lexer *l, const char *p, const char *kind)
{
    bool wide = class_of(*p) == C_WIDE;

    if (!goes_on(*p) || (wide && l->tree->target >= 12))
        return p;
    if (!keyword_follows(p))
        return lex_fail(l, p, "invalid %s literal", kind);
    python_warn(l->tree, PYTHON_SYNTAX_WARNING, l->line, -1, "invalid %s literal", kind);
    return p;
}

/* ---- digits ---- */

/* Reads decimal digits, with single underscores between them; p is at a digit. */
static const char *digits(struct lexer *l, const char *p)
{
    for (;;) {
        while (is_digit(*p))
            p++;
        if (*p != '_')
            return p;
        if (!is_digit(*++p))
            return lex_fail(l, p, "invalid decimal literal");
    }
}

struct base {
    const char *name;
    char letter;
    char top; /* its highest decimal digit */
};

static bool is_digit_of(char c, const struct base *base)
{
    char lower = (char)(c | 0x20);

    return (c >= '0' && c <= base->top) || (base->letter == 'x' && lower >= 'a' && lower <= 'f');
}

/* Reads the digits after "0x", "0o" or "0b". */
static const char *based(struct lexer *l, const char *p, const struct base *base)
{
    do {
        if (*p == '_')
            p++;
        if (is_digit(*p) && *p > base->top)
            return lex_fail(l, p + 1, "invalid digit '%c' in %s literal", *p, base->name);
        if (!is_digit_of(*p, base))
            return lex_fail(l, p, "invalid %s literal", base->name);
        while (is_digit_of(*p, base))
            p++;
    } while (*p == '_');
    if (is_digit(*p))
        return lex_fail(l, p + 1, "invalid digit '%c' in %s literal", *p, base->name);
    return number_end(l, p, base->name);
}

static bool is_letter(char c, char lower)
{
    return (c | 0x20) == lower;
}

/* ---- decimal numbers ---- */

/* Called after the digits, the fraction and the exponent. */
static const char *imaginary(struct lexer *l, const char *p)
{
    if (is_letter(*p, 'j'))
        return number_end(l, p + 1, "imaginary");
    return number_end(l, p, "decimal");
}

static const char *exponent(struct lexer *l, const char *p)
{
    if (!is_letter(*p, 'e'))
        return imaginary(l, p);
    if (p[1] == '+' || p[1] == '-') {
        if (!is_digit(p[2]))
            return lex_fail(l, p + 2, "invalid decimal literal");
        p = digits(l, p + 2);
    } else if (is_digit(p[1])) {
        p = digits(l, p + 1);
    } else { /* such as `1else` */
        return number_end(l, p, "decimal");
    }
    return p ? imaginary(l, p) : NULL;
}

/* Called at the dot. */
static const char *fraction(struct lexer *l, const char *p)
{
    p++;
    if (is_digit(*p))
        p = digits(l, p);
    return p ? exponent(l, p) : NULL;
}

/* Leading zeros are allowed only if a dot, an exponent or a j makes the number a float or complex.
 */
static const char *leading_zero(struct lexer *l, const char *start)
{
    const char *p = start;

    while (*p == '0' || *p == '_') {
        if (*p == '_' && !is_digit(p[1]))
            return lex_fail(l, p + 1, "invalid decimal literal");
        p++;
    }
    const char *zeros = p;
    if (is_digit(*p))
        p = digits(l, p);
    if (!p)
        return NULL;
    if (*p == '.')
        return fraction(l, p);
    if (is_letter(*p, 'e'))
        return exponent(l, p);
    if (is_letter(*p, 'j') || p == zeros)
        return imaginary(l, p);
    return lex_fail_range(l, (int32_t)(start + 1 - l->line_start),
                          (int32_t)(zeros + 1 - l->line_start),
                          "leading zeros in decimal integer literals are not permitted; use an 0o "
                          "prefix for octal integers");
}

static const char *zero(struct lexer *l, const char *p)
{
    static const struct base bases[] = {
        {"hexadecimal", 'x', '9'}, {"octal", 'o', '7'}, {"binary", 'b', '1'}};

    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (is_letter(p[1], bases[i].letter))
            return based(l, p + 2, &bases[i]);
    return leading_zero(l, p);
}

static const char *whole_number(struct lexer *l, const char *p)
{
    if (*p == '0')
        return zero(l, p);
    if (*p == '.')
        return fraction(l, p);
    p = digits(l, p);
    if (!p)
        return NULL;
    return *p == '.' ? fraction(l, p) : exponent(l, p);
}

const char *lex_number(struct lexer *l, const char *start)
{
    const char *end = whole_number(l, start);

    if (end)
        lex_add(l, T_NUMBER, start, end);
    return end;
}
