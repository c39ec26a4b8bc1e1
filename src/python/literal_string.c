/* SPDX-License-Identifier: Apache-2.0
 *
 * Escapes. A str and a bytes literal are decoded by the same loop; they differ in what \x, \u, \U
 * and \N mean, in how large a character may be, and in the words for what is wrong.
 */
#include <stdio.h>
#include <string.h>

#include "python/literal.h"
#include "python/unicode.h"

struct decoder {
    struct str body;
    size_t at; /* behind the backslash and the letter of the escape, while one is looked at */
    char *out;
    unsigned target;
    bool is_bytes;
    long bad_escape;
    struct literal_error *error;
};

static unsigned flag_of(char letter)
{
    switch (letter | 0x20) {
    case 'b':
        return LITERAL_BYTES;
    case 'r':
        return LITERAL_RAW;
    case 'u':
        return LITERAL_UNICODE;
    case 'f':
        return LITERAL_FORMAT;
    case 't':
        return LITERAL_TEMPLATE;
    default:
        return 0;
    }
}

unsigned literal_open(struct str token, struct str *ret_body)
{
    unsigned flags = 0, flag;
    size_t at = 0, quotes = 1;

    for (; at < token.n && (flag = flag_of(token.p[at])); at++)
        flags |= flag;
    if (token.n - at >= 6 && token.p[at] == token.p[at + 1] && token.p[at] == token.p[at + 2])
        quotes = 3;
    *ret_body = str_slice(token, at + quotes, token.n - quotes);
    return flags;
}

/* ---- errors ---- */

/* Where byte `to` of the body stands in what CPython decodes: before it looks at escapes, it writes
 * each character that is not ASCII as \UXXXXXXXX, and a backslash before one as \u005c. */
static size_t cpython_position(struct str body, size_t to)
{
    size_t position = 0;

    for (size_t i = 0; i < to;) {
        bool escape = body.p[i] == '\\';
        bool wide = i + escape < body.n && (body.p[i + escape] & 0x80);
        if (escape && !wide && i + 1 < to) { /* and what follows, which may be a backslash too */
            position += 2;
            i += 2;
        } else if (escape) {
            position += wide ? 6 : 1;
            i += 1;
        } else if (wide) {
            unicode_next(body, &i);
            position += 10;
        } else {
            position += 1;
            i += 1;
        }
    }
    return position;
}

static bool fail(struct decoder *d, size_t start, const char *what)
{
    struct literal_error *e = d->error;

    e->at = start;
    e->end = d->at;
    snprintf(e->message, sizeof e->message,
             "(unicode error) 'unicodeescape' codec can't decode bytes in position %zu-%zu: %s",
             cpython_position(d->body, start), cpython_position(d->body, d->at) - 1, what);
    return false;
}

static bool fail_bytes(struct decoder *d, size_t start)
{
    struct literal_error *e = d->error;

    e->at = start;
    e->end = d->at;
    snprintf(e->message, sizeof e->message, "(value error) invalid \\x escape at position %zu",
             start);
    return false;
}

/* ---- escapes ---- */

static void put(struct decoder *d, uint32_t code)
{
    if (d->is_bytes)
        *d->out++ = (char)code;
    else
        d->out += unicode_put(d->out, code);
}

/* A backslash that means nothing stands for itself. */
static void note_bad(struct decoder *d, size_t start)
{
    if (d->bad_escape < 0)
        d->bad_escape = (long)start;
}

static void octal(struct decoder *d, size_t start, char first)
{
    uint32_t code = (uint32_t)(first - '0');

    for (int more = 0; more < 2 && d->at < d->body.n; more++) {
        char c = d->body.p[d->at];
        if (c < '0' || c > '7')
            break;
        code = code << 3 | (uint32_t)(c - '0');
        d->at++;
    }
    if (code > 0377)
        note_bad(d, start);
    put(d, code);
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

/* \x, \u and \U, with 2, 4 and 8 digits */
static bool hexadecimal(struct decoder *d, size_t start, char letter)
{
    const char *truncated = letter == 'x'   ? "truncated \\xXX escape"
                            : letter == 'u' ? "truncated \\uXXXX escape"
                                            : "truncated \\UXXXXXXXX escape";
    int digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
    uint32_t code = 0;

    for (; digits; digits--, d->at++) {
        int value = d->at < d->body.n ? hex_value(d->body.p[d->at]) : -1;
        if (value < 0)
            return d->is_bytes ? fail_bytes(d, start) : fail(d, start, truncated);
        code = code << 4 | (uint32_t)value;
    }
    if (code > 0x10FFFF)
        return fail(d, start, "illegal Unicode character");
    put(d, code);
    return true;
}

/* \N{...} */
static bool named(struct decoder *d, size_t start)
{
    const char *malformed = "malformed \\N character escape";
    size_t brace = d->at;

    if (brace == d->body.n || d->body.p[brace] != '{')
        return fail(d, start, malformed);
    const char *end = memchr(d->body.p + brace, '}', d->body.n - brace);
    d->at = end ? (size_t)(end - d->body.p) : d->body.n;
    struct str name = str_slice(d->body, brace + 1, d->at);
    if (!end || !name.n)
        return fail(d, start, malformed);
    d->at++;
    int32_t code = unicode_by_name(name, d->target);
    if (code < 0)
        return fail(d, start, "unknown Unicode character name");
    put(d, (uint32_t)code);
    return true;
}

/* The escape whose backslash stands at d->at. */
static bool escape(struct decoder *d)
{
    static const char simple[] = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v";
    size_t start = d->at;
    char letter = start + 1 < d->body.n ? d->body.p[start + 1] : '\0';

    d->at = start + 2;
    for (const char *s = simple; *s; s += 2)
        if (*s == letter) {
            *d->out++ = s[1];
            return true;
        }
    if (letter == '\n')
        return true;
    if (letter >= '0' && letter <= '7')
        octal(d, start, letter);
    else if (letter == 'x' || (!d->is_bytes && (letter == 'u' || letter == 'U')))
        return hexadecimal(d, start, letter);
    else if (letter == 'N' && !d->is_bytes)
        return named(d, start);
    else {
        if (start + 1 < d->body.n && !(letter & 0x80))
            note_bad(d, start);
        *d->out++ = '\\';
        d->at = start + 1;
    }
    return true;
}

/* All up to the next backslash as it is. */
static void copy_plain(struct decoder *d)
{
    const char *from = d->body.p + d->at;
    const char *to = memchr(from, '\\', d->body.n - d->at);
    size_t n = to ? (size_t)(to - from) : d->body.n - d->at;

    memcpy(d->out, from, n);
    d->out += n;
    d->at += n;
}

bool literal_decode(struct python_tree *tree, struct str body, unsigned flags, struct str *ret,
                    long *ret_bad_escape, struct literal_error *ret_error)
{
    *ret_bad_escape = -1;
    *ret = body;
    if ((flags & LITERAL_RAW) || !body.n || !memchr(body.p, '\\', body.n))
        return true;

    /* No escape becomes longer than it is written. */
    char *out = arena_alloc(&tree->arena, body.n + 1);
    struct decoder d = {.body = body,
                        .out = out,
                        .target = tree->target,
                        .is_bytes = flags & LITERAL_BYTES,
                        .bad_escape = -1,
                        .error = ret_error};
    while (d.at < body.n) {
        copy_plain(&d);
        if (d.at < body.n && !escape(&d))
            return false;
    }
    *d.out = '\0';
    *ret = (struct str){out, (size_t)(d.out - out)};
    *ret_bad_escape = d.bad_escape;
    return true;
}
