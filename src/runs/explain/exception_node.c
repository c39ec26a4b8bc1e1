/* SPDX-License-Identifier: Apache-2.0
 *
 * Node's output for an uncaught error: where it was thrown ("FILE:LINE", the line, a caret), the
 * error with its message, the calls ("    at f (FILE:LINE:COLUMN)"), and the error's properties in
 * braces. A program can throw any value; if it is not an error, only the value follows below the
 * caret.
 */
#include <string.h>

#include "explain/exception_parts.h"

struct source_place {
    struct str file;
    int64_t line, column;
};

/* The state of the scan. */
struct scan {
    struct reading *ret;
    struct str line;            /* the current line */
    const char *end;            /* the end of the current line */
    struct str before;          /* the previous line */
    struct source_place thrown; /* the location in the last excerpt, including its caret */
    struct str thrown_line;
    unsigned below;    /* lines since the excerpt's first */
    bool caret;        /* the previous line was a caret, or empty after a caret */
    struct str head;   /* a line that may be an error, and everything below it */
    bool sure;         /* it is below a caret, so it is an error */
    const char *value; /* the thrown value, below the caret */
    bool in_cause;
};

/* ---- lines ---- */

static bool is_own_path(struct str s, const char *work, struct str *ret)
{
    if (str_starts(s, "file://"))
        s = str_slice(s, strlen("file://"), s.n);
    if (!str_starts(s, work))
        return false;
    *ret = str_slice(s, strlen(work), s.n);
    return true;
}

/* Cuts a number such as ":12" off the end. */
static bool cut_number(struct str *s, int64_t *ret)
{
    size_t n = s->n;

    while (n && s->p[n - 1] >= '0' && s->p[n - 1] <= '9')
        n--;
    if (n == s->n || !n || s->p[n - 1] != ':')
        return false;
    *ret = reading_number(str_slice(*s, n, s->n));
    s->n = n - 1;
    return true;
}

/* Reads "WORK/main.js:3". */
static bool read_excerpt_head(struct str line, const char *work, struct source_place *ret)
{
    struct str path;
    int64_t number;

    if (!is_own_path(line, work, &path) || !cut_number(&path, &number) || !path.n)
        return false;
    *ret = (struct source_place){.file = path, .line = number};
    return true;
}

/* Reads "    at async f (file://WORK/main.mjs:3:7)" or "    at WORK/main.js:3:7". */
static bool exception_node_read_call(struct str line, const char *work, struct source_place *ret,
                                     struct str *function)
{
    struct str s = str_trim(line);

    *function = STR("");
    if (!str_starts(s, "at "))
        return false;
    s = str_slice(s, 3, s.n);
    if (str_starts(s, "async "))
        s = str_slice(s, 6, s.n);
    if (str_ends(s, " {"))
        s.n -= 2;
    if (str_ends(s, ","))
        s.n--;
    long open = str_find(s, STR(" ("));
    if (open > 0 && str_ends(s, ")")) {
        *function = str_slice(s, 0, (size_t)open);
        s = str_slice(s, (size_t)open + 2, s.n - 1);
    }
    struct str path;
    if (!is_own_path(s, work, &path) || str_find(path, STR("node_modules/")) >= 0)
        return false;
    return cut_number(&path, &ret->column) && cut_number(&path, &ret->line) &&
           (ret->file = path, true);
}

static bool is_caret(struct str line)
{
    struct str s = str_trim(line);

    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '^')
            return false;
    return s.n > 0;
}

/* Splits "TypeError: text", "Error [ERR_X]: text" or "MyError". */
static bool split_head(struct str line, struct reading_error *ret)
{
    long colon = str_find(line, STR(": "));
    struct str name = colon < 0 ? line : str_slice(line, 0, (size_t)colon);
    long code = str_find(name, STR(" ["));
    size_t message = colon < 0 ? line.n : (size_t)colon + 2;

    if (code > 0 && str_ends(name, "]"))
        name = str_slice(name, 0, (size_t)code);
    if (!reading_is_name(name))
        return false;
    ret->type = name;
    ret->message = str_slice(line, message, line.n);
    return true;
}

/* ---- the scan ---- */

/* Calls are listed with the innermost first. */
static void exception_node_add_call(struct reading_error *e, const struct source_place *p,
                                    struct str function)
{
    struct reading_frame frame = {.file = p->file, .line = p->line, .function = function};

    if (!e->frame_count)
        e->column = p->column;
    if (e->frame_count < READING_FRAMES)
        e->frames[e->frame_count++] = frame;
}

static void begin_error(struct scan *s)
{
    struct reading *r = s->ret;
    struct str rest = s->head, line;

    r->error = r->cause = (struct reading_error){0};
    if (!str_next_line(&rest, &line) || !split_head(line, &r->error))
        return;
    /* The message ends where the calls begin. */
    r->error.message.n = (size_t)(s->before.p + s->before.n - r->error.message.p);
    r->traceback = s->head;
    s->in_cause = r->cause_inside = false;
    s->head.n = 0;
}

