/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON as Python writes it: beyond the standard's numbers there are NaN, Infinity and integers of
 * any size, and \ud800 may stand alone. A library's reader refuses these.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "values/number.h"
#include "values/value.h"

struct reader {
    struct str text;
    size_t at;
    size_t nodes_left;
    unsigned depth;
    struct arena *arena;
    struct err *err;
    /* Values of arrays and objects that are not finished: a stack. */
    struct value *open;
    size_t open_n, open_room;
};

int(value_error)(struct str text, size_t at, struct err *err, const char *fmt, ...)
{
    char why[400];
    size_t line = 1, start = 0;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < at && i < text.n; i++)
        if (text.p[i] == '\n') {
            line++;
            start = i + 1;
        }
    return err_set(err, ERR_USAGE, "line %zu, column %zu: %s", line,
                   utf8_count(str_slice(text, start, at)) + 1, why);
}

static int bad(struct reader *r, size_t at, const char *why)
{
    return value_error(r->text, at, r->err, "%s", why);
}

static int peek(const struct reader *r)
{
    return r->at < r->text.n ? (unsigned char)r->text.p[r->at] : -1;
}

static void skip_space(struct reader *r)
{
    while (r->at < r->text.n && r->text.p[r->at] && strchr(" \t\r\n", r->text.p[r->at]))
        r->at++;
}

static void push(struct reader *r, const struct value *v)
{
    if (r->open_n == r->open_room) {
        r->open_room = r->open_room ? 2 * r->open_room : 64;
        r->open = xrealloc_array(r->open, r->open_room, sizeof *r->open);
    }
    r->open[r->open_n++] = *v;
}

/* What was pushed since `from` becomes the items. */
static void take_items(struct reader *r, size_t from, size_t per, struct value *ret)
{
    size_t n = r->open_n - from;

    ret->items = arena_alloc(r->arena, (n + 1) * sizeof *ret->items);
    if (n)
        memcpy(ret->items, r->open + from, n * sizeof *ret->items);
    ret->n = n / per;
    r->open_n = from;
}

/* ---- strings ---- */

static int hex4(const struct reader *r, size_t at)
{
    int code = 0;

    for (size_t i = at; i < at + 4; i++) {
        int c = i < r->text.n ? (unsigned char)r->text.p[i] : 0;
        int digit = c >= '0' && c <= '9'                 ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : -1;
        if (digit < 0)
            return -1;
        code = code << 4 | digit;
    }
    return code;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 63));
        *to++ = (char)(0x80 | (code >> 6 & 63));
    }
    *to++ = (char)(0x80 | (code & 63));
    return to;
}

