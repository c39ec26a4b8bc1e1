/* SPDX-License-Identifier: Apache-2.0
 *
 * IPython's tracebacks, as the code interpreter joins their lines, into Python's own form, which
 * the readers of errors know:
 *
 *     -------...ZeroDivisionError    Traceback (most recent call last)Cell In[4], line 2, in f(x)
 *           1 def f(x):
 *     ----> 2     return 1/x
 *     ZeroDivisionError: division by zero
 */
#include <string.h>

#include "base/num.h"
#include "far/e2b_relay_parts.h"

#define HEADER  "Traceback (most recent call last)"
#define EARLIER "<an earlier cell>"

struct converter {
    struct buf *out;
    int64_t count;
    const char *file;
    bool in_frames; /* lines of source follow */
};

/* The text up to one of these characters; the rest begins with it. */
static struct str word_until(struct str *rest, const char *ends)
{
    size_t n = 0;

    while (n < rest->n && !strchr(ends, rest->p[n]))
        n++;
    struct str word = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n, rest->n);
    return word;
}

static bool skip(struct str *rest, const char *text)
{
    if (!str_starts(*rest, text))
        return false;
    *rest = str_slice(*rest, strlen(text), rest->n);
    return true;
}

static void put_frame(struct converter *c, struct str file, struct str line, struct str rest)
{
    struct str in = STR("<module>");

    if (skip(&rest, ", in "))
        in = word_until(&rest, "(");
    (void)buf_addf(c->out, "  File \"%.*s\", line %.*s", (int)file.n, file.p, (int)line.n, line.p);
    if (c->in_frames)
        (void)buf_addf(c->out, ", in %.*s", (int)in.n, in.p);
    (void)buf_addc(c->out, '\n');
}

/* "Cell In[4], line 2, in f(x)" and "File /a/b.py:12, in f(x)". */
static bool take_frame(struct converter *c, struct str line)
{
    struct str rest = line, name, number;
    int64_t count = 0;

    if (skip(&rest, "Cell In[")) {
        number = word_until(&rest, "]");
        if (!num_int64(number, &count) || !skip(&rest, "], line "))
            return false;
        name = str_from(count == c->count ? c->file : EARLIER);
    } else if (skip(&rest, "File ")) {
        name = word_until(&rest, ":");
        if (!skip(&rest, ":"))
            return false;
    } else {
        return false;
    }
    number = word_until(&rest, ", ");
    if (!num_int64(number, &count))
        return false;
    put_frame(c, name, number, rest);
    return true;
}

/* "----> 2     return 1/x", and the lines around it. */
static bool take_source(struct converter *c, struct str line)
{
    struct str text = str_trim(line), rest = text;

    if (!c->in_frames || !text.n || (line.p[0] != ' ' && line.p[0] != '-'))
        return false;
    struct str dashes = word_until(&rest, ">");
    bool marked = dashes.n && dashes.p[0] == '-' && skip(&rest, "> ");
    if (marked) {
        (void)word_until(&rest, " ");
        rest = str_trim(rest);
        (void)buf_addf(c->out, "    %.*s\n", (int)rest.n, rest.p);
    }
    return marked || (text.p[0] >= '0' && text.p[0] <= '9');
}

static bool is_link(struct str line)
{
    return str_starts(line, "The above exception was the direct") ||
           str_starts(line, "During handling of the above");
}

static void take_line(struct converter *c, struct str line)
{
    long header = str_find(line, STR(HEADER));

    if (header >= 0) {
        (void)buf_adds(c->out, HEADER ":\n");
        c->in_frames = true;
        line = str_slice(line, (size_t)header + strlen(HEADER), line.n);
    }
    if (!str_trim(line).n || take_frame(c, str_trim(line)) || take_source(c, line))
        return;
    const char *around = is_link(line) ? "\n" : "";
    (void)buf_addf(c->out, "%s%.*s\n%s", around, (int)line.n, line.p, around);
}

void relay_put_trace(struct buf *out, struct str trace, int64_t count, const char *file)
{
    struct converter c = {.out = out, .count = count, .file = file};
    struct str line;

    while (str_next_line(&trace, &line))
        take_line(&c, line);
}
