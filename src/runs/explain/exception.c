/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/exception.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "explain/exception_parts.h"
#include "explain/feedback_advice.h"
#include "formats/printable.h"
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

static bool is_prelude(const struct exception_input *in, const struct reading_frame *f)
{
    return is_program(in, f->file) && f->line <= in->prelude;
}

/* Returns the line number in the user's own text, or in the prelude. */
static int64_t exception_line_of(const struct exception_input *in, const struct reading_frame *f)
{
    return is_program(in, f->file) && !is_prelude(in, f) ? f->line - in->prelude : f->line;
}

/* Returns the innermost frame outside of the prelude; otherwise the innermost frame. */
static size_t place_of(const struct exception_input *in, const struct reading_error *e)
{
    for (size_t i = e->frame_count; i-- > 0;)
        if (!is_prelude(in, &e->frames[i]))
            return i;
    return e->frame_count - 1;
}

static int64_t column_at(const struct reading_error *e, size_t frame)
{
    return frame == e->frame_count - 1 ? e->column : frame == 0 ? e->top_column : 0;
}

/* Returns the text of a frame's line: from the program, otherwise as the traceback shows it. */
static struct str source_of(const struct exception_input *in, const struct reading_error *e,
                            size_t frame)
{
    const struct reading_frame *f = &e->frames[frame];
    struct str line = frame == e->frame_count - 1 ? e->shown : STR("");

    if (is_program(in, f->file))
        (void)reading_program_line(in, f->line, &line);
    return line;
}

static void add_frame(struct buf *b, const struct exception_input *in,
                      const struct reading_frame *f)
{
    (void)buf_addf(b, "%sline %lld", b->n ? ", " : "", (long long)exception_line_of(in, f));
    if (f->function.n && str_find(f->function, STR("<")) < 0) {
        (void)buf_adds(b, " in ");
        printable_add_word(b, f->function, NAME_MAX_SHOWN);
    }
    if (is_prelude(in, f)) {
        (void)buf_adds(b, " of the prelude");
    } else if (!is_program(in, f->file) && f->file.n) {
        (void)buf_adds(b, " of ");
        printable_add_word(b, f->file, NAME_MAX_SHOWN);
    }
}

static char *calls_of(const struct exception_input *in, const struct reading_error *e, size_t frame)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 4096);
    for (size_t i = frame; i-- > 0;)
        add_frame(&b, in, &e->frames[i]);
    return buf_take(&b);
}

/* True if the line does not exist: the program may print an invented traceback. Python reports the
 * line after the last one if the text ends too early. */
static bool is_beyond(const struct exception_input *in, const struct reading_frame *f)
{
    return is_program(in, f->file) && f->line > (int64_t)str_count_lines(in->code) + 1;
}

static void exception_set_place(const struct exception_input *in, const struct reading_error *e,
                                struct result_exception *ret)
{
    if (!e->frame_count)
        return;
    size_t at = place_of(in, e);
    const struct reading_frame *f = &e->frames[at];

    if (is_beyond(in, f) || is_beyond(in, &e->frames[0]))
        return;
    ret->line = exception_line_of(in, f);
    ret->column = column_at(e, at);
    if (is_prelude(in, f))
        ret->file = xstrdup(RESULT_PRELUDE);
    else if (f->file.n && !is_program(in, f->file))
        ret->file = clean(f->file);
    if (is_program(in, e->frames[0].file) && str_is(e->frames[0].function, "<module>")) {
        ret->top_line = e->frames[0].line;
        ret->top_column = e->top_column;
    }
    struct str source = source_of(in, e, at);
    if (source.n && source.n <= SOURCE_MAX)
        ret->source = clean(source);
    if (at > 0)
        ret->calls = calls_of(in, e, at);
}

static struct str digits_of(struct str s)
{
    size_t n = 0;

    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    return str_slice(s, 0, n);
}

/* A frame of the program keeps its file's name and gets the user's line number. A frame of the
 * prelude gets the prelude's name and line number. */
static void add_trace_line(struct buf *b, const struct exception_input *in, struct str line,
                           const char *mark)
{
    struct reading_frame f = {.file = in->program ? str_from(in->program) : STR("")};
    struct str rest = line;

    if (str_starts(line, mark)) {
        rest = str_slice(line, strlen(mark), line.n);
        f.line = reading_number(digits_of(rest));
    }
    if (!f.line) {
        (void)buf_add_str(b, line);
        return;
    }
    if (is_prelude(in, &f))
        (void)buf_adds(b, "  File \"" RESULT_PRELUDE "\", line ");
    else
        (void)buf_adds(b, mark);
    (void)buf_addf(b, "%lld", (long long)exception_line_of(in, &f));
    (void)buf_add_str(b, str_slice(rest, digits_of(rest).n, rest.n));
}

/* Returns the trace, with the user's line numbers in the program's frames. Without a prelude, it is
 * unchanged. */
static char *trace_of(const struct exception_input *in, struct str trace)
{
    AUTO_FREE char *mark = xasprintf("  File \"%s%s\", line ", in->work ? in->work : "",
                                     in->program ? in->program : "");
    AUTO_BUF struct buf b = {0};
    struct str line;

    if (!in->prelude || !in->program)
        return clean(trace);
    buf_init(&b, 2 * trace.n + 1024);
    while (trace.n && str_next(&trace, '\n', &line)) {
        add_trace_line(&b, in, line, mark);
        if (trace.p)
            (void)buf_addc(&b, '\n');
    }
    return clean(buf_str(&b));
}

static struct result_exception *exception_make(const struct exception_input *in,
                                               const struct reading_error *e, struct str trace)
{
    struct result_exception *ret = xcalloc(1, sizeof *ret);

    ret->type = clean(e->type);
    ret->message = clean(str_trim(e->message));
    ret->traceback = trace_of(in, trace);
    exception_set_place(in, e, ret);
    const char *ends = exception_line_ends(in->language, in->code);
    ret->hint = ends ? xstrdup(ends)
                     : advice_for_error(&(struct advice_error){in->language, ret->type,
                                                               str_from(ret->message), in->place});
    return ret;
}

/* False if the first and the last error of the chain are equal: the chain adds no information
 * then. */
static bool is_worth_telling(const struct reading *r)
{
    return r->cause.type.n && !(str_eq(r->cause.type, r->error.type) &&
                                str_eq(str_trim(r->cause.message), str_trim(r->error.message)));
}

struct result_exception *exception_find(const struct exception_input *in)
{
    exception_reader *read = readers[language_traits_of(in->language)->errors];
    struct reading r = {.in = in};

    if (in->errors)
        read = exception_read_pattern;
    if (!read || !read(&r) || !r.error.type.n)
        return NULL;
    struct result_exception *e = exception_make(in, &r.error, r.traceback);
    if (is_worth_telling(&r)) {
        e->cause = exception_make(in, &r.cause, STR(""));
        e->cause_inside = r.cause_inside;
    }
    return e;
}
