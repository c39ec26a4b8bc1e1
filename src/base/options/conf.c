/* SPDX-License-Identifier: Apache-2.0 */
#include "options/conf.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/utf8.h"

struct seen {
    size_t section; /* index of the heading above the key; 0 for the top */
    bool heading;
    struct str name;
    size_t line;
};

struct parser {
    const char *p, *end;
    size_t line;
    const char *name;
    struct err *err;

    struct conf_item item;
    struct str *values;
    size_t values_cap;
    /* Values without their escapes. They are never longer than the source, so the room never grows.
     */
    char *plain, *plain_end;

    struct seen *seen;
    size_t seen_n, section;
};

#define FAIL(ps, ...)                                                                              \
    (err_set((ps)->err, ERR_USAGE, __VA_ARGS__),                                                   \
     err_wrap((ps)->err, "%s:%zu", (ps)->name, (ps)->line))

static int peek(const struct parser *ps)
{
    return ps->p < ps->end ? (unsigned char)*ps->p : -1;
}

static bool at_newline(const struct parser *ps)
{
    return peek(ps) == '\n' || peek(ps) == '\r'; /* check_text saw that each CR ends a line */
}

static void skip_newline(struct parser *ps)
{
    if (peek(ps) == '\r')
        ps->p++;
    if (peek(ps) == '\n')
        ps->p++;
    ps->line++;
}

static void skip_blank(struct parser *ps)
{
    while (peek(ps) == ' ' || peek(ps) == '\t')
        ps->p++;
}

static void skip_comment(struct parser *ps)
{
    skip_blank(ps);
    if (peek(ps) != '#')
        return;
    const char *newline = memchr(ps->p, '\n', (size_t)(ps->end - ps->p));
    ps->p = newline ? newline : ps->end;
}

/* The character at the current position, for a message. */
static const char *here(const struct parser *ps, char out[16])
{
    struct buf b;
    int c = peek(ps);

    buf_init(&b, 15);
    if (c < 0 || at_newline(ps))
        (void)buf_adds(&b, "the line's end");
    else if (c > ' ' && c < 0x7F)
        (void)buf_addf(&b, "'%c'", c);
    else
        (void)buf_addf(&b, "byte 0x%02X", (unsigned)c);
    memcpy(out, b.p, b.n + 1);
    buf_done(&b);
    return out;
}

static int conf_end_line(struct parser *ps, const char *after)
{
    char found[16];

    skip_comment(ps);
    if (ps->p == ps->end)
        return 0;
    if (!at_newline(ps))
        return FAIL(ps, "expected the line's end after %s, found %s", after, here(ps, found));
    skip_newline(ps);
    return 0;
}

static bool conf_is_name(int c)
{
    return c > 0 && (ascii_is_word((char)c) || strchr("-.+", c));
}

static struct str read_name(struct parser *ps)
{
    const char *start = ps->p;

    while (conf_is_name(peek(ps)))
        ps->p++;
    return (struct str){start, (size_t)(ps->p - start)};
}

/* ---- values ---- */

static int read_unicode(struct parser *ps)
{
    unsigned c = 0;

    for (int i = 0; i < 4; i++, ps->p++) {
        int digit = peek(ps) < 0 ? -1 : ascii_hex(*ps->p);
        if (digit < 0)
            return FAIL(ps, "\\u needs four hexadecimal digits");
        c = c << 4 | (unsigned)digit;
    }
    if (!c)
        return FAIL(ps, "\\u0000 cannot be part of a value");
    if (c >= 0xD800 && c <= 0xDFFF)
        return FAIL(ps, "\\u%04X is half a character; write the character itself", c);
    ps->plain_end += utf8_put(ps->plain_end, c);
    return 0;
}

static int read_escape(struct parser *ps)
{
    static const char names[] = "ntr\"\\", values[] = "\n\t\r\"\\";
    char found[16];

    if (peek(ps) == 'u') {
        ps->p++;
        return read_unicode(ps);
    }
    const char *at = peek(ps) > 0 ? strchr(names, peek(ps)) : NULL;
    if (!at)
        return FAIL(ps, "expected one of n t r u \" \\ after '\\', found %s", here(ps, found));
    *ps->plain_end++ = values[at - names];
    ps->p++;
    return 0;
}

static int read_quoted(struct parser *ps, struct str *ret)
{
    char *start = ps->plain_end;

    for (ps->p++; peek(ps) != '"';) {
        if (peek(ps) < 0 || at_newline(ps))
            return FAIL(ps, "expected '\"' before the line's end");
        if (*ps->p != '\\')
            *ps->plain_end++ = *ps->p++;
        else if (ps->p++, read_escape(ps) < 0)
            return -1;
    }
    ps->p++;
    *ret = (struct str){start, (size_t)(ps->plain_end - start)};
    return 0;
}

