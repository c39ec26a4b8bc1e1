/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

struct unit {
    const char *name;
    uint64_t scale; /* in thousandths of the base unit, so that fractions stay exact */
};

static const struct unit size_units[] = {
    {"", 1000},
    {"b", 1000},
    {"byte", 1000},
    {"bytes", 1000},
    {"k", 1000ULL << 10},
    {"kb", 1000ULL << 10},
    {"kib", 1000ULL << 10},
    {"m", 1000ULL << 20},
    {"mb", 1000ULL << 20},
    {"mib", 1000ULL << 20},
    {"g", 1000ULL << 30},
    {"gb", 1000ULL << 30},
    {"gib", 1000ULL << 30},
    {"t", 1000ULL << 40},
    {"tb", 1000ULL << 40},
    {"tib", 1000ULL << 40},
    {"ki", 1000ULL << 10},
    {"mi", 1000ULL << 20},
    {"gi", 1000ULL << 30},
    {"ti", 1000ULL << 40},
    {NULL, 0},
};

static const struct unit duration_units[] = {
    {"", 1000000},
    {"ms", 1000},
    {"s", 1000000},
    {"sec", 1000000},
    {"secs", 1000000},
    {"second", 1000000},
    {"seconds", 1000000},
    {"m", 60000000},
    {"min", 60000000},
    {"mins", 60000000},
    {"minute", 60000000},
    {"minutes", 60000000},
    {"h", 3600000000},
    {"hour", 3600000000},
    {"hours", 3600000000},
    {"d", 86400000000},
    {"day", 86400000000},
    {"days", 86400000000},
    {NULL, 0},
};

static const struct unit milli_units[] = {{"", 1000000}, {NULL, 0}};

bool num_int64(struct str s, int64_t *ret)
{
    bool negative = s.n && s.p[0] == '-';
    size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0;
    int64_t value = 0;

    if (i == s.n)
        return false;
    for (; i < s.n; i++) {
        int digit = s.p[i] - '0';
        if (digit < 0 || digit > 9)
            return false;
        /* The value is built as a negative number, so that INT64_MIN fits. */
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    if (!negative && value == INT64_MIN)
        return false;
    *ret = negative ? value : -value;
    return true;
}

__extension__ typedef unsigned __int128 wide;

/* Reads "12.345" as thousandths; further decimals are dropped. Returns the number of bytes read, or
 * 0. */
static size_t read_thousandths(struct str s, wide *ret)
{
    uint64_t whole = 0;
    unsigned fraction = 0, place = 100;
    size_t i = 0, digits = 0;

    for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++, digits++)
        if (__builtin_mul_overflow(whole, 10, &whole) ||
            __builtin_add_overflow(whole, (uint64_t)(s.p[i] - '0'), &whole))
            return 0;
    if (i < s.n && s.p[i] == '.')
        for (i++; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++, digits++, place /= 10)
            fraction += (unsigned)(s.p[i] - '0') * place;
    *ret = (wide)whole * 1000 + fraction;
    return digits ? i : 0;
}

/* number + unit, as (thousandths * scale) / 1000^2. It fits: 2^64 * 1000 * 1000 * 2^40 < 2^128. */
static bool read_quantity(struct str s, const struct unit *units, uint64_t *ret)
{
    wide thousandths;
    size_t used = read_thousandths(s, &thousandths);
    struct str rest = str_trim(str_slice(s, used, s.n));

    for (; used && units->name; units++) {
        if (!str_is_nocase(rest, units->name))
            continue;
        wide value = thousandths * units->scale / 1000000;
        if (value > INT64_MAX)
            return false;
        *ret = (uint64_t)value;
        return true;
    }
    return false;
}

int num_size(struct str s, uint64_t *ret_bytes, struct err *err)
{
    if (!read_quantity(str_trim(s), size_units, ret_bytes))
        return err_set(err, ERR_USAGE, "'%.*s' is not a size; write it like 64k, 256m or 1.5g",
                       (int)(s.n < 80 ? s.n : 80), s.p);
    return 0;
}

/* "1h30m": quantities with units, one after the other. */
static bool read_durations(struct str s, uint64_t *ret)
{
    bool several = false;

    *ret = 0;
    while (s.n) {
        size_t end = 0;
        uint64_t one;
        while (end < s.n && (s.p[end] == '.' || (s.p[end] >= '0' && s.p[end] <= '9')))
            end++;
        size_t digits = end;
        while (end < s.n && s.p[end] != '.' && !(s.p[end] >= '0' && s.p[end] <= '9'))
            end++;
        bool bare = !str_trim(str_slice(s, digits, end)).n;
        if ((bare && (several || end < s.n)) ||
            !read_quantity(str_slice(s, 0, end), duration_units, &one) ||
            __builtin_add_overflow(*ret, one, ret) || *ret > INT64_MAX)
            return false;
        several = true;
        s = str_slice(s, end, s.n);
    }
    return several;
}

int num_duration_ms(struct str s, int64_t *ret_ms, struct err *err)
{
    uint64_t ms;

    if (!read_durations(str_trim(s), &ms))
        return err_set(err, ERR_USAGE,
                       "'%.*s' is not a duration; write it like 500ms, 30s or 1h30m",
                       (int)(s.n < 80 ? s.n : 80), s.p);
    *ret_ms = (int64_t)ms;
    return 0;
}

int num_milli(struct str s, int64_t *ret_milli, struct err *err)
{
    uint64_t value;

    s = str_trim(s);
    if (!read_quantity(s, milli_units, &value))
        return err_set(err, ERR_USAGE, "'%.*s' is not a number; write it like 1, 0.5 or 2.0",
                       (int)(s.n < 80 ? s.n : 80), s.p);
    for (size_t i = 0; !value && i < s.n; i++)
        if (s.p[i] >= '1' && s.p[i] <= '9')
            return err_set(err, ERR_USAGE, "'%.*s' is less than 0.001", (int)(s.n < 80 ? s.n : 80),
                           s.p);
    *ret_milli = (int64_t)value;
    return 0;
}

char *num_format_size(uint64_t bytes, char *out, size_t n)
{
    static const char suffix[] = {'g', 'm', 'k'};

    for (unsigned i = 0; i < ARRAY_LEN(suffix); i++) {
        uint64_t unit = 1ULL << (30 - 10 * i);
        if (bytes >= unit && bytes % unit == 0) {
            snprintf(out, n, "%" PRIu64 "%c", bytes / unit, suffix[i]);
            return out;
        }
    }
    snprintf(out, n, "%" PRIu64, bytes);
    return out;
}

char *num_format_duration(int64_t ms, char *out, size_t n)
{
    if (ms % 3600000 == 0 && ms)
        snprintf(out, n, "%" PRId64 "h", ms / 3600000);
    else if (ms % 60000 == 0 && ms)
        snprintf(out, n, "%" PRId64 "m", ms / 60000);
    else if (ms % 1000 == 0)
        snprintf(out, n, "%" PRId64 "s", ms / 1000);
    else
        snprintf(out, n, "%" PRId64 "ms", ms);
    return out;
}
