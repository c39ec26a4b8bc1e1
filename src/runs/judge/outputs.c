/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "judge/parts.h"

static const char *const compare_names[] = {[COMPARE_EXACT] = "exact",
                                            [COMPARE_TOKENS] = "tokens",
                                            [COMPARE_FLOATS] = "floats",
                                            [COMPARE_LINES] = "lines"};

enum output_compare output_compare_from(struct str name, struct err *err)
{
    for (size_t i = COMPARE_EXACT; i < ARRAY_LEN(compare_names); i++)
        if (str_is(name, compare_names[i]))
            return (enum output_compare)i;
    err_set(err, ERR_USAGE,
            "the comparison must be \"exact\", \"tokens\", \"floats\" or \"lines\"");
    return COMPARE_DEFAULT;
}

static char *repr_of(struct str text)
{
    struct value v = {.type = VALUE_STR, .text = text};
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 8 * SHOWN);
    value_repr(&v, SHOWN, &b);
    return buf_take(&b);
}

static struct str without_end(struct str s)
{
    while (s.n && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\r'))
        s.n--;
    return s;
}

static bool matches_exactly(const struct output_wanted *wanted, struct str got, char **ret_detail)
{
    struct str want = without_end(wanted->text), line_a = {"", 0}, line_b = {"", 0};
    size_t number = 0;

    got = without_end(got);
    if (str_eq(want, got))
        return true;
    do {
        line_a = line_b = STR("");
        (void)str_next(&want, '\n', &line_a);
        (void)str_next(&got, '\n', &line_b);
        number++;
    } while (str_eq(line_a, line_b) && (want.n || got.n));
    AUTO_FREE char *a = repr_of(line_a), *b = repr_of(line_b);
    *ret_detail = xasprintf("line %zu: Expected %s, got %s", number, a, b);
    return false;
}

static bool next_token(struct str *rest, struct str *ret)
{
    size_t from = 0, end;

    while (from < rest->n && ascii_is_space(rest->p[from]))
        from++;
    for (end = from; end < rest->n && !ascii_is_space(rest->p[end]);)
        end++;
    *ret = str_slice(*rest, from, end);
    *rest = str_slice(*rest, end, rest->n);
    return ret->n > 0;
}

/* Reads a decimal number, "inf" or "nan". A hexadecimal number is text, because no other judge
 * accepts 0x5 for 5. So is a number that is too large for a double: 1e999 is not 1e998. */
static bool read_double(struct str token, double *ret)
{
    char text[64], *end;

    if (token.n >= sizeof text || memchr(token.p, 0, token.n) || memchr(token.p, 'x', token.n) ||
        memchr(token.p, 'X', token.n))
        return false;
    memcpy(text, token.p, token.n);
    text[token.n] = '\0';
    *ret = strtod(text, &end);
    return end == text + token.n && end != text && !(isinf(*ret) && strpbrk(text, "0123456789"));
}

/* Compares floats as all other comparisons do; the default tolerance is a millionth. */
static bool same_token(const struct output_wanted *wanted, struct str a, struct str b)
{
    static const struct tolerance usual = {.on = true, .rel = 1e-6, .abs = 1e-6, .nan_equal = true};
    struct value x = {.type = VALUE_FLOAT}, y = x;

    if (str_eq(a, b))
        return true;
    return wanted->compare == COMPARE_FLOATS && read_double(a, &x.real) &&
           read_double(b, &y.real) &&
           value_equal(&x, &y, wanted->tolerance->on ? wanted->tolerance : &usual);
}

static bool matches_by_tokens(const struct output_wanted *wanted, struct str got, char **ret_detail)
{
    struct str want = wanted->text, token_a, token_b;

    for (size_t number = 1;; number++) {
        bool more_a = next_token(&want, &token_a), more_b = next_token(&got, &token_b);
        if (!more_a && !more_b)
            return true;
        if (more_a && more_b && same_token(wanted, token_a, token_b))
            continue;
        AUTO_FREE char *a = more_a ? repr_of(token_a) : xstrdup("nothing more");
        AUTO_FREE char *b = more_b ? repr_of(token_b) : xstrdup("nothing more");
        *ret_detail = xasprintf("word %zu: Expected %s, got %s", number, a, b);
        return false;
    }
}

#define EXACT 9007199254740992.0 /* up to here, different integers are different doubles */

/* True if both lines are numbers that are equal one by one: 1.0 is 1. */
static bool same_numbers(struct str a, struct str b)
{
    struct str x, y;
    double p, q;

    for (;;) {
        bool more_a = next_token(&a, &x), more_b = next_token(&b, &y);
        if (!more_a || !more_b)
            return more_a == more_b;
        if (!read_double(x, &p) || !read_double(y, &q) ||
            !(str_eq(x, y) || (p == q && fabs(p) < EXACT)))
            return false;
    }
}

static bool matches_by_lines(const struct output_wanted *wanted, struct str got, char **ret_detail)
{
    struct str want = str_trim(wanted->text), a, b;

    got = str_trim(got);
    for (size_t number = 1;; number++) {
        bool more_a = str_next(&want, '\n', &a), more_b = str_next(&got, '\n', &b);
        if (!more_a && !more_b)
            return true;
        if (more_a && more_b) {
            a = str_trim(a);
            b = str_trim(b);
            if (str_eq(a, b) || same_numbers(a, b))
                continue;
        }
        AUTO_FREE char *x = more_a ? repr_of(a) : xstrdup("nothing more");
        AUTO_FREE char *y = more_b ? repr_of(b) : xstrdup("nothing more");
        *ret_detail = xasprintf("line %zu: Expected %s, got %s", number, x, y);
        return false;
    }
}

bool output_matches(const struct output_wanted *wanted, struct str got, char **ret_detail)
{
    if (wanted->compare == COMPARE_LINES)
        return matches_by_lines(wanted, got, ret_detail);
    return wanted->compare == COMPARE_TOKENS || wanted->compare == COMPARE_FLOATS
               ? matches_by_tokens(wanted, got, ret_detail)
               : matches_exactly(wanted, got, ret_detail);
}
