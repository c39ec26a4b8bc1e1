/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads JSON as Python writes it: with NaN, Infinity, integers of any size, and lone surrogates
 * such as \ud800. A JSON library would refuse these.
 *
 * Without an arena the reader only checks. It builds nothing, so the text may have any size.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "values/number.h"
#include "values/value.h"

struct reader {
    struct str text;
    size_t at;
    size_t nodes_left;
    unsigned depth;
    struct arena *arena; /* NULL: only check */
    struct err *err;
    bool special; /* NaN or Infinity was read */
    /* a stack of the values of unfinished arrays and objects */
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

static int value_json_bad(struct reader *r, size_t at, const char *why)
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

static void value_json_push(struct reader *r, const struct value *v)
{
    if (!r->arena)
        return;
    if (r->open_n == r->open_room)
        r->open = mem_grow(r->open, &r->open_room, sizeof *r->open);
    r->open[r->open_n++] = *v;
}

/* Makes the values pushed since `from` the items of *ret. */
static void take_items(struct reader *r, size_t from, size_t per, struct value *ret)
{
    size_t n = r->open_n - from;

    if (!r->arena)
        return;
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
        int digit = i < r->text.n ? ascii_hex(r->text.p[i]) : -1;
        if (digit < 0)
            return -1;
        code = code << 4 | digit;
    }
    return code;
}

/* Reads the digits after "\u", at r->at. Two surrogates that form a pair become one character; a
 * lone one stays. */
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
    return to + utf8_put(to, (unsigned)code);
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

/* The closing quote, or the end of the text. *ret_plain: the string has no escapes. */
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

/* Works in place: the result of an escape is never longer than the escape. */
static int unescape(struct reader *r, size_t end, struct str *ret)
{
    const bool keeps = r->arena; /* a check alone has no arena */
    char escape[4], *out = keeps ? arena_alloc(r->arena, end - r->at + 1) : escape, *to = out;

    while (r->at < end) {
        if (!keeps)
            to = escape;
        char c = r->text.p[r->at++];
        if (c == '\\') {
            size_t at = r->at - 1;
            to = put_escape(r, to);
            if (!to || r->at > end)
                return value_json_bad(r, at, "this is not an escape of JSON");
        } else {
            *to++ = c;
        }
    }
    *ret = keeps ? (struct str){out, (size_t)(to - out)} : STR("");
    return 0;
}

static int value_json_read_string(struct reader *r, struct str *ret)
{
    bool plain;
    size_t open = r->at++, end = string_end(r, r->at, &plain);
    struct str body = str_slice(r->text, r->at, end);

    if (end == r->text.n)
        return value_json_bad(r, open, "this string has no end");
    for (size_t i = 0; i < body.n; i++)
        if ((unsigned char)body.p[i] < ' ')
            return value_json_bad(r, r->at + i,
                                  "a control character in a string; write a line end as \\n");
    size_t good = utf8_valid_prefix(body);
    if (good < body.n)
        return value_json_bad(r, r->at + good, "this is not UTF-8");
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

/* The end of the fraction and the exponent; `at` itself if there are none. */
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

    if (!r->arena)
        return 0;
    AUTO_FREE char *many = text.n < sizeof few ? NULL : xstrndup(text.p, text.n);
    if (!many) {
        memcpy(few, text.p, text.n);
        few[text.n] = '\0';
    }
    ret->type = VALUE_FLOAT;
    ret->real = strtod(many ? many : few, NULL);
    return 0;
}

static int value_json_read_number(struct reader *r, struct value *ret)
{
    size_t from = r->at, first = from + (r->text.p[from] == '-'), whole = digits(r, first);

    if (whole == first || (r->text.p[first] == '0' && whole > first + 1))
        return value_json_bad(r, from, "this is not a number of JSON");
    r->at = float_end(r, whole);
    if (r->at > whole)
        return read_float(r, from, ret);
    if (!r->arena)
        return 0;
    if (whole - first > VALUE_MAX_DECIMAL)
        return value_json_bad(
            r, from,
            "the integer has too many digits; write it as {\"$type\": \"int\", \"hex\": ...}");
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
        if (ret->type == VALUE_FLOAT) {
            ret->real = words[i].real;
            r->special = true;
        }
        return true;
    }
    return false;
}

/* ---- whole values ---- */

static int read_value(struct reader *r, struct value *ret);

/* After a member: *ret_more is true if another one follows. */
static int next_member(struct reader *r, int close, bool *ret_more)
{
    skip_space(r);
    int c = peek(r);

    if (c != ',' && c != close)
        return value_json_bad(r, r->at,
                              close == ']' ? "here a comma or ] is missing"
                                           : "here a comma or } is missing");
    r->at++;
    *ret_more = c == ',';
    skip_space(r);
    if (*ret_more && peek(r) == close)
        return value_json_bad(r, r->at, "nothing follows this comma");
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
        value_json_push(r, &item);
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
        return value_json_bad(r, r->at, "here a key in double quotes is missing");
    if (value_json_read_string(r, &key.text) < 0)
        return -1;
    skip_space(r);
    if (peek(r) != ':')
        return value_json_bad(r, r->at, "here a colon is missing");
    r->at++;
    if (read_value(r, &value) < 0)
        return -1;
    value_json_push(r, &key);
    value_json_push(r, &value);
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
        return value_json_bad(r, r->at, "the values are nested too deeply");
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
        return value_json_read_string(r, &ret->text);
    }
    if (read_word(r, ret))
        return 0;
    if (c == '-' || (c >= '0' && c <= '9'))
        return value_json_read_number(r, ret);
    return value_json_bad(r, r->at,
                          c < 0 ? "the text ends too soon" : "this is not a value of JSON");
}

static int read_value(struct reader *r, struct value *ret)
{
    skip_space(r);
    *ret = (struct value){.at = (uint32_t)r->at};
    if (!r->nodes_left)
        return value_json_bad(r, r->at, "there are too many values");
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

int value_check_json(struct str text, bool *ret_special, struct err *err)
{
    struct reader r = {.text = text, .nodes_left = SIZE_MAX, .err = err};
    struct value v;

    if (read_value(&r, &v) < 0)
        return -1;
    skip_space(&r);
    *ret_special = r.special;
    return r.at < text.n ? value_error(text, r.at, err, "something follows the value") : 0;
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
