/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/exception.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "explain/exception_parts.h"
#include "explain/feedback_advice.h"
#include "languages/language.h"

enum { TYPE_MAX = 300, SOURCE_MAX = 1000, NAME_MAX_SHOWN = 100 };

static exception_reader *const readers[ERRORS_COUNT] = {
    [ERRORS_PYTHON] = exception_read_python,
    [ERRORS_NODE] = exception_read_node,
    [ERRORS_R] = exception_read_r,
    [ERRORS_SHELL] = exception_read_shell,
};

/* ---- functions that the readers share ---- */

bool reading_is_name(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
        bool inner = (c >= '0' && c <= '9') || c == '.';
        if (!letter && (!inner || i == 0))
            return false;
    }
    return s.n > 0 && s.n <= TYPE_MAX;
}

int64_t reading_number(struct str s)
{
    size_t n = 0;
    int64_t value = 0;

    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    return num_int64(str_slice(s, 0, n), &value) ? value : 0;
}

void reading_push(struct reading_error *e, struct reading_frame frame)
{
    if (e->frame_count == READING_FRAMES) {
        memmove(&e->frames[1], &e->frames[2], (READING_FRAMES - 2) * sizeof e->frames[0]);
        e->frame_count--;
    }
    e->frames[e->frame_count++] = frame;
}

bool reading_program_line(const struct exception_input *in, int64_t n, struct str *ret)
{
    struct str rest = in->code;

    while (n > 0 && str_next_line(&rest, ret))
        if (--n == 0)
            return true;
    return false;
}

int64_t reading_line_with(const struct exception_input *in, struct str text)
{
    struct str rest = in->code, line;
    int64_t found = 0;

    for (int64_t n = 1; text.n && str_next_line(&rest, &line); n++) {
        if (str_find(line, text) < 0)
            continue;
        if (found)
            return 0;
        found = n;
    }
    return found;
}

/* ---- the exception of a reading ---- */

static char *clean(struct str s)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 3 * s.n + 1);
    (void)utf8_add_clean(&b, s);
    return buf_take(&b);
}

static bool is_program(const struct exception_input *in, struct str file)
{
    return in->program && str_is(file, in->program);
}

/* The text of the innermost line: from the program, or else as the trace shows it. */
static struct str source_of(const struct exception_input *in, const struct reading_error *e)
{
    const struct reading_frame *f = &e->frames[e->frame_count - 1];
    struct str line = e->shown;

    if (is_program(in, f->file))
        (void)reading_program_line(in, f->line, &line);
    return line;
}

static void add_frame(struct buf *b, const struct exception_input *in,
                      const struct reading_frame *f)
{
    (void)buf_addf(b, "%sline %lld", b->n ? ", " : "", (long long)f->line);
    if (f->function.n && str_find(f->function, STR("<")) < 0) {
        (void)buf_adds(b, " in ");
        printable_add_word(b, f->function, NAME_MAX_SHOWN);
    }
    if (!is_program(in, f->file) && f->file.n) {
        (void)buf_adds(b, " of ");
        printable_add_word(b, f->file, NAME_MAX_SHOWN);
    }
}

static char *calls_of(const struct exception_input *in, const struct reading_error *e)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 4096);
    for (size_t i = e->frame_count - 1; i-- > 0;)
        add_frame(&b, in, &e->frames[i]);
    return buf_take(&b);
}

static void set_place(const struct exception_input *in, const struct reading_error *e,
                      struct result_exception *ret)
{
    if (!e->frame_count)
        return;
    ret->line = e->frames[e->frame_count - 1].line;
    ret->column = e->column;
    if (is_program(in, e->frames[0].file) && str_is(e->frames[0].function, "<module>")) {
        ret->top_line = e->frames[0].line;
        ret->top_column = e->top_column;
    }
    struct str source = source_of(in, e);
    if (source.n && source.n <= SOURCE_MAX)
        ret->source = clean(source);
    if (e->frame_count > 1)
        ret->calls = calls_of(in, e);
}

static struct result_exception *make(const struct exception_input *in,
                                     const struct reading_error *e, struct str trace)
{
    struct result_exception *ret = xcalloc(1, sizeof *ret);

    ret->type = clean(e->type);
    ret->message = clean(str_trim(e->message));
    ret->traceback = clean(trace);
    set_place(in, e, ret);
    const char *ends = exception_line_ends(in->language, in->code);
    ret->hint = ends ? xstrdup(ends) : advice_for_error(in->language, ret->type, ret->message);
    return ret;
}

/* A chain whose first and last error are equal adds no information. */
static bool is_worth_telling(const struct reading *r)
{
    return r->cause.type.n && !(str_eq(r->cause.type, r->error.type) &&
                                str_eq(str_trim(r->cause.message), str_trim(r->error.message)));
}

struct result_exception *exception_find(const struct exception_input *in)
{
    exception_reader *read = readers[language_traits_of(in->language)->errors];
    struct reading r = {.in = in};

    if (!read || !read(&r) || !r.error.type.n)
        return NULL;
    struct result_exception *e = make(in, &r.error, r.traceback);
    if (is_worth_telling(&r)) {
        e->cause = make(in, &r.cause, STR(""));
        e->cause_inside = r.cause_inside;
    }
    return e;
}
