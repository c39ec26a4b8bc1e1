/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"

struct str str_from(const char *s)
{
    return (struct str){s ? s : "", s ? strlen(s) : 0};
}

const char *str_after_last(const char *s, char sep)
{
    const char *at = s ? strrchr(s, sep) : NULL;

    return at ? at + 1 : s;
}

const char *str_variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool str_is(struct str a, const char *s)
{
    return str_eq(a, str_from(s));
}

bool str_is_nocase(struct str a, const char *s)
{
    return a.n == strlen(s) && strncasecmp(a.p, s, a.n) == 0;
}

bool str_starts(struct str s, const char *prefix)
{
    size_t n = strlen(prefix);

    return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

bool str_ends(struct str s, const char *suffix)
{
    size_t n = strlen(suffix);

    return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

bool str_ends_nocase(struct str s, const char *suffix)
{
    size_t n = strlen(suffix);

    return s.n >= n && str_is_nocase(str_slice(s, s.n - n, s.n), suffix);
}

long str_find(struct str s, struct str needle)
{
    if (!needle.n)
        return 0;
    const char *at = s.n ? memmem(s.p, s.n, needle.p, needle.n) : NULL;
    return at ? (long)(at - s.p) : -1;
}

bool str_one_of(struct str s, const char *const *words)
{
    for (; words && *words; words++)
        if (str_is(s, *words))
            return true;
    return false;
}

bool str_one_of_nocase(struct str s, const char *const *words)
{
    for (; words && *words; words++)
        if (str_is_nocase(s, *words))
            return true;
    return false;
}

bool str_starts_one_of(struct str s, const char *const *beginnings)
{
    for (; beginnings && *beginnings; beginnings++)
        if (str_starts(s, *beginnings))
            return true;
    return false;
}

struct str str_trim(struct str s)
{
    while (s.n && ascii_is_space(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n && ascii_is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

size_t str_indent(struct str line)
{
    size_t n = 0;

    while (n < line.n && line.p[n] == ' ')
        n++;
    return n;
}

struct str str_slice(struct str s, size_t from, size_t to)
{
    if (to > s.n)
        to = s.n;
    if (from > to)
        from = to;
    /* Adding even 0 to NULL is undefined. */
    return (struct str){from ? s.p + from : s.p, to - from};
}

bool str_next(struct str *rest, char sep, struct str *ret_piece)
{
    if (!rest->p)
        return false;
    const char *end = rest->n ? memchr(rest->p, sep, rest->n) : NULL;
    size_t n = end ? (size_t)(end - rest->p) : rest->n;

    *ret_piece = (struct str){rest->p, n};
    if (end)
        *rest = (struct str){end + 1, rest->n - n - 1};
    else
        *rest = (struct str){NULL, 0};
    return true;
}

bool str_next_line(struct str *rest, struct str *ret_line)
{
    if (!rest->n || !str_next(rest, '\n', ret_line))
        return false;
    if (ret_line->n && ret_line->p[ret_line->n - 1] == '\r')
        ret_line->n--;
    return true;
}

size_t str_count_lines(struct str s)
{
    size_t n = s.n && s.p[s.n - 1] != '\n';

    for (const char *p = s.p; s.n && (p = memchr(p, '\n', (size_t)(s.p + s.n - p))); p++)
        n++;
    return n;
}

size_t str_lines(struct str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\n' || (s.p[i] == '\r' && (i + 1 == s.n || s.p[i + 1] != '\n'));
    return n;
}