static int read_literal(struct parser *ps, struct str *ret)
{
    const char *start = ++ps->p;

    while (peek(ps) != '\'') {
        if (peek(ps) < 0 || at_newline(ps))
            return FAIL(ps, "expected \"'\" before the line's end");
        ps->p++;
    }
    *ret = (struct str){start, (size_t)(ps->p++ - start)};
    return 0;
}

static int read_bare(struct parser *ps, bool in_array, struct str *ret)
{
    const char *start = ps->p;
    char found[16];

    for (; peek(ps) >= 0 && !at_newline(ps); ps->p++) {
        if (in_array && (*ps->p == ',' || *ps->p == ']'))
            break;
        bool word_ended = ps->p > start && (ps->p[-1] == ' ' || ps->p[-1] == '\t');
        if (*ps->p == '#' && word_ended)
            break;
        if (strchr("#\"'{}", *ps->p))
            return FAIL(ps, "a value with %s in it needs quotes around the whole of it",
                        here(ps, found));
    }
    *ret = str_trim((struct str){start, (size_t)(ps->p - start)});
    return 0;
}

static int read_value(struct parser *ps, bool in_array)
{
    struct str value;
    int failed;

    if (peek(ps) == '"')
        failed = read_quoted(ps, &value);
    else if (peek(ps) == '\'')
        failed = read_literal(ps, &value);
    else
        failed = read_bare(ps, in_array, &value);
    if (failed)
        return -1;
    if (ps->item.n == ps->values_cap)
        ps->values = mem_grow(ps->values, &ps->values_cap, sizeof *ps->values);
    ps->values[ps->item.n++] = value;
    return 0;
}

static void skip_gap(struct parser *ps)
{
    for (skip_comment(ps); peek(ps) >= 0 && at_newline(ps); skip_comment(ps))
        skip_newline(ps);
}

/* "[" { value "," } [ value ] "]" */
static int read_array(struct parser *ps)
{
    size_t opened = ps->line;
    char found[16];

    for (ps->p++;; ps->p++) {
        skip_gap(ps);
        if (peek(ps) == ']')
            break;
        if (peek(ps) == '[')
            return FAIL(ps, "an array cannot hold another");
        if (peek(ps) == ',')
            return FAIL(ps, "expected a value before ','");
        if (peek(ps) >= 0 && read_value(ps, true) < 0)
            return -1;
        skip_gap(ps);
        if (peek(ps) == ']')
            break;
        if (peek(ps) < 0)
            return FAIL(ps, "the array of line %zu is not closed", opened);
        if (peek(ps) != ',')
            return FAIL(ps, "expected ',' or ']' after a value, found %s", here(ps, found));
    }
    ps->p++;
    return 0;
}

/* ---- lines ---- */

/* Compares with every name so far: few names are allowed, so this is fast enough for any file. */
static int note_name(struct parser *ps, struct str name, bool heading)
{
    for (size_t i = 0; i < ps->seen_n; i++) {
        const struct seen *s = &ps->seen[i];
        if (s->heading == heading && (heading || s->section == ps->section) &&
            str_eq(s->name, name))
            return FAIL(ps, "%s '%.*s' is already in line %zu", heading ? "section" : "key",
                        (int)(name.n < 80 ? name.n : 80), name.p, s->line);
    }
    if (ps->seen_n == CONF_MAX_KEYS)
        return FAIL(ps, "more than %d keys", (int)CONF_MAX_KEYS);
    ps->seen[ps->seen_n++] =
        (struct seen){.section = ps->section, .heading = heading, .name = name, .line = ps->line};
    return 0;
}

/* "[" name { "." name } "]" */
static int read_heading(struct parser *ps)
{
    char found[16];

    ps->p++;
    skip_blank(ps);
    struct str name = read_name(ps);
    skip_blank(ps);
    if (!name.n)
        return FAIL(ps, "expected a section's name after '[', found %s", here(ps, found));
    if (peek(ps) != ']')
        return FAIL(ps, "expected ']' after '%.*s', found %s", (int)(name.n < 80 ? name.n : 80),
                    name.p, here(ps, found));
    if (name.p[0] == '.' || name.p[name.n - 1] == '.' || str_find(name, STR("..")) >= 0)
        return FAIL(ps, "'%.*s' has an empty part", (int)(name.n < 80 ? name.n : 80), name.p);
    if (note_name(ps, name, true) < 0)
        return -1;
    ps->p++;
    ps->section++;
    ps->item.section = name;
    return conf_end_line(ps, "a section's name");
}

