/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/json_write.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

struct writer {
    struct buf text;
    bool pretty;
    unsigned depth;
};

static void put_escape(struct buf *b, unsigned c)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *at = c && c < 0x80 ? strchr(plain, (int)c) : NULL;

    if (at)
        (void)buf_addf(b, "\\%c", letters[at - plain]);
    else if (c < 0x10000)
        (void)buf_addf(b, "\\u%04X", c);
    else
        (void)buf_addf(b, "\\u%04X\\u%04X", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
}

/* True for the characters that need no further look, which are most of a usual text. */
static bool json_write_is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* True if the first character of the string, *ret, must be escaped. A terminal may show the result,
 * and must not receive hidden characters from a guest. */
static bool needs_escape(struct str s, unsigned *ret, size_t *ret_n)
{
    *ret = (unsigned char)s.p[0];
    *ret_n = 1;
    if (*ret < 0x80)
        return !json_write_is_plain(s.p[0]);
    *ret = utf8_first(s, ret_n);
    return utf8_is_hidden(*ret);
}

static void json_write_put_text(struct buf *b, struct str s)
{
    size_t from = 0, at = 0, n;
    unsigned c;

    (void)buf_addc(b, '"');
    while (at < s.n) {
        if (json_write_is_plain(s.p[at])) {
            at++;
            continue;
        }
        if (needs_escape(str_slice(s, at, s.n), &c, &n)) {
            (void)buf_add_str(b, str_slice(s, from, at));
            put_escape(b, c);
            from = at + n;
        }
        at += n;
    }
    (void)buf_add_str(b, str_slice(s, from, s.n));
    (void)buf_addc(b, '"');
}

/* The number keeps a dot or an exponent, so that it is read back as a real. */
static void put_real(struct buf *b, double value)
{
    char text[40];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    (void)buf_adds(b, text);
    if (!strpbrk(text, ".e"))
        (void)buf_adds(b, ".0");
}

static void new_line(struct writer *w)
{
    if (!w->pretty)
        return;
    (void)buf_addc(&w->text, '\n');
    for (unsigned i = 0; i < w->depth; i++)
        (void)buf_adds(&w->text, "  ");
}

static void json_write_put(struct writer *w, const json_t *value);

static void open_group(struct writer *w, char bracket)
{
    (void)buf_addc(&w->text, bracket);
    w->depth++;
}

static void next(struct writer *w, bool first)
{
    if (!first)
        (void)buf_addc(&w->text, ',');
    new_line(w);
}

static void close_group(struct writer *w, char bracket, bool empty)
{
    w->depth--;
    if (!empty)
        new_line(w);
    (void)buf_addc(&w->text, bracket);
}

static void put_array(struct writer *w, const json_t *array)
{
    const json_t *item;
    size_t i;

    open_group(w, '[');
    json_array_foreach(array, i, item)
    {
        next(w, i == 0);
        json_write_put(w, item);
    }
    close_group(w, ']', json_array_size(array) == 0);
}

static void put_object(struct writer *w, json_t *object)
{
    const char *key;
    json_t *item;
    bool first = true;

    open_group(w, '{');
    json_object_foreach(object, key, item)
    {
        next(w, first);
        first = false;
        json_write_put_text(&w->text, str_from(key));
        (void)buf_adds(&w->text, w->pretty ? ": " : ":");
        json_write_put(w, item);
    }
    close_group(w, '}', first);
}

static void json_write_put(struct writer *w, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        put_object(w, (json_t *)value);
        break;
    case JSON_ARRAY:
        put_array(w, value);
        break;
    case JSON_STRING:
        json_write_put_text(&w->text,
                            (struct str){json_string_value(value), json_string_length(value)});
        break;
    case JSON_INTEGER:
        (void)buf_addf(&w->text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL:
        put_real(&w->text, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        (void)buf_adds(&w->text, json_is_true(value) ? "true" : "false");
        break;
    case JSON_NULL:
        (void)buf_adds(&w->text, "null");
        break;
    }
}

char *json_write(const json_t *value, bool pretty)
{
    struct writer w = {.pretty = pretty};

    buf_init(&w.text, SIZE_MAX / 4);
    json_write_put(&w, value);
    return buf_take(&w.text);
}
