/* SPDX-License-Identifier: Apache-2.0
 *
 * Python's tracebacks. A chain is printed with the root first, and a sentence between the errors;
 * each line of a group begins with a bar. Threads, finalizers and child processes print tracebacks
 * too, without ending the program: such a traceback is taken only when there is no other.
 */
#include <string.h>

#include "base/mem.h"
#include "explain/exception_parts.h"

#define FRAME  "  File \""
#define HEADER "Traceback (most recent call last):"

/* The beginning of a traceback. `text` continues to the end of the stream. */
struct block {
    struct str text, bar;
};

struct chain {
    struct block first, last;
};

/* ---- finding ---- */

static bool is_link(struct str line)
{
    return str_is(line, "During handling of the above exception, another exception occurred:") ||
           str_is(line, "The above exception was the direct cause of the following exception:");
}

/* True for the line before a traceback that does not end the program. */
static bool is_aside(struct str line)
{
    static const char *const asides[] = {
        "Exception in thread ", "Exception ignored ",     "Process ", "future: ",
        "Task exception was ",  "Exception in callback ", NULL,
    };

    return str_starts_one_of(line, asides);
}

static bool is_header(struct str line, struct str *bar)
{
    *bar = STR("");
    if (str_is(line, HEADER))
        return true;
    *bar = STR("  | ");
    return str_is(line, "  + Exception Group " HEADER);
}

static bool is_frame_of(struct str line, const char *work)
{
    return str_starts(line, FRAME) && str_starts(str_slice(line, strlen(FRAME), line.n), work);
}

/* For a program that cannot be parsed, Python prints a frame without a header. */
static bool find_lone(const struct exception_input *in, struct block *ret)
{
    struct str rest = in->text, line;

    while (str_next_line(&rest, &line))
        if (is_frame_of(line, in->work)) {
            *ret = (struct block){str_slice(in->text, (size_t)(line.p - in->text.p), in->text.n),
                                  STR("")};
            return true;
        }
    return false;
}

static bool find_chain(const struct exception_input *in, struct chain *ret)
{
    struct chain found = {0}, aside = {0}, *current = &found;
    struct str rest = in->text, line, before = STR("");
    struct block b;
    bool linked = false;

    while (str_next_line(&rest, &line)) {
        if (is_header(line, &b.bar)) {
            b.text = str_slice(in->text, (size_t)(line.p - in->text.p), in->text.n);
            if (!linked) {
                current = is_aside(before) ? &aside : &found;
                current->first = b;
            }
            current->last = b;
            linked = false;
        } else if (is_link(line)) {
            linked = current->first.text.n > 0;
        }
        if (line.n)
            before = line;
    }
    *ret = found.first.text.n ? found : aside;
    if (ret->first.text.n)
        return true;
    if (!find_lone(in, &ret->first))
        return false;
    ret->last = ret->first;
    return true;
}

/* ---- reading one traceback ---- */

/* Reads "  File "WORK/a.py", line 3, in f". */
static bool read_frame(struct str line, const char *work, struct reading_frame *ret)
{
    if (!is_frame_of(line, work))
        return false;
    struct str file = str_slice(line, strlen(FRAME) + strlen(work), line.n);
    long end = str_find(file, STR("\", line "));
    if (end < 0)
        return false;
    struct str place = str_slice(file, (size_t)end + strlen("\", line "), file.n);
    long in = str_find(place, STR(", in "));
    *ret = (struct reading_frame){
        .file = str_slice(file, 0, (size_t)end),
        .line = reading_number(place),
        .function = in < 0 ? STR("") : str_slice(place, (size_t)in + 5, place.n),
    };
    return true;
}

static bool is_marks(struct str line)
{
    struct str s = str_trim(line);

    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '^' && s.p[i] != '~')
            return false;
    return s.n > 0;
}

/* Reads the two lines below the innermost frame. */
static void read_below(struct reading_error *e, struct str line, unsigned below)
{
    if (!str_starts(line, "    "))
        return;
    if (below == 1)
        e->shown = str_trim(line);
    else if (below == 2 && e->shown.n && is_marks(line))
        e->marks = line;
}

static void read_type(struct str line, struct reading_error *ret)
{
    long colon = str_find(line, STR(": "));
    struct str name = colon < 0 ? line : str_slice(line, 0, (size_t)colon);

    /* If the message is empty, the line ends with the colon. */
    if (colon < 0 && str_ends(name, ":"))
        name.n--;
    if (reading_is_name(name))
        ret->type = name;
}

static void keep_top(struct reading_error *e)
{
    if (e->frame_count != 1)
        return;
    e->top_shown = e->shown;
    e->top_marks = e->marks;
}

