/* SPDX-License-Identifier: Apache-2.0
 *
 * All loops are quadratic at worst in at most VALUE_MAX_HEX digits: a quarter of a second for the
 * largest.
 */
#include "values/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "syntax/literal.h"

enum { PIECE = 1000000000, PIECE_DIGITS = 9 };

/* ---- values ---- */

static void set_int(struct value *v, bool negative, const struct limbs *l)
{
    uint64_t low = (l->n > 0 ? l->at[0] : 0) | (l->n > 1 ? (uint64_t)l->at[1] << 32 : 0);

    v->type = VALUE_INT;
    v->limbs = NULL;
    v->limb_n = 0;
    v->negative = negative;
    if (l->n <= 2 && low <= (uint64_t)INT64_MAX) {
        v->integer = negative ? -(int64_t)low : (int64_t)low;
        return;
    }
    v->integer = 0;
    v->limbs = l->at;
    v->limb_n = (uint32_t)l->n;
}

void number_from_decimal(struct str text, struct arena *arena, struct value *ret)
{
    int64_t small;

    ret->type = VALUE_INT;
    ret->limbs = NULL;
    if (text.n < 19 && num_int64(text, &small)) {
        ret->integer = small;
        return;
    }
    struct limbs l = limbs_from_digits(text, arena);
    set_int(ret, text.p[0] == '-', &l);
}

bool number_from_hex(struct str text, struct arena *arena, struct value *ret)
{
    bool negative = text.n && text.p[0] == '-';
    struct str body = str_slice(text, negative, text.n);

    if (!str_starts(body, "0x") || body.n == 2 || body.n - 2 > VALUE_MAX_HEX)
        return false;
    body = str_slice(body, 2, body.n);
    struct limbs l = limbs_new(arena, body.n / 8 + 1);
    l.n = body.n / 8 + 1;
    memset(l.at, 0, l.n * sizeof *l.at);
    for (size_t i = 0; i < body.n; i++) {
        int digit = ascii_hex(body.p[body.n - 1 - i]);
        if (digit < 0)
            return false;
        l.at[i / 8] |= (uint32_t)digit << 4 * (i % 8);
    }
    limbs_trim(&l);
    set_int(ret, negative, &l);
    return true;
}

static struct limbs limbs_of(const struct value *v, struct arena *arena)
{
    uint64_t size = v->integer < 0 ? -(uint64_t)v->integer : (uint64_t)v->integer;

    if (!v->limbs)
        return limbs_from_int(size, arena);
    struct limbs l = limbs_new(arena, v->limb_n);
    memcpy(l.at, v->limbs, v->limb_n * sizeof *l.at);
    l.n = v->limb_n;
    return l;
}

static bool is_negative(const struct value *v)
{
    return v->limbs ? v->negative : v->integer < 0;
}

enum { FRACTION_LIMBS = 512 }; /* 16384 bits */

bool number_reduce(struct value pair[2], struct arena *arena)
{
    bool negative = is_negative(&pair[0]);
    struct limbs n = limbs_of(&pair[0], arena), d = limbs_of(&pair[1], arena);

    if (!d.n || is_negative(&pair[1]) || n.n > FRACTION_LIMBS || d.n > FRACTION_LIMBS)
        return false;
    if (!n.n) {
        pair[1].integer = 1;
        pair[1].limbs = NULL;
        return true;
    }
    struct limbs common = limbs_common_divisor(limbs_copy(&n, arena), limbs_copy(&d, arena));
    n = limbs_divide_exactly(&n, &common, arena);
    d = limbs_divide_exactly(&d, &common, arena);
    /* limbs_common_divisor leaves out factors 2. */
    while (!(n.at[0] & 1) && !(d.at[0] & 1)) {
        (void)limbs_divide(&n, 2);
        (void)limbs_divide(&d, 2);
    }
    set_int(&pair[0], negative, &n);
    set_int(&pair[1], false, &d);
    return true;
}

/* ---- the common form ---- */