/* r->at stands behind "\u". Two halves of one character become it; a half alone stays. */
static char *put_unicode(struct reader *r, char *to)
{
    int code = hex4(r, r->at);

    if (code < 0)
        return NULL;
    r->at += 4;
    if (code >= 0xD800 && code < 0xDC00 && r->at + 6 <= r->text.n &&
        memcmp(r->text.p + r->at, "\\u", 2) == 0) {
        int low = hex4(r, r->at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            r->at += 6;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return put_utf8(to, (unsigned)code);
}

static char *put_escape(struct reader *r, char *to)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    int c = peek(r);
    const char *found = c > 0 ? strchr(letters, c) : NULL;

    r->at++;
    if (c == 'u')
        return put_unicode(r, to);
    if (!found)
        return NULL;
    *to++ = meanings[found - letters];
    return to;
}

/* The closing quote, or the text's end; *ret_plain when nothing inside has to be rewritten. */
static size_t string_end(const struct reader *r, size_t at, bool *ret_plain)
{
    *ret_plain = true;
    for (; at < r->text.n && r->text.p[at] != '"'; at++)
        if (r->text.p[at] == '\\') {
            *ret_plain = false;
            at++;
        }
    return at < r->text.n ? at : r->text.n;
}

/* What an escape stands for is never longer than the escape. */
static int unescape(struct reader *r, size_t end, struct str *ret)
{
    char *out = arena_alloc(r->arena, end - r->at + 1), *to = out;

    while (r->at < end) {
        char c = r->text.p[r->at++];
        if (c == '\\') {
            size_t at = r->at - 1;
            to = put_escape(r, to);
            if (!to || r->at > end)
                return bad(r, at, "no escape that JSON knows");
        } else {
            *to++ = c;
        }
    }
    *ret = (struct str){out, (size_t)(to - out)};
    return 0;
}

static int read_string(struct reader *r, struct str *ret)
{
    bool plain;
    size_t open = r->at++, end = string_end(r, r->at, &plain);
    struct str body = str_slice(r->text, r->at, end);

    if (end == r->text.n)
        return bad(r, open, "this string has no end");
    for (size_t i = 0; i < body.n; i++)
        if ((unsigned char)body.p[i] < ' ')
            return bad(r, r->at + i, "a control character in a string; \\n is a line end");
    size_t good = utf8_valid_prefix(body);
    if (good < body.n)
        return bad(r, r->at + good, "not UTF-8");
    if (plain)
        *ret = body;
    else if (unescape(r, end, ret) < 0)
        return -1;
    r->at = end + 1;
    return 0;
}

/* ---- numbers and words ---- */

static size_t digits(const struct reader *r, size_t at)
{
    while (at < r->text.n && r->text.p[at] >= '0' && r->text.p[at] <= '9')
        at++;
    return at;
}

/* Where the fraction and the exponent end; `at` itself when there are none. */
static size_t float_end(const struct reader *r, size_t at)
{
    size_t end = at;

    if (end < r->text.n && r->text.p[end] == '.' && digits(r, end + 1) > end + 1)
        end = digits(r, end + 1);
    if (end < r->text.n && (r->text.p[end] | 32) == 'e') {
        size_t first = end + 1;
        first += first < r->text.n && (r->text.p[first] == '-' || r->text.p[first] == '+');
        if (digits(r, first) > first)
            end = digits(r, first);
    }
    return end;
}

static int read_float(struct reader *r, size_t from, struct value *ret)
{
    struct str text = str_slice(r->text, from, r->at);
    char few[64];
    AUTO_FREE char *many = text.n < sizeof few ? NULL : xstrndup(text.p, text.n);

    if (!many) {
        memcpy(few, text.p, text.n);
        few[text.n] = '\0';
    }
    ret->type = VALUE_FLOAT;
    ret->real = strtod(many ? many : few, NULL);
    return 0;
}

static int read_number(struct reader *r, struct value *ret)
{
    size_t from = r->at, first = from + (r->text.p[from] == '-'), whole = digits(r, first);

    if (whole == first || (r->text.p[first] == '0' && whole > first + 1))
        return bad(r, from, "no number that JSON knows");
    r->at = float_end(r, whole);
    if (r->at > whole)
        return read_float(r, from, ret);
    if (whole - first > VALUE_MAX_DECIMAL)
        return bad(r, from,
                   "an integer of too many digits; write it as {\"$type\": \"int\", \"hex\": ...}");
    number_from_decimal(str_slice(r->text, from, whole), r->arena, ret);
    return 0;
}

static const struct {
    const char *word;
    uint8_t type;
    bool truth;
    double real;
} words[] = {
    {"null", VALUE_NONE, false, 0},
    {"true", VALUE_BOOL, true, 0},
    {"false", VALUE_BOOL, false, 0},
    {"NaN", VALUE_FLOAT, false, __builtin_nan("")},
    {"Infinity", VALUE_FLOAT, false, __builtin_inf()},
    {"-Infinity", VALUE_FLOAT, false, -__builtin_inf()},
};

static bool read_word(struct reader *r, struct value *ret)
{
    struct str rest = str_slice(r->text, r->at, r->text.n);

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (!str_starts(rest, words[i].word))
            continue;
        r->at += strlen(words[i].word);
        ret->type = words[i].type;
        if (ret->type == VALUE_BOOL)
            ret->truth = words[i].truth;
        if (ret->type == VALUE_FLOAT)
            ret->real = words[i].real;
        return true;
    }
    return false;
}

/* ---- all of it ---- */

static int read_value(struct reader *r, struct value *ret);