/* The lines of a traceback are indented. The first line without an indent names the exception. Its
 * message may continue: in a group to the end of the line, otherwise to the end of the text. */
static bool read_block(const struct exception_input *in, struct block b, struct reading_error *ret)
{
    struct str rest = b.text, line;
    unsigned below = 3;

    *ret = (struct reading_error){0};
    while (!ret->type.n && str_next_line(&rest, &line)) {
        struct reading_frame frame;
        if (str_eq(str_slice(line, 0, b.bar.n), b.bar))
            line = str_slice(line, b.bar.n, line.n);
        if (read_frame(line, in->work, &frame)) {
            keep_top(ret);
            reading_push(ret, frame);
            ret->shown = ret->marks = STR("");
            below = 0;
        } else {
            below += str_starts(line, FRAME) ? 3 : 1;
            read_below(ret, line, below);
            read_type(line, ret);
        }
    }
    keep_top(ret);
    if (!ret->type.n)
        return false;
    const char *end = b.bar.n ? line.p + line.n : b.text.p + b.text.n;
    struct str message = {ret->type.p + ret->type.n, (size_t)(end - ret->type.p) - ret->type.n};
    ret->message = str_slice(message, message.n && message.p[0] == ':', message.n);
    return true;
}

/* ---- from the traceback to the reading ---- */

/* Carets are below the shown line, which has no indent of its own and is moved four columns to the
 * right. */
static int64_t column_of(const struct exception_input *in, const struct reading_frame *f,
                         struct str shown, struct str marks)
{
    struct str line;

    if (!marks.n || !in->program || !str_is(f->file, in->program) ||
        !reading_program_line(in, f->line, &line) || !str_eq(str_trim(line), shown))
        return 0;
    size_t indent = (size_t)(str_trim(line).p - line.p);
    size_t before = (size_t)(str_trim(marks).p - marks.p);
    return before < 4 ? 0 : (int64_t)(before - 4 + indent + 1);
}

static void set_columns(const struct exception_input *in, struct reading_error *e)
{
    if (!e->frame_count)
        return;
    e->column = column_of(in, &e->frames[e->frame_count - 1], e->shown, e->marks);
    e->top_column = column_of(in, &e->frames[0], e->top_shown, e->top_marks);
}

/* Cuts off the interpreter's messages during its exit, which do not belong to the exception's
 * message. */
static void cut_message(struct reading_error *e)
{
    static const char *const ends[] = {"\nException ignored in: ", "\nException in thread ",
                                       "\nsys:1: ", "\n<sys>:0: "};

    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        long at = str_find(e->message, str_from(ends[i]));
        if (at >= 0)
            e->message.n = (size_t)at;
    }
}

static void read_cause(const struct exception_input *in, struct block b, struct reading_error *ret)
{
    struct str line, rest;

    if (!read_block(in, b, ret))
        return;
    rest = ret->message;
    if (str_next_line(&rest, &line))
        ret->message = line;
}

/* True for "    +---------------- 2 ----------------" and "  +-+---------------- 1
 * ----------------". */
static bool is_rule(struct str line)
{
    struct str s = str_trim(line);

    if (str_starts(s, "+-"))
        s = str_slice(s, 2, s.n);
    return str_starts(s, "+----------------");
}

/* Reads the first exception of a group that is not a group itself. */
static void read_member(const struct exception_input *in, struct block group,
                        struct reading_error *ret)
{
    struct str rest = group.text, line;
    bool at_rule = false;

    while (str_next_line(&rest, &line)) {
        size_t bar = 0;
        while (bar < line.n && line.p[bar] == ' ')
            bar++;
        struct str body = str_slice(line, bar, line.n);
        bool plain = at_rule && str_starts(body, "| ") && str_find(body, STR(HEADER)) != 2 + 16;
        if (plain) {
            struct block member = {
                str_slice(group.text, (size_t)(line.p - group.text.p), group.text.n),
                str_slice(line, 0, bar + 2)};
            bool whole = read_block(in, member, ret);
            if (!whole || str_find(ret->type, STR("ExceptionGroup")) < 0)
                return;
        }
        at_rule = is_rule(line);
    }
}

bool exception_read_python(struct reading *ret)
{
    struct chain chain;

    if (!find_chain(ret->in, &chain) || !read_block(ret->in, chain.last, &ret->error))
        return false;
    ret->traceback = chain.last.text;
    set_columns(ret->in, &ret->error);
    cut_message(&ret->error);
    if (chain.last.bar.n) {
        read_member(ret->in, chain.last, &ret->cause);
        ret->cause_inside = true;
    } else if (chain.first.text.p != chain.last.text.p) {
        read_cause(ret->in, chain.first, &ret->cause);
    }
    return true;
}
