/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

#include "formats/json_get.h"
#include "report/check_report.h"
#include "result/result.h"
#include "terminal/colours.h"
#include "terminal/safe_text.h"

enum { TAB = 4, LINE_MAX_BYTES = 64 << 10 };

/* ---- one line of a program, as a terminal shows it ---- */

struct shown {
    struct buf text;
    size_t from, to; /* the marked columns */
};

static size_t char_width(struct str c, struct buf *out, size_t column)
{
    utf8proc_int32_t code;
    size_t before = out->n;

    if (c.p[0] == '\t') {
        size_t n = TAB - column % TAB;
        (void)buf_addf(out, "%*s", (int)n, "");
        return n;
    }
    safe_text_add(out, c, false);
    size_t added = out->n - before;
    if (added != c.n || memcmp(out->p + before, c.p, c.n) != 0 ||
        utf8proc_iterate((const utf8proc_uint8_t *)c.p, (utf8proc_ssize_t)c.n, &code) < 0)
        return added;
    return (size_t)utf8proc_charwidth(code);
}

static size_t char_bytes(struct str s)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t n =
        utf8proc_iterate((const utf8proc_uint8_t *)s.p, (utf8proc_ssize_t)s.n, &code);

    return n > 0 ? (size_t)n : 1;
}

/* Returns a line or column, from 1; 0 if there is none. */
static uint32_t check_text_number(const json_t *f, const char *key)
{
    int64_t n = json_get_int(f, key);

    return n > 0 && n < UINT32_MAX ? (uint32_t)n : 0;
}

/* Returns the last marked character of the excerpt, from 1. */
static size_t last_mark(const json_t *f)
{
    size_t from = check_text_number(f, "excerpt_column");

    if (check_text_number(f, "end_line") > check_text_number(f, "line"))
        return SIZE_MAX;
    if (check_text_number(f, "end_column") > check_text_number(f, "column"))
        return from + check_text_number(f, "end_column") - check_text_number(f, "column");
    return from + 1;
}

/* Returns the finding's line: in the program, or else in the prelude. */
static uint32_t check_text_line_of(const json_t *f)
{
    uint32_t line = check_text_number(f, "line");

    return line ? line : check_text_number(f, "prelude_line");
}

static void show_line(const json_t *f, struct shown *ret)
{
    AUTO_BUF struct buf room = {0};
    struct str rest = json_get_bytes(f, "excerpt", &room);
    size_t column = 0, n, from = check_text_number(f, "excerpt_column"),
           check_text_end = last_mark(f);

    buf_init(&ret->text, LINE_MAX_BYTES);
    ret->from = ret->to = SIZE_MAX;
    for (size_t i = 1; rest.n; i++, rest = str_slice(rest, n, rest.n)) {
        if (i == from)
            ret->from = column;
        if (i == check_text_end)
            ret->to = column;
        n = char_bytes(rest);
        column += char_width(str_slice(rest, 0, n), &ret->text, column);
    }
    ret->from = ret->from < column ? ret->from : column;
    ret->to = ret->to < column ? ret->to : column;
    if (ret->to <= ret->from)
        ret->to = ret->from + 1;
}

/* ---- findings ---- */

static const struct {
    const char *word, *colour;
} words[] = {
    [RANK_NOTE] = {"note", "\033[1;36m"},
    [RANK_WARNING] = {"warning", "\033[1;33m"},
    [RANK_ERROR] = {"error", "\033[1;31m"},
};

#define BOLD  "\033[1m"
#define RESET "\033[0m"

static const char *in(const struct finding_style *style, const char *colour)
{
    return style->colour ? colour : "";
}

/* A line end in a message could look like the start of another finding. */
static void put_check_text(FILE *out, const char *text)
{
    AUTO_BUF struct buf b = {0};
    struct str rest = str_from(text ? text : ""), line;

    buf_init(&b, LINE_MAX_BYTES);
    for (bool first = true; str_next_line(&rest, &line); first = false) {
        if (!first)
            (void)buf_addc(&b, ' ');
        safe_text_add(&b, line, false);
    }
    fwrite(b.p, 1, b.n, out);
}

static void put_excerpt(const struct finding_style *style, const json_t *f, enum check_rank rank)
{
    struct shown line;

    show_line(f, &line);
    fprintf(style->out, "%5u | %s\n", check_text_line_of(f), line.text.p);
    if (check_text_number(f, "excerpt_column")) {
        fprintf(style->out, "      | %*s%s^", (int)line.from, "", in(style, words[rank].colour));
        for (size_t i = line.from + 1; i < line.to; i++)
            fputc('~', style->out);
        fprintf(style->out, "%s\n", in(style, RESET));
    }
    buf_done(&line.text);
}

static bool is_of_prelude(const json_t *f)
{
    return !check_text_number(f, "line") && check_text_number(f, "prelude_line");
}