/* name "=" ( value | array ) */
static int read_key(struct parser *ps, conf_item_fn *fn, void *ctx)
{
    char found[16];
    struct str key = read_name(ps);
    int shown = (int)(key.n < 80 ? key.n : 80);

    if (!key.n)
        return FAIL(ps, "expected a key or [section], found %s", here(ps, found));
    skip_blank(ps);
    if (peek(ps) != '=')
        return FAIL(ps, "expected '=' after '%.*s'", shown, key.p);
    if (note_name(ps, key, false) < 0)
        return -1;
    ps->p++;
    skip_blank(ps);
    if (peek(ps) < 0 || at_newline(ps) || peek(ps) == '#')
        return FAIL(ps, "expected a value after '%.*s ='", shown, key.p);

    ps->item.key = key;
    ps->item.line = ps->line;
    ps->item.n = 0;
    ps->item.array = peek(ps) == '[';
    ps->plain_end = ps->plain;
    if (ps->item.array ? read_array(ps) < 0 : read_value(ps, false) < 0)
        return -1;
    if (conf_end_line(ps, "the value") < 0)
        return -1;
    ps->item.values = ps->values;
    return fn(ctx, &ps->item, ps->err);
}

static int conf_read_lines(struct parser *ps, conf_item_fn *fn, void *ctx)
{
    int failed = 0;

    while (!failed) {
        skip_gap(ps);
        if (peek(ps) < 0)
            return 0;
        failed = peek(ps) == '[' ? read_heading(ps) : read_key(ps, fn, ctx);
    }
    return failed;
}

/* After this check no line is too long, and the only control characters are tabs and line ends. */
static int conf_check_text(struct parser *ps)
{
    struct str rest = {ps->p, (size_t)(ps->end - ps->p)}, line;

    if (rest.n > CONF_MAX_BYTES)
        return err_set(ps->err, ERR_USAGE, "%s: larger than %d bytes", ps->name,
                       (int)CONF_MAX_BYTES);
    for (ps->line = 1; str_next_line(&rest, &line); ps->line++) {
        if (line.n > CONF_MAX_LINE)
            return FAIL(ps, "the line is longer than %d bytes", (int)CONF_MAX_LINE);
        for (size_t i = 0; i < line.n; i++) {
            unsigned char c = (unsigned char)line.p[i];
            if ((c < ' ' && c != '\t') || c == 0x7F)
                return FAIL(ps, "control character 0x%02X; write it as \\u%04X in quotes", c, c);
        }
    }
    ps->line = 1;
    return 0;
}

int conf_parse(struct str text, const char *name, conf_item_fn *fn, void *ctx, struct err *err)
{
    if (str_starts(text, "\xEF\xBB\xBF"))
        text = str_slice(text, 3, text.n);
    struct parser ps = {.p = text.p,
                        .end = text.p + text.n,
                        .name = name,
                        .err = err,
                        .item = {.section = STR("")}};

    if (conf_check_text(&ps) < 0)
        return -1;
    AUTO_FREE char *plain = xmalloc(text.n);
    AUTO_FREE struct seen *seen = xcalloc(CONF_MAX_KEYS, sizeof *seen);
    ps.plain = plain;
    ps.seen = seen;
    int result = conf_read_lines(&ps, fn, ctx);
    free(ps.values);
    return result;
}

/* ---- writing ---- */

static bool is_bare(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!conf_is_name((unsigned char)s.p[i]) && !(s.p[i] && strchr("/:@%=", s.p[i])))
            return false;
    return s.n > 0;
}

static int add_char(struct buf *b, unsigned char c)
{
    static const char names[] = "ntr\"\\", values[] = "\n\t\r\"\\";
    const char *at = strchr(values, c);

    if (at && c)
        return buf_addf(b, "\\%c", names[at - values]);
    if (c < ' ' || c == 0x7F)
        return buf_addf(b, "\\u%04X", c);
    return buf_addc(b, (char)c);
}

int conf_add_value(struct buf *b, struct str value)
{
    if (is_bare(value))
        return buf_add_str(b, value);
    int failed = buf_addc(b, '"');
    for (size_t i = 0; i < value.n && !failed; i++)
        failed = add_char(b, (unsigned char)value.p[i]);
    return failed ? -1 : buf_addc(b, '"');
}
