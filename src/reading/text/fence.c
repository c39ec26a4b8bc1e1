/* SPDX-License-Identifier: Apache-2.0 */
#include "text/fence.h"

#include <string.h>

#include "base/ascii.h"
#include "languages/language.h"

enum { TAB = 4, MARKER_DIGITS = 9 };

/* ---- lines ---- */

bool line_read(struct str text, size_t at, struct line *ret)
{
    if (at >= text.n)
        return false;
    const char *end = memchr(text.p + at, '\n', text.n - at);
    size_t stop = end ? (size_t)(end - text.p) : text.n;

    *ret = (struct line){.start = at, .end = stop, .next = end ? stop + 1 : stop};
    ret->crlf = end && stop > at && text.p[stop - 1] == '\r';
    if (ret->crlf)
        ret->end--;
    return true;
}

static bool only_blanks(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_blank(s.p[i]) && s.p[i] != '\r')
            return false;
    return true;
}

/* ---- before the content ---- */

struct cursor {
    const char *p;
    size_t at, end, column;
};

static void skip_blanks(struct cursor *c)
{
    for (; c->at < c->end && ascii_is_blank(c->p[c->at]); c->at++)
        c->column += c->p[c->at] == '\t' ? TAB - c->column % TAB : 1;
}

/* Skips `> `: a space after it belongs to it. */
static bool skip_quote(struct cursor *c)
{
    if (c->at >= c->end || c->p[c->at] != '>')
        return false;
    c->at++;
    if (c->at < c->end && c->p[c->at] == ' ')
        c->at++;
    c->column = 0;
    return true;
}

/* Skips `- `, `* `, `+ `, `1. ` or `1) `. */
static bool skip_marker(struct cursor *c)
{
    size_t at = c->at, digits = 0;

    while (at < c->end && c->p[at] >= '0' && c->p[at] <= '9' && digits <= MARKER_DIGITS) {
        at++;
        digits++;
    }
    if (at >= c->end || digits > MARKER_DIGITS || !strchr(digits ? ".)" : "-*+", c->p[at]) ||
        !c->p[at])
        return false;
    at++;
    if (at >= c->end || !ascii_is_blank(c->p[at]))
        return false;
    c->column += at - c->at;
    c->at = at;
    return true;
}

/* Starts after a byte order mark, if the line is the first. */
static struct cursor start_of(struct str text, const struct line *line)
{
    struct cursor c = {.p = text.p, .at = line->start, .end = line->end};

    if (c.at == 0 && str_starts(text, "\xef\xbb\xbf") && c.end >= 3)
        c.at = 3;
    return c;
}

void line_lead(struct str text, const struct line *line, struct line_lead *ret)
{
    struct cursor c = start_of(text, line);

    *ret = (struct line_lead){0};
    for (bool more = true; more;) {
        skip_blanks(&c);
        bool quote = skip_quote(&c);
        ret->quotes += quote;
        more = quote || skip_marker(&c);
    }
    ret->at = c.at;
    ret->indent = c.column;
}

static bool skip_quotes(struct cursor *c, unsigned quotes)
{
    for (unsigned i = 0; i < quotes; i++) {
        skip_blanks(c);
        if (!skip_quote(c))
            return false;
    }
    return true;
}

bool line_lead_in(struct str text, const struct line *line, unsigned quotes, struct line_lead *ret)
{
    struct cursor c = start_of(text, line);
    bool all = skip_quotes(&c, quotes);

    skip_blanks(&c);
    *ret = (struct line_lead){.at = c.at, .quotes = quotes, .indent = c.column};
    return all;
}

struct str line_undent(struct str text, const struct line *line, unsigned quotes, size_t columns,
                       size_t *ret_spaces)
{
    struct cursor c = start_of(text, line);

    (void)skip_quotes(&c, quotes);
    while (c.at < c.end && ascii_is_blank(c.p[c.at]) && c.column < columns) {
        c.column += c.p[c.at] == '\t' ? TAB - c.column % TAB : 1;
        c.at++;
    }
    *ret_spaces = c.column > columns ? c.column - columns : 0;
    return (struct str){text.p + c.at, c.end - c.at};
}

/* ---- fences ---- */

static size_t run_of(struct str s, char mark)
{
    size_t n = 0;

    while (n < s.n && s.p[n] == mark)
        n++;
    return n;
}

bool fence_opens(struct str rest, struct fence *ret)
{
    char mark = rest.n ? rest.p[0] : 0;
    size_t n = mark == '`' || mark == '~' ? run_of(rest, mark) : 0;

    if (n < FENCE_MIN)
        return false;
    *ret = (struct fence){mark, n, str_trim(str_slice(rest, n, rest.n))};
    return mark == '~' || str_find(ret->info, STR("`")) < 0;
}

bool fence_closes(struct str rest, const struct fence *open)
{
    size_t n = run_of(rest, open->mark);

    return n >= open->n && only_blanks(str_slice(rest, n, rest.n));
}

bool fence_on_line(struct str rest, struct fence *ret, struct str *ret_code)
{
    size_t n = run_of(rest, '`');

    if (n < FENCE_MIN)
        return false;
    for (size_t at = n; at < rest.n;) {
        size_t run = run_of(str_slice(rest, at, rest.n), '`');
        if (run == n) {
            *ret = (struct fence){'`', n, {"", 0}};
            *ret_code = str_slice(rest, n, at);
            return only_blanks(str_slice(rest, at + n, rest.n));
        }
        at += run ? run : 1;
    }
    return false;
}

/* Prose may end with "```", so only a known language makes it a fence. */
long fence_at_end(struct str rest)
{
    rest = str_trim(rest);
    size_t word = rest.n;

    while (word > 0 && rest.p[word - 1] != '`' && !ascii_is_blank(rest.p[word - 1]))
        word--;
    size_t at = word;
    while (at > 0 && rest.p[at - 1] == '`')
        at--;
    if (word - at < FENCE_MIN || !language_find(NULL, str_slice(rest, word, rest.n)) ||
        str_find(str_slice(rest, 0, at), STR("`")) >= 0)
        return -1;
    return (long)at;
}

/* ---- Python's long strings ---- */

static bool three(struct str s, size_t at, char quote)
{
    return at + 2 < s.n && s.p[at] == quote && s.p[at + 1] == quote && s.p[at + 2] == quote;
}

/* Inside a string, from `at`: returns where the string ends, or the line's end. */
static size_t skip_string(struct long_string *s, struct str line, size_t at)
{
    for (; at < line.n; at++) {
        if (line.p[at] == '\\') {
            at++;
        } else if (s->lasting ? three(line, at, s->quote) : line.p[at] == s->quote) {
            at += s->lasting ? 3 : 1;
            *s = (struct long_string){0};
            return at;
        }
    }
    /* A backslash before the line end continues a short string on the next line. */
    if (!s->lasting && at <= line.n)
        *s = (struct long_string){0};
    return line.n;
}

bool long_string_line(struct long_string *s, struct str line)
{
    size_t at = s->quote ? skip_string(s, line, 0) : 0;

    while (at < line.n && line.p[at] != '#') {
        char c = line.p[at];
        if (c != '"' && c != '\'') {
            at++;
            continue;
        }
        *s = (struct long_string){.quote = c, .lasting = three(line, at, c)};
        at = skip_string(s, line, at + (s->lasting ? 3 : 1));
    }
    return at < line.n;
}
