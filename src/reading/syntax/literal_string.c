/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes escapes. The same loop decodes str and bytes literals; they differ in the meaning of \x,
 * \u, \U and \N, in the largest character, and in the error messages.
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "syntax/literal.h"
#include "syntax/unicode.h"

struct decoder {
    struct str body;
    size_t at; /* during an escape: past the backslash and the letter */
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

/* The position of byte `to` of the body in CPython's own copy, which its messages count in. Before
 * it decodes escapes, CPython writes each character that is not ASCII as \UXXXXXXXX, and a
 * backslash before such a character as \u005c. */
static size_t cpython_position(struct str body, size_t to)
{
    size_t position = 0;

    for (size_t i = 0; i < to;) {
        bool escape = body.p[i] == '\\';
        bool wide = i + escape < body.n && (body.p[i + escape] & 0x80);
        /* a backslash and the character after it, which may be a backslash, too */
        if (escape && !wide && i + 1 < to) {
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

static bool literal_string_fail(struct decoder *d, size_t start, const char *what)
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

static void literal_string_put(struct decoder *d, uint32_t code)
{
    if (d->is_bytes)
        *d->out++ = (char)code;
    else
        d->out += utf8_put(d->out, code);
}

/* Notes an invalid escape, which stays in the text unchanged. */
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
    literal_string_put(d, code);
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
        int value = d->at < d->body.n ? ascii_hex(d->body.p[d->at]) : -1;
        if (value < 0)
            return d->is_bytes ? fail_bytes(d, start) : literal_string_fail(d, start, truncated);
        code = code << 4 | (uint32_t)value;
    }
    if (code > 0x10FFFF)
        return literal_string_fail(d, start, "illegal Unicode character");
    literal_string_put(d, code);
    return true;
}

/* \N{...} */
static bool named(struct decoder *d, size_t start)
{
    const char *malformed = "malformed \\N character escape";
    size_t brace = d->at;

    if (brace == d->body.n || d->body.p[brace] != '{')
        return literal_string_fail(d, start, malformed);
    const char *end = memchr(d->body.p + brace, '}', d->body.n - brace);
    d->at = end ? (size_t)(end - d->body.p) : d->body.n;
    struct str name = str_slice(d->body, brace + 1, d->at);
    if (!end || !name.n)
        return literal_string_fail(d, start, malformed);
    d->at++;
    int32_t code = unicode_by_name(name, d->target);
    if (code < 0)
        return literal_string_fail(d, start, "unknown Unicode character name");
    literal_string_put(d, (uint32_t)code);
    return true;
}

/* Decodes the escape whose backslash is at d->at. */
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

/* Copies everything up to the next backslash. */
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

    /* The decoded text is never longer than the body. */
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