static const char *prelude_name(const struct finding_style *style)
{
    return style->prelude ? style->prelude : RESULT_PRELUDE;
}

/* Without `f`, the head of a note about the whole program. */
static void put_head(const struct finding_style *style, const char *path, const json_t *f,
                     enum check_rank rank)
{
    FILE *out = style->out;
    uint32_t line = check_text_line_of(f), column = check_text_number(f, "column"),
             cell = check_text_number(f, "cell");

    fputs(in(style, BOLD), out);
    put_check_text(out, is_of_prelude(f) ? prelude_name(style) : path);
    if (cell)
        fprintf(out, ":cell %u", cell);
    if (line)
        fprintf(out, ":%u", line);
    if (line && column)
        fprintf(out, ":%u", column);
    fprintf(out, ":%s %s%s:%s ", in(style, RESET), in(style, words[rank].colour), words[rank].word,
            in(style, RESET));
}

static void put_finding(const struct finding_style *style, const char *path, const json_t *f,
                        enum check_rank rank)
{
    const char *hint = json_get_text(f, "hint");

    put_head(style, path, f, rank);
    put_check_text(style->out, json_get_text(f, "message"));
    fputs(" [", style->out);
    put_check_text(style->out, json_get_text(f, "rule"));
    fputs("]\n", style->out);
    if (check_text_line_of(f) && json_get_text(f, "excerpt"))
        put_excerpt(style, f, rank);
    if (hint && *hint) {
        fputs("      = hint: ", style->out);
        put_check_text(style->out, hint);
        fputc('\n', style->out);
    }
}

void check_text_findings(const struct finding_style *style, const char *path, const json_t *verdict)
{
    size_t i, shown = 0, more = check_text_number(verdict, "findings_left_out");
    const json_t *finding;

    json_array_foreach(json_object_get(verdict, "findings"), i, finding)
    {
        enum check_rank rank = check_rank(finding);
        if (rank < style->least)
            continue;
        shown++;
        if (style->max && shown > style->max)
            more++;
        else
            put_finding(style, path, finding, rank);
    }
    if (more) {
        put_head(style, path, NULL, RANK_NOTE);
        fprintf(style->out, "%zu more finding%s\n", more, more == 1 ? "" : "s");
    }
}

/* True if no finding contains the profile's reason for the whole verdict, so that the reason must
 * be printed. */
static bool needs_reason(const json_t *verdict)
{
    const char *reason = json_get_text(verdict, "reason");
    const json_t *finding;
    size_t i;

    if (json_get_true(verdict, "allowed") || !reason)
        return false;
    json_array_foreach(json_object_get(verdict, "findings"), i, finding)
    {
        const char *message = json_get_text(finding, "message");
        if (message && (strstr(message, reason) || strstr(reason, message)))
            return false;
    }
    return true;
}

static void put_reason(const struct finding_style *style, const char *path, const json_t *verdict)
{
    put_head(style, path, NULL, RANK_ERROR);
    put_check_text(style->out, json_get_text(verdict, "reason"));
    fprintf(style->out, " [%s]\n", json_get_text(verdict, "stage"));
}

/* ---- the report ---- */

static void check_text_begin(struct check_report *r)
{
    (void)r;
}

static void check_text_item(struct check_report *r, const struct check_item *it)
{
    struct finding_style style = {
        .out = r->out,
        .colour = terminal_colours(r->out),
        .least = r->quiet ? RANK_ERROR : RANK_NOTE,
        .prelude = r->prelude,
        .max = r->max_findings,
    };

    if (!it->verdict)
        return;
    check_text_findings(&style, it->path, it->verdict);
    if (needs_reason(it->verdict))
        put_reason(&style, it->path, it->verdict);
}

static void put_count(FILE *out, const char *lead, size_t n, const char *word, const char *many)
{
    if (n)
        fprintf(out, "%s%zu %s%s", lead, n, word, n == 1 ? "" : many);
}

static void check_text_end(struct check_report *r)
{
    const struct check_totals *t = &r->totals;
    const char *lead = ": ";

    if (r->quiet || !t->files)
        return;
    fprintf(r->out, "%zu program%s", t->files, t->files == 1 ? "" : "s");
    put_count(r->out, lead, t->allowed, "allowed", "");
    lead = t->allowed ? ", " : lead;
    put_count(r->out, lead, t->refused, "refused", "");
    lead = t->refused ? ", " : lead;
    put_count(r->out, lead, t->unread, "not read", "");
    if (t->errors || t->warnings)
        fputs(" (", r->out);
    put_count(r->out, "", t->errors, "error", "s");
    put_count(r->out, t->errors ? ", " : "", t->warnings, "warning", "s");
    fputs(t->errors || t->warnings ? ")\n" : "\n", r->out);
}

const struct check_format check_text = {check_text_begin, check_text_item, check_text_end};
