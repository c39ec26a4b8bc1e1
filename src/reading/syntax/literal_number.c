/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "syntax/lex.h"
#include "syntax/literal.h"

enum {
    INT_DIGITS_MAX = 4300, /* CPython's limit, because converting takes quadratic time */
    DIGITS_SAFE = 18,      /* so many decimal digits fit into an int64_t */
    DIGITS_EXACT = 15,     /* so many decimal digits fit into a double without rounding */
    POWER_EXACT = 22,      /* 10 to this power is an exact double */
};

/* The text without underscores, NUL-terminated. */
static struct str bare(struct arena *arena, struct str text)
{
    struct str copy = arena_str(arena, text);
    char *out = (char *)copy.p;

    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '_')
            *out++ = text.p[i];
    *out = '\0';
    copy.n = (size_t)(out - copy.p);
    return copy;
}

/* Reads digits in a base of 2^bits; a big integer keeps its spelling. */
static void read_binary(struct str text, unsigned bits, struct node *ret)
{
    uint64_t value = 0;

    ret->op = CONST_INT;
    for (size_t i = 2; i < text.n; i++) {
        char c = text.p[i];
        unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
        if (value > (uint64_t)INT64_MAX >> bits) {
            ret->op = CONST_BIG_INT;
            ret->constant.text = text;
            return;
        }
        value = value << bits | digit;
    }
    ret->constant.integer = (int64_t)value;
}

/* False if the value does not fit. */
static bool read_decimal(struct str digits, int64_t *ret)
{
    uint64_t value = 0;

    for (size_t i = 0; i < digits.n; i++) {
        unsigned digit = (unsigned)(digits.p[i] - '0');
        if (value > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *ret = (int64_t)value;
    return true;
}

static int read_integer(struct python_tree *tree, struct str digits, struct node *ret)
{
    while (digits.n > 1 && digits.p[0] == '0') /* "0", "00", ...: all digits are zeros */
        digits = str_slice(digits, 1, digits.n);
    if (digits.n > INT_DIGITS_MAX)
        return python_fail(tree, PYTHON_SYNTAX_ERROR, ret->line, -1, ret->end_line, -1,
                           "Exceeds the limit (%d digits) for integer string conversion: value has "
                           "%zu digits; use sys.set_int_max_str_digits() to increase the limit - "
                           "Consider hexadecimal for huge integer literals to avoid decimal "
                           "conversion limits.",
                           INT_DIGITS_MAX, digits.n);
    ret->op = CONST_INT;
    if (!read_decimal(digits, &ret->constant.integer)) {
        ret->op = CONST_BIG_INT;
        ret->constant.text = digits;
    }
    return 0;
}

/* strtod with a dot as the decimal point in every locale. */
static double read_real(const char *digits)
{
    /* The C library returns a static object for this locale: nothing to free, and it is cheap. */
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

    return c ? strtod_l(digits, NULL, c) : 0;
}

/* Reads "e-12" as -12, and cuts it off *rest. False if the exponent is too long for the fast path.
 */
static bool read_exponent(struct str *rest, int *ret)
{
    size_t at = 1;
    bool negative = at < rest->n && rest->p[at] == '-';

    *ret = 0;
    at += negative || (at < rest->n && rest->p[at] == '+');
    for (; at < rest->n && at < 5 && rest->p[at] >= '0' && rest->p[at] <= '9'; at++)
        *ret = *ret * 10 + (rest->p[at] - '0');
    if (negative)
        *ret = -*ret;
    *rest = str_slice(*rest, at, rest->n);
    return rest->n == 0;
}

/* Reads the usual short numbers. If both the digits and the power of ten are exact doubles, one
 * multiplication or division rounds once, which is correct. */
static bool read_short_real(struct str text, double *ret)
{
    static const double powers[POWER_EXACT + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    };
    uint64_t digits = 0;
    int exponent = 0;
    size_t at = 0, point = 0, fraction = 0;

    for (; at < text.n && at < DIGITS_EXACT + point; at++) {
        if (text.p[at] >= '0' && text.p[at] <= '9') {
            digits = digits * 10 + (uint64_t)(text.p[at] - '0');
            fraction += point;
        } else if (text.p[at] == '.') {
            point = 1;
        } else {
            break;
        }
    }
    struct str rest = str_slice(text, at, text.n);
    if (rest.n && ((rest.p[0] | 0x20) != 'e' || !read_exponent(&rest, &exponent)))
        return false;
    exponent -= (int)fraction;
    if (exponent < -POWER_EXACT || exponent > POWER_EXACT)
        return false;
    *ret = exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
    return true;
}

static unsigned bits_of_base(struct str text)
{
    if (text.n < 2 || text.p[0] != '0')
        return 0;
    switch (text.p[1] | 0x20) {
    case 'x':
        return 4;
    case 'o':
        return 3;
    case 'b':
        return 1;
    default:
        return 0;
    }
}

static bool all_digits(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return true;
}

/* Reads any number except a short decimal integer. */
static int read_rest(struct python_tree *tree, struct str text, struct node *ret)
{
    bool imaginary = (text.p[text.n - 1] | 0x20) == 'j';
    struct str clean = str_slice(text, 0, text.n - imaginary);

    ret->op = imaginary ? CONST_COMPLEX : CONST_FLOAT;
    if (read_short_real(clean, &ret->constant.real))
        return 0;
    clean = bare(&tree->arena, clean);
    unsigned bits = bits_of_base(clean);
    if (bits)
        read_binary(clean, bits, ret);
    else if (!imaginary && all_digits(clean))
        return read_integer(tree, clean, ret);
    else
        ret->constant.real = read_real(clean.p);
    return 0;
}

int literal_number(struct python_tree *tree, struct str text, struct node *ret_constant)
{
    int64_t value = 0;

    if (text.n > DIGITS_SAFE)
        return read_rest(tree, text, ret_constant);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return read_rest(tree, text, ret_constant);
        value = value * 10 + (text.p[i] - '0');
    }
    ret_constant->op = CONST_INT;
    ret_constant->constant.integer = value;
    return 0;
}