/* Behind a member: true when another one follows. */
static int next_member(struct reader *r, int close, bool *ret_more)
{
    skip_space(r);
    int c = peek(r);

    if (c != ',' && c != close)
        return bad(r, r->at,
                   close == ']' ? "here a comma or ] is missing" : "here a comma or } is missing");
    r->at++;
    *ret_more = c == ',';
    skip_space(r);
    if (*ret_more && peek(r) == close)
        return bad(r, r->at, "a comma, and nothing after it");
    return 0;
}

static int read_array(struct reader *r, struct value *ret)
{
    size_t from = r->open_n;
    struct value item;
    bool more = true;

    ret->type = VALUE_LIST;
    r->at++;
    skip_space(r);
    if (peek(r) == ']') {
        r->at++;
        more = false;
    }
    while (more) {
        if (read_value(r, &item) < 0)
            return -1;
        push(r, &item);
        if (next_member(r, ']', &more) < 0)
            return -1;
    }
    take_items(r, from, 1, ret);
    return 0;
}

static int read_pair(struct reader *r)
{
    struct value key = {.type = VALUE_STR, .at = (uint32_t)r->at}, value;

    if (peek(r) != '"')
        return bad(r, r->at, "here a key in double quotes is missing");
    if (read_string(r, &key.text) < 0)
        return -1;
    skip_space(r);
    if (peek(r) != ':')
        return bad(r, r->at, "here a colon is missing");
    r->at++;
    if (read_value(r, &value) < 0)
        return -1;
    push(r, &key);
    push(r, &value);
    return 0;
}

static int read_object(struct reader *r, struct value *ret)
{
    size_t from = r->open_n;
    bool more = true;

    ret->type = VALUE_OBJECT;
    r->at++;
    skip_space(r);
    if (peek(r) == '}') {
        r->at++;
        more = false;
    }
    while (more)
        if (read_pair(r) < 0 || next_member(r, '}', &more) < 0)
            return -1;
    take_items(r, from, 2, ret);
    return 0;
}

static int read_nested(struct reader *r, struct value *ret)
{
    if (r->depth == VALUE_MAX_DEPTH)
        return bad(r, r->at, "nested too deeply");
    r->depth++;
    int result = peek(r) == '[' ? read_array(r, ret) : read_object(r, ret);
    r->depth--;
    return result;
}

static int read_any(struct reader *r, struct value *ret)
{
    int c = peek(r);

    if (c == '[' || c == '{')
        return read_nested(r, ret);
    if (c == '"') {
        ret->type = VALUE_STR;
        return read_string(r, &ret->text);
    }
    if (read_word(r, ret))
        return 0;
    if (c == '-' || (c >= '0' && c <= '9'))
        return read_number(r, ret);
    return bad(r, r->at, c < 0 ? "the text ends too soon" : "no value that JSON knows");
}

static int read_value(struct reader *r, struct value *ret)
{
    skip_space(r);
    *ret = (struct value){.at = (uint32_t)r->at};
    if (!r->nodes_left)
        return bad(r, r->at, "too many values");
    r->nodes_left--;
    int result = read_any(r, ret);
    ret->end = (uint32_t)r->at;
    return result;
}

int value_read_next(struct str text, size_t *at, const struct value_limits *limits,
                    struct arena *arena, struct value *ret, struct err *err)
{
    struct reader r = {
        .text = text, .at = *at, .nodes_left = limits->nodes, .arena = arena, .err = err};

    if (text.n >= UINT32_MAX)
        return err_set(err, ERR_LIMIT, "the text has more than 4 GiB");
    int result = read_value(&r, ret);
    skip_space(&r);
    *at = r.at;
    free(r.open);
    return result;
}

int value_read_json(struct str text, const struct value_limits *limits, struct arena *arena,
                    struct value *ret, struct err *err)
{
    size_t at = 0;

    if (value_read_next(text, &at, limits, arena, ret, err) < 0)
        return -1;
    return at < text.n ? value_error(text, at, err, "something follows the value") : 0;
}

struct value *value_get(const struct value *object, const char *key)
{
    if (object->type != VALUE_OBJECT)
        return NULL;
    for (size_t i = 0; i < object->n; i++)
        if (str_is(object->items[2 * i].text, key))
            return &object->items[2 * i + 1];
    return NULL;
}
