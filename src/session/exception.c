/* SPDX-License-Identifier: Apache-2.0 */
#include "session/exception.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"

/* "ValueError", "json.decoder.JSONDecodeError": dotted identifiers. */
static bool is_type_name(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
        bool inner = (c >= '0' && c <= '9') || c == '.';
        if (!letter && (!inner || i == 0))
            return false;
    }
    return s.n > 0;
}

#define FRAME "  File \""

static bool is_own_frame(struct str line, const char *work)
{
    return str_starts(line, FRAME) && str_starts(str_slice(line, strlen(FRAME), line.n), work) &&
           str_find(line, STR("\", line ")) > 0;
}

static int64_t line_of(struct str line)
{
    long at = str_find(line, STR("\", line "));
    struct str digits = str_slice(line, (size_t)at + 8, line.n);
    size_t n = 0;
    int64_t value = 0;

    while (n < digits.n && digits.p[n] >= '0' && digits.p[n] <= '9')
        n++;
    (void)num_int64(str_slice(digits, 0, n), &value);
    return value;
}

/* One in a text: an ordinary traceback, or an exception group's, whose lines have a bar before. */
struct found {
    long at; /* -1 for none */
    struct str bar;
};

/* The last traceback, or a SyntaxError's lone frame. */
static struct found last_traceback(struct str text, const char *work)
{
    AUTO_FREE char *lone = xasprintf(FRAME "%s", work);
    struct found found = {.at = -1};
    struct str rest = text, line;

    while (str_next_line(&rest, &line)) {
        bool group = str_is(line, "  + Exception Group Traceback (most recent call last):");
        if (!group && !str_is(line, "Traceback (most recent call last):"))
            continue;
        found.at = (long)(line.p - text.p);
        found.bar = str_from(group ? "  | " : "");
    }
    if (found.at < 0)
        found.at = str_find(text, str_from(lone));
    return found;
}

static char *clean(struct str s)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 3 * s.n + 1);
    (void)utf8_add_clean(&b, s);
    return buf_take(&b);
}

/* The lines of a traceback are indented; the first one that is not names the exception. */
struct result_exception *exception_read(struct str text, const char *work)
{
    struct found found = last_traceback(text, work);
    struct str line, rest, type = {NULL, 0};
    struct result_exception e = {0};

    if (found.at < 0)
        return NULL;
    text = rest = str_slice(text, (size_t)found.at, text.n);
    while (!type.n && str_next_line(&rest, &line)) {
        if (found.bar.n && str_starts(line, found.bar.p))
            line = str_slice(line, found.bar.n, line.n);
        if (is_own_frame(line, work))
            e.line = line_of(line);
        long colon = str_find(line, STR(": "));
        struct str name = colon < 0 ? line : str_slice(line, 0, (size_t)colon);
        if (is_type_name(name))
            type = name;
    }
    if (!type.n)
        return NULL;
    /* The message may go on over several lines: all that is left. */
    const char *end = found.bar.n ? line.p + line.n : text.p + text.n;
    struct str message = {type.p + type.n, (size_t)(end - type.p) - type.n};
    e.message = clean(str_trim(str_slice(message, message.n && message.p[0] == ':', message.n)));
    e.type = clean(type);
    e.traceback = clean(text);
    struct result_exception *copy = xmalloc(sizeof *copy);
    *copy = e;
    return copy;
}

void exception_free(struct result_exception *e)
{
    if (!e)
        return;
    free(e->type);
    free(e->message);
    free(e->traceback);
    free(e->hint);
    free(e);
}
