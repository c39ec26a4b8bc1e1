/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "syntax/literal.h"
#include "syntax/unicode.h"

/* ---- text ---- */

/* Single quotes, unless the text contains these and no double quotes. */
static char quote_for(struct str text)
{
    return text.n && memchr(text.p, '\'', text.n) && !memchr(text.p, '"', text.n) ? '"' : '\'';
}

static void add_escape(struct buf *b, uint32_t code, char quote)
{
    char out[12] = {'\\', (char)code};

    if (code == '\t')
        out[1] = 't';
    else if (code == '\n')
        out[1] = 'n';
    else if (code == '\r')
        out[1] = 'r';
    else if (code > 0xFFFF)
        snprintf(out, sizeof out, "\\U%08x", code);
    else if (code > 0xFF)
        snprintf(out, sizeof out, "\\u%04x", code);
    else if (code != '\\' && code != (unsigned char)quote)
        snprintf(out, sizeof out, "\\x%02x", code);
    buf_adds(b, out);
}

/* The number of bytes from `at` on that need no escape. */
static size_t plain_run(struct str text, size_t at, char quote)
{
    size_t i = at;

    while (i < text.n && text.p[i] >= ' ' && text.p[i] < 0x7F && text.p[i] != '\\' &&
           text.p[i] != quote)
        i++;
    return i - at;
}

/* target 0: the text is bytes, not characters. */
static void add_quoted(struct str text, unsigned target, struct buf *b)
{
    char quote = quote_for(text);

    buf_addc(b, quote);
    for (size_t at = 0; at < text.n && !b->overflow;) {
        size_t n = plain_run(text, at, quote);
        buf_add(b, text.p + at, n);
        at += n;
        if (at == text.n)
            break;
        size_t start = at;
        uint32_t code = target ? unicode_next(text, &at) : (unsigned char)text.p[at++];
        if (code >= 0x80 && target && unicode_is_printable(code, target))
            buf_add(b, text.p + start, at - start);
        else
            add_escape(b, code, quote);
    }
    buf_addc(b, quote);
}

int literal_repr_str(struct str text, unsigned target, struct buf *ret)
{
    add_quoted(text, target, ret);
    return ret->overflow ? -1 : 0;
}

/* ---- integers ---- */

enum {
    INT_DIGITS_MAX = 4300, /* CPython's limit for printing */
    INT_BITS_MAX = 14288,  /* an integer of more bits always exceeds INT_DIGITS_MAX */
    LIMBS = INT_BITS_MAX / 32 + 2,
    PIECE = 1000000000, /* printed 9 digits at a time */
    PIECES = INT_DIGITS_MAX / 9 + 2,
};

int literal_repr_int(int64_t value, struct buf *ret)
{
    char out[24], *p = out + sizeof out;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;

    do
        *--p = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--p = '-';
    return buf_add(ret, p, (size_t)(out + sizeof out - p));
}

/* Reads the bits of "0x...", "0o..." or "0b...", lowest limb first. False if there are too many. */
static bool read_limbs(struct str text, uint32_t limbs[LIMBS])
{
    unsigned bits = (text.p[1] | 0x20) == 'x' ? 4 : (text.p[1] | 0x20) == 'o' ? 3 : 1;
    size_t first = 2, bit = 0;

    while (first < text.n && text.p[first] == '0')
        first++;
    if ((text.n - first) * bits > INT_BITS_MAX)
        return false;
    for (size_t i = text.n; i > first; i--, bit += bits) {
        char c = text.p[i - 1];
        uint64_t digit = (uint64_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10) << bit % 32;
        limbs[bit / 32] |= (uint32_t)digit;
        if (digit >> 32)
            limbs[bit / 32 + 1] |= (uint32_t)(digit >> 32);
    }
    return true;
}

/* Divides by PIECE; returns the remainder. *n is the number of limbs without leading zeros. */
static uint32_t divide(uint32_t limbs[LIMBS], size_t *n)
{
    uint64_t rest = 0;

    for (size_t i = *n; i-- > 0;) {
        rest = rest << 32 | limbs[i];
        limbs[i] = (uint32_t)(rest / PIECE);
        rest %= PIECE;
    }
    while (*n && !limbs[*n - 1])
        --*n;
    return (uint32_t)rest;
}

/* Quadratic, but with at most INT_BITS_MAX bits it takes less than a millisecond. */
static int add_binary(struct str text, struct buf *b)
{
    uint32_t limbs[LIMBS] = {0}, pieces[PIECES];
    size_t n = LIMBS, count = 0;
    size_t before = b->n;

    if (!read_limbs(text, limbs))
        return -1;
    do
        pieces[count++] = divide(limbs, &n);
    while (n);
    buf_addf(b, "%u", pieces[--count]);
    while (count)
        buf_addf(b, "%09u", pieces[--count]);
    return b->overflow || b->n - before > INT_DIGITS_MAX ? -1 : 0;
}

static int add_big_integer(struct str text, struct buf *b)
{
    bool decimal = text.p[1] <= '9';

    return decimal ? buf_add_str(b, text) : add_binary(text, b);
}