/* An integer that fits 64 bits always has the small form. */
static void normalise(struct number *r)
{
    r->twos += limbs_strip_twos(&r->n);
    r->fives += limbs_strip_fives(&r->n);
    if (r->d.n) {
        r->twos -= limbs_strip_twos(&r->d);
        r->fives -= limbs_strip_fives(&r->d);
    }
    uint64_t v = (r->n.n > 0 ? r->n.at[0] : 0) | (r->n.n > 1 ? (uint64_t)r->n.at[1] << 32 : 0);
    if (!r->n.n) {
        r->small = true;
        r->integer = 0;
        return;
    }
    if (r->n.n > 2 || r->twos < 0 || r->fives < 0 || r->twos > 62 || r->fives > 27 ||
        (r->d.n && (r->d.n > 1 || r->d.at[0] != 1)))
        return;
    bool over = false;
    for (int64_t i = 0; i < r->fives; i++)
        over |= __builtin_mul_overflow(v, (uint64_t)5, &v);
    for (int64_t i = 0; i < r->twos; i++)
        over |= __builtin_mul_overflow(v, (uint64_t)2, &v);
    r->small = !over && v <= (uint64_t)INT64_MAX;
    if (r->small)
        r->integer = r->negative ? -(int64_t)v : (int64_t)v;
}

static void from_int(const struct value *v, struct arena *arena, struct number *ret)
{
    if (!v->limbs) {
        ret->small = true;
        ret->integer = v->integer;
        return;
    }
    ret->negative = v->negative;
    ret->n = limbs_of(v, arena);
    normalise(ret);
}

static void from_double(double v, struct arena *arena, struct number *ret)
{
    int exponent;

    ret->kind = isnan(v) ? NUMBER_NAN : isinf(v) ? NUMBER_INFINITE : NUMBER_FINITE;
    ret->negative = v < 0;
    if (ret->kind != NUMBER_FINITE)
        return;
    double mantissa = frexp(fabs(v), &exponent);
    ret->n = limbs_from_int((uint64_t)ldexp(mantissa, 53), arena);
    ret->twos = exponent - 53;
    normalise(ret);
}

/* A Decimal's str(): "1.50", "-1E+5", "NaN123", "sNaN", "-Infinity". */
struct decimal {
    bool negative, infinite, nan;
    struct str digits; /* there may be a dot in them */
    int64_t exponent;
};

static bool cut_special(struct str s, struct decimal *ret)
{
    ret->infinite = str_is_nocase(s, "inf") || str_is_nocase(s, "infinity");
    if (s.n && (s.p[0] | 32) == 's')
        s = str_slice(s, 1, s.n);
    ret->nan = s.n >= 3 && str_is_nocase(str_slice(s, 0, 3), "nan");
    return ret->infinite || ret->nan;
}

static bool cut_decimal(struct str s, struct decimal *ret)
{
    size_t points = 0, digits = 0, i = 0, behind = 0;

    *ret = (struct decimal){.negative = s.n && s.p[0] == '-'};
    s = str_slice(s, s.n && (s.p[0] == '-' || s.p[0] == '+'), s.n);
    if (cut_special(s, ret))
        return true;
    for (; i < s.n && (s.p[i] == '.' || (s.p[i] >= '0' && s.p[i] <= '9')); i++) {
        points += s.p[i] == '.';
        digits += s.p[i] != '.';
        behind += points && s.p[i] != '.';
    }
    ret->digits = str_slice(s, 0, i);
    if (i < s.n &&
        ((s.p[i] | 32) != 'e' ||
         !num_int64(str_slice(s, i + 1 + (i + 1 < s.n && s.p[i + 1] == '+'), s.n), &ret->exponent)))
        return false;
    if (points > 1 || !digits || digits > VALUE_MAX_DECIMAL || ret->exponent > INT64_MAX / 4 ||
        ret->exponent < INT64_MIN / 4)
        return false;
    ret->exponent -= (int64_t)behind;
    return true;
}

bool number_is_decimal(struct str text)
{
    struct decimal d;

    return cut_decimal(text, &d);
}

static bool from_decimal(struct str text, struct arena *arena, struct number *ret)
{
    struct decimal d;

    if (!cut_decimal(text, &d))
        return false;
    ret->negative = d.negative;
    ret->kind = d.nan ? NUMBER_NAN : d.infinite ? NUMBER_INFINITE : NUMBER_FINITE;
    if (ret->kind != NUMBER_FINITE)
        return true;
    ret->n = limbs_from_digits(d.digits, arena);
    limbs_trim(&ret->n);
    ret->twos = ret->fives = ret->n.n ? d.exponent : 0;
    normalise(ret);
    return true;
}

