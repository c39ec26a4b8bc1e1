/* SPDX-License-Identifier: Apache-2.0 */
#include "session/exception.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"

/* "ValueError", "json.decoder.JSONDecodeError": dotted identifiers, with a capital in the last one.
 */
static bool is_type_name(struct str s)
{
    bool capital = false;

    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
        bool inner = (c >= '0' && c <= '9') || c == '.';
        if (!letter && (!inner || i == 0))
            return false;
        capital = c == '.' ? false : capital || (c >= 'A' && c <= 'Z');
    }
    return s.n > 0 && capital;
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

/* Where the last traceback begins, or where a SyntaxError's lone frame does; -1 for neither. */
static long last_traceback(struct str text, const char *work)
{
    AUTO_FREE char *lone = xasprintf(FRAME "%s", work);
    struct str mark = STR("Traceback (most recent call last):\n"), rest = text;
    long found = -1, at;

    while ((at = str_find(rest, mark)) >= 0) {
        found = (long)(rest.p - text.p) + at;
        rest = str_slice(rest, (size_t)at + mark.n, rest.n);
    }
    return found >= 0 ? found : str_find(text, str_from(lone));
}

static char *clean(struct str s)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 3 * s.n + 1);
    (void)utf8_add_clean(&b, s);
    return buf_take(&b);
}

struct result_exception *exception_read(struct str text, const char *work)
{
    long from = last_traceback(text, work);
    struct str line, rest, type = {NULL, 0};
    struct result_exception e = {0};

    if (from < 0)
        return NULL;
    text = rest = str_slice(text, (size_t)from, text.n);
    while (str_next_line(&rest, &line)) {
        if (is_own_frame(line, work))
            e.line = line_of(line);
        long colon = str_find(line, STR(": "));
        struct str name = colon < 0 ? line : str_slice(line, 0, (size_t)colon);
        if (!is_type_name(name))
            continue;
        /* The message may go on over several lines: all that is left. */
        type = name;
        e.message = clean(str_trim(
            str_slice(text, (size_t)(line.p - text.p) + name.n + (colon < 0 ? 0 : 2), text.n)));
        break;
    }
    if (!type.n)
        return NULL;
    e.type = xstrndup(type.p, type.n);
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