static void take_call(struct scan *s)
{
    struct source_place p = {0};
    struct str function;

    if (s->head.n && str_starts(s->line, "    at "))
        begin_error(s);
    if (!s->ret->error.type.n ||
        !exception_node_read_call(s->line, s->ret->in->work, &p, &function))
        return;
    exception_node_add_call(s->in_cause ? &s->ret->cause : &s->ret->error, &p, function);
}

/* Reads "  [cause]: Error: text", of which the innermost is the last, or the first error below
 * "[errors]: [". */
static void take_cause(struct scan *s)
{
    struct reading_error found = {0};
    struct str line = str_trim(s->line);
    bool first = str_is(str_trim(s->before), "[errors]: [");

    if (str_starts(line, "[cause]: "))
        line = str_slice(line, strlen("[cause]: "), line.n);
    else if (!first)
        return;
    if (!s->ret->error.type.n || !split_head(line, &found))
        return;
    s->ret->cause = found;
    s->ret->cause_inside = first;
    s->in_cause = true;
}

static void take_excerpt(struct scan *s)
{
    struct source_place p;

    if (read_excerpt_head(s->line, s->ret->in->work, &p)) {
        s->thrown = p;
        s->below = 0;
        s->value = NULL;
    } else if (++s->below == 1) {
        s->thrown_line = s->line;
    } else if (s->below == 2 && is_caret(s->line)) {
        s->thrown.column = (int64_t)(str_trim(s->line).p - s->line.p) + 1;
        s->value = s->end + 1;
    }
}

/* A line is an error only if it is below a caret, or its name contains "Error". */
static void take_head(struct scan *s)
{
    struct reading_error e;
    struct str text = s->ret->in->text;
    bool named = split_head(s->line, &e) && (s->caret || str_find(e.type, STR("Error")) >= 0);

    if (named && (s->caret || !s->head.n || !s->sure)) {
        s->head = str_slice(text, (size_t)(s->line.p - text.p), text.n);
        s->sure = s->caret;
    } else if (str_starts(s->line, "Node.js v")) {
        s->head.n = 0;
    }
    if (s->line.n)
        s->caret = is_caret(s->line);
}

static void scan_line(struct scan *s)
{
    if (str_starts(str_trim(s->line), "at ")) {
        take_call(s);
    } else if (s->line.n && s->line.p[0] == ' ') {
        take_cause(s);
        take_excerpt(s);
        s->caret = is_caret(s->line);
    } else {
        take_excerpt(s);
        take_head(s);
    }
    s->before = s->line;
}

/* ---- from the scan to the reading ---- */

static void reverse_frames(struct reading_error *e)
{
    for (size_t i = 0, j = e->frame_count; i + 1 < j; i++) {
        struct reading_frame f = e->frames[i];
        e->frames[i] = e->frames[--j];
        e->frames[j] = f;
    }
}

/* The failed call may be in node's own code: then the excerpt has the line of the user's
 * program. */
static void use_excerpt(struct scan *s)
{
    struct reading_error *e = &s->ret->error;

    if (e->frame_count && e->frames[e->frame_count - 1].line != s->thrown.line)
        return;
    e->shown = str_trim(s->thrown_line);
    if (e->frame_count)
        return;
    reading_push(e, (struct reading_frame){.file = s->thrown.file, .line = s->thrown.line});
    e->column = s->thrown.column;
}

/* Reads the value of `throw "text"`. */
static void use_value(struct scan *s)
{
    struct str text = s->ret->in->text;
    struct str rest = str_slice(text, (size_t)(s->value - text.p), text.n), line;

    if (!str_next_line(&rest, &line) || !line.n)
        return;
    s->ret->error.type = STR("Uncaught");
    s->ret->error.message = line;
    s->ret->traceback = str_slice(text, (size_t)(line.p - text.p), text.n);
}

bool exception_read_node(struct reading *ret)
{
    struct scan s = {.ret = ret, .below = 3};
    struct str rest = ret->in->text;

    ret->traceback = STR("");
    while (str_next(&rest, '\n', &s.line)) {
        s.end = s.line.p + s.line.n;
        if (str_ends(s.line, "\r"))
            s.line.n--;
        if (s.line.n || rest.p)
            scan_line(&s);
    }
    if (!ret->error.type.n && s.value && s.value < ret->in->text.p + ret->in->text.n)
        use_value(&s);
    if (!ret->error.type.n)
        return false;
    reverse_frames(&ret->error);
    reverse_frames(&ret->cause);
    if (s.thrown.line)
        use_excerpt(&s);
    return true;
}