/* ---- floating point ---- */

enum {
    SURE_DIGITS = 15, /* decimals of up to this many digits survive conversion to double and back */
    /* every double survives conversion to a decimal of this many digits and back */
    ALL_DIGITS = 17,
};

/* 0.123e5 is "123" and 4, the exponent of the first digit. */
struct decimal {
    char digits[ALL_DIGITS + 1];
    int n, exponent;
};

/* Rounds to n digits. */
static void round_to(double v, int n, struct decimal *ret)
{
    char text[40];
    const char *p = text;

    snprintf(text, sizeof text, "%.*e", n - 1, v);
    for (ret->n = 0; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9') /* skips the locale's decimal point between the digits */
            ret->digits[ret->n++] = *p;
    bool negative = p[1] == '-';
    ret->exponent = 0;
    for (p += 2; *p; p++)
        ret->exponent = ret->exponent * 10 + (*p - '0');
    if (negative)
        ret->exponent = -ret->exponent;
}

static bool reads_back(const struct decimal *d, double v)
{
    char text[40];

    snprintf(text, sizeof text, "%.*se%d", d->n, d->digits, d->exponent - d->n + 1);
    return strtod(text, NULL) == v;
}

/* The next larger decimal with the same number of digits. */
static void step_up(struct decimal *d)
{
    int i = d->n - 1;

    for (; i >= 0 && d->digits[i] == '9'; i--)
        d->digits[i] = '0';
    if (i >= 0) {
        d->digits[i]++;
    } else {
        d->digits[0] = '1';
        d->exponent++;
    }
}

/* Finds the decimal with the fewest digits that reads back as v; of several, the nearest. Just
 * below a power of two, doubles are closer together than above it. So at a power of two the nearest
 * decimal may read back as the double below, while the next larger decimal reads back as v. */
static void shortest(double v, struct decimal *ret)
{
    bool subnormal = fpclassify(v) == FP_SUBNORMAL;
    int ignored;

    for (int n = subnormal ? 1 : SURE_DIGITS; n <= ALL_DIGITS; n++) {
        round_to(v, n, ret);
        if (reads_back(ret, v))
            break;
        if (n == ALL_DIGITS - 1 && frexp(v, &ignored) == 0.5) {
            step_up(ret);
            if (reads_back(ret, v))
                break;
        }
    }
    while (ret->n > 1 && ret->digits[ret->n - 1] == '0')
        ret->n--;
}

static void add_zeros(struct buf *b, int n)
{
    for (int i = 0; i < n; i++)
        buf_addc(b, '0');
}

/* 0.00123, 123.45, 12300 */
static void add_fixed(struct buf *b, const struct decimal *d)
{
    int whole = d->exponent + 1; /* digits before the decimal point */

    if (whole <= 0) {
        buf_adds(b, "0.");
        add_zeros(b, -whole);
        whole = 0;
    }
    int before = whole < d->n ? whole : d->n;
    buf_add(b, d->digits, (size_t)before);
    add_zeros(b, whole - before);
    if (before < d->n && whole > 0)
        buf_addc(b, '.');
    buf_add(b, d->digits + before, (size_t)(d->n - before));
}

/* Like repr() of a float, but with ".0" only if `point` is set. */
static void add_real(double v, bool point, struct buf *b)
{
    struct decimal d;

    if (isinf(v)) {
        buf_adds(b, "inf");
        return;
    }
    shortest(v, &d);
    if (d.exponent >= -4 && d.exponent < 16) {
        add_fixed(b, &d);
        if (point && d.n <= d.exponent + 1)
            buf_adds(b, ".0");
        return;
    }
    buf_add(b, d.digits, 1);
    if (d.n > 1)
        buf_addc(b, '.');
    buf_add(b, d.digits + 1, (size_t)d.n - 1);
    buf_addf(b, "e%c%02d", d.exponent < 0 ? '-' : '+', abs(d.exponent));
}

int literal_repr(const struct node *constant, unsigned target, struct buf *ret)
{
    static const char *const words[] = {
        [CONST_NONE] = "None",
        [CONST_FALSE] = "False",
        [CONST_TRUE] = "True",
        [CONST_ELLIPSIS] = "Ellipsis",
    };

    switch ((enum constant_kind)constant->op) {
    case CONST_NONE:
    case CONST_FALSE:
    case CONST_TRUE:
    case CONST_ELLIPSIS:
        return buf_adds(ret, words[constant->op]);
    case CONST_INT:
        return literal_repr_int(constant->constant.integer, ret);
    case CONST_BIG_INT:
        return add_big_integer(constant->constant.text, ret);
    case CONST_FLOAT:
        add_real(constant->constant.real, true, ret);
        break;
    case CONST_COMPLEX:
        add_real(constant->constant.real, false, ret);
        buf_addc(ret, 'j');
        break;
    case CONST_BYTES:
        buf_addc(ret, 'b');
        add_quoted(constant->constant.text, 0, ret);
        break;
    case CONST_STR:
        add_quoted(constant->constant.text, target, ret);
        break;
    }
    return ret->overflow ? -1 : 0;
}
