/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the message. Its parts are in the order of their usefulness, and are written while there
 * is room. A part that does not fit is left out completely, and is counted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "explain/feedback_parts.h"
#include "formats/printable.h"

enum {
    CHARS_LEAST = 200, /* with less room the message would be useless */
    CHARS_MOST = 1 << 20,
    NOTE_CHARS = 80, /* reserved for the note about parts that were left out */
    MESSAGE_CHARS = 600,
    SOURCE_CHARS = 160,
    LINE_CHARS = 300,
    TYPE_CHARS = 100,
};

struct message {
    struct buf b;
    size_t chars, max;
};

static bool feedback_text_put(struct message *m, struct str part)
{
    size_t n = utf8_count(part);

    if (m->chars + n > m->max || buf_add_str(&m->b, part) < 0)
        return false;
    m->chars += n;
    return true;
}

/* ---- the error ---- */

static const char *in_prelude(const struct result_exception *e)
{
    return e->file && strcmp(e->file, RESULT_PRELUDE) == 0 ? " of the prelude" : "";
}

void feedback_add_error(struct buf *b, const struct result_exception *e, size_t chars)
{
    printable_add_word(b, str_from(e->type), TYPE_CHARS);
    if (e->line)
        (void)buf_addf(b, " on line %lld%s", (long long)e->line, in_prelude(e));
    if (*e->message) {
        (void)buf_adds(b, ": ");
        printable_add_word(b, str_from(e->message), chars);
    }
}

/* Writes "    7 | print(totl)", and a caret below if the column is known. */
static void add_source(struct buf *b, const struct result_exception *e)
{
    if (!e->source || !*e->source)
        return;
    struct str source = str_from(e->source), trimmed = str_trim(source);
    size_t before = utf8_count(str_slice(source, 0, (size_t)(trimmed.p - source.p)));
    size_t head = b->n;

    (void)buf_addf(b, "    %lld | ", (long long)e->line);
    head = b->n - head;
    printable_add_word(b, trimmed, SOURCE_CHARS);
    (void)buf_adds(b, "\n");
    if (e->column > (int64_t)before && e->column <= (int64_t)(before + SOURCE_CHARS))
        (void)buf_addf(b, "%*s^\n", (int)(head + (size_t)e->column - 1 - before), "");
}

static void add_cause(struct buf *b, const struct result_exception *e)
{
    if (!e->cause)
        return;
    (void)buf_adds(b, e->cause_inside ? "First of the errors inside: " : "It began with: ");
    feedback_add_error(b, e->cause, MESSAGE_CHARS);
    (void)buf_adds(b, "\n");
    add_source(b, e->cause);
}

static void put_error(struct message *m, const char *before, const struct result_exception *e)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 64 << 10);
    (void)buf_adds(&b, before);
    feedback_add_error(&b, e, m->max / 2 < MESSAGE_CHARS ? m->max / 2 : MESSAGE_CHARS);
    (void)buf_adds(&b, "\n");
    if (!feedback_text_put(m, buf_str(&b)))
        return;
    buf_clear(&b);
    add_source(&b, e);
    if (e->calls)
        (void)buf_addf(&b, "Called from %s.\n", e->calls);
    add_cause(&b, e);
    (void)feedback_text_put(m, buf_str(&b));
}

/* If the program was never started, the line comes from the guard's finding. */
static void put_refused_error(struct message *m, const struct result *r)
{
    struct result_exception e = *r->exception;
    const struct finding *f = r->verdict.n ? &r->verdict.findings[0] : NULL;

    if (!e.source && f && f->excerpt && f->line == e.line) {
        e.source = f->excerpt;
        e.column = f->excerpt_column;
    }
    put_error(m, "", &e);
}

static void put_head(struct message *m, const struct feedback_input *in)
{
    const struct result *r = in->result;
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 4096);
    bool ended = feedback_end(in, &b);
    if (ended)
        (void)buf_adds(&b, ".\n");
    else if (r->success)
        (void)buf_adds(&b, "The program ran, but not all tests passed.\n");
    else if (!r->exception)
        (void)buf_addf(&b, "The program failed with exit status %d.\n", r->exit_code);
    (void)feedback_text_put(m, buf_str(&b));
    if (r->exception && result_refused(r))
        put_refused_error(m, r);
    else if (r->exception)
        put_error(m, ended ? "" : "The program failed with ", r->exception);
}

/* ---- the advice ---- */

static bool shows_excerpt(const struct result *r)
{
    return !r->exception && r->err.total && !result_refused(r);
}

/* If the end of the error stream is shown, leave out the advice that repeats its beginning. */
static void put_advice(struct message *m, const struct feedback *f, bool excerpt)
{
    size_t left = 0;

    for (size_t i = 0; i < f->n; i++) {
        if (excerpt && str_starts(str_from(f->texts[i]), FEEDBACK_ERROR))
            continue;
        struct str text = str_trim(str_from(f->texts[i]));
        AUTO_FREE char *line =
            xasprintf("%s- %.*s\n", i ? "" : "\nWhat to do:\n", (int)text.n, text.p);
        left += !feedback_text_put(m, str_from(line));
    }
    if (!left)
        return;
    AUTO_FREE char *note = xasprintf("(%zu more left out, for lack of space)\n", left);
    m->max += NOTE_CHARS;
    (void)feedback_text_put(m, str_from(note));
    m->max -= NOTE_CHARS;
}

/* ---- the end of the error stream ---- */

/* Writes the end of the stream, if it contains more than the error that was read from it. */
static void put_excerpt(struct message *m, const struct result *r)
{
    AUTO_BUF struct buf text = {0}, b = {0};
    struct str rest, line;

    if (!shows_excerpt(r))
        return;
    buf_init(&text, r->err.limit + 256);
    capture_text(&r->err, &text);
    rest = feedback_excerpt(buf_str(&text));
    buf_init(&b, 64 << 10);
    (void)buf_adds(&b, "\nThe error output ends with:\n");
    while (str_next_line(&rest, &line)) {
        (void)buf_adds(&b, "    ");
        printable_add_word(&b, line, LINE_CHARS);
        (void)buf_adds(&b, "\n");
    }
    if (!feedback_text_put(m, buf_str(&b))) {
        m->max += NOTE_CHARS;
        (void)feedback_text_put(m, STR("(the error output is left out, for lack of space)\n"));
        m->max -= NOTE_CHARS;
    }
}

/* At most two notes are written after `max` is reached; the room for them is reserved. */
char *feedback_text(const struct feedback_input *in, const struct feedback *f)
{
    struct message m = {.max = in->max_chars ? in->max_chars : FEEDBACK_CHARS};

    if (!f->n)
        return xstrdup("");
    m.max = m.max < CHARS_LEAST ? CHARS_LEAST : m.max > CHARS_MOST ? CHARS_MOST : m.max;
    m.max -= 2 * NOTE_CHARS;
    buf_init(&m.b, 4 * CHARS_MOST);
    put_head(&m, in);
    put_advice(&m, f, shows_excerpt(in->result));
    put_excerpt(&m, in->result);
    char *text = buf_take(&m.b);
    buf_done(&m.b);
    return text;
}