static void from_fraction(const struct value pair[2], struct arena *arena, struct number *ret)
{
    ret->negative = is_negative(&pair[0]);
    ret->n = limbs_of(&pair[0], arena);
    ret->d = limbs_of(&pair[1], arena);
    normalise(ret);
}

bool number_of(const struct value *v, struct arena *arena, struct number *ret)
{
    *ret = (struct number){0};
    switch (v->type) {
    case VALUE_BOOL:
        ret->small = true;
        ret->integer = v->truth;
        return true;
    case VALUE_INT:
        from_int(v, arena, ret);
        return true;
    case VALUE_FLOAT:
        from_double(v->real, arena, ret);
        return true;
    case VALUE_COMPLEX:
        from_double(v->parts[0], arena, ret);
        return v->parts[1] == 0;
    case VALUE_DECIMAL:
        return from_decimal(v->text, arena, ret);
    case VALUE_FRACTION:
        from_fraction(v->items, arena, ret);
        return true;
    default:
        return false;
    }
}

static bool same_limbs(const struct limbs *a, const struct limbs *b)
{
    static uint32_t one = 1;
    const struct limbs none = {&one, 1};

    return limbs_compare(a->n ? a : &none, b->n ? b : &none) == 0;
}

bool number_equal(const struct number *a, const struct number *b)
{
    if (a->kind != b->kind || a->kind == NUMBER_NAN || a->small != b->small)
        return false;
    if (a->small)
        return a->integer == b->integer;
    if (a->negative != b->negative)
        return false;
    return a->kind == NUMBER_INFINITE || (a->twos == b->twos && a->fives == b->fives &&
                                          same_limbs(&a->n, &b->n) && same_limbs(&a->d, &b->d));
}

static uint64_t mix(uint64_t hash, uint64_t v)
{
    hash = (hash ^ v) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

uint64_t number_hash(const struct number *a, uint64_t seed)
{
    if (a->small)
        return mix(seed, (uint64_t)a->integer);
    uint64_t hash = mix(mix(seed + 1, a->kind), a->negative);
    hash = mix(mix(hash, (uint64_t)a->twos), (uint64_t)a->fives);
    for (size_t i = 0; i < a->n.n; i++)
        hash = mix(hash, a->n.at[i]);
    return hash;
}

/* ---- as doubles, and as text ---- */

static double limbs_to_double(const struct value *v)
{
    double d = 0;

    if (!v->limbs)
        return (double)v->integer;
    for (size_t i = v->limb_n; i-- > 0;)
        d = d * 4294967296.0 + v->limbs[i];
    return v->negative ? -d : d;
}

bool number_to_double(const struct value *v, double *ret)
{
    switch (v->type) {
    case VALUE_BOOL:
        *ret = v->truth;
        return true;
    case VALUE_INT:
        *ret = limbs_to_double(v);
        return true;
    case VALUE_FLOAT:
        *ret = v->real;
        return true;
    case VALUE_DECIMAL: {
        AUTO_FREE char *text = xstrndup(v->text.p, v->text.n);
        *ret = strtod(text, NULL);
        return true;
    }
    case VALUE_FRACTION:
        *ret = limbs_to_double(&v->items[0]) / limbs_to_double(&v->items[1]);
        return true;
    default:
        return false;
    }
}

void number_repr(const struct value *v, struct buf *ret)
{
    if (!v->limbs) {
        (void)literal_repr_int(v->integer, ret);
        return;
    }
    struct arena scratch = {0};
    struct limbs l = limbs_of(v, &scratch);
    size_t n = 0;
    uint32_t *pieces = arena_alloc(&scratch, (l.n * 10 / PIECE_DIGITS + 2) * sizeof *pieces);
    while (l.n)
        pieces[n++] = limbs_divide(&l, PIECE);
    (void)buf_addf(ret, "%s%u", v->negative ? "-" : "", pieces[--n]);
    while (n)
        (void)buf_addf(ret, "%09u", pieces[--n]);
    arena_done(&scratch);
}
