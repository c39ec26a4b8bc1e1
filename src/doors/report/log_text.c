/* SPDX-License-Identifier: Apache-2.0 */
#include "report/log_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "terminal/colours.h"
#include "terminal/safe_text.h"

enum {
    CELL_MAX = 8 << 10, /* bytes of one column's text after escaping */
    BAR_WIDTH = 40,
};

/* ---- values ---- */

void log_add_time(struct buf *b, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    char text[40];

    if (localtime_r(&seconds, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
        buf_adds(b, text);
}

static void add_duration(struct buf *b, int64_t ms)
{
    if (ms < 1000)
        buf_addf(b, "%" PRId64 "ms", ms);
    else if (ms < 60000)
        buf_addf(b, "%.1fs", (double)ms / 1000);
    else
        buf_addf(b, "%" PRId64 "m%02" PRId64 "s", ms / 60000, ms / 1000 % 60);
}

static void add_bytes(struct buf *b, int64_t bytes)
{
    if (bytes < 1 << 10)
        buf_addf(b, "%" PRId64, bytes);
    else if (bytes < 1 << 20)
        buf_addf(b, "%.1fk", (double)bytes / (1 << 10));
    else
        buf_addf(b, "%.1fm", (double)bytes / (1 << 20));
}

/* Adds the cause that ended the run, with its number (status, signal). */
static void add_outcome(struct buf *b, const struct run_record *run)
{
    buf_adds(b, run_outcome_name(run->outcome));
    if (run->outcome == OUTCOME_FAILED)
        buf_addf(b, " %" PRId64, run->exit_code);
    if (run->outcome == OUTCOME_SIGNAL)
        buf_addf(b, " %" PRId64, run->signal);
}

/* ---- the list ---- */

static void cell_time(struct buf *b, const struct run_record *run)
{
    log_add_time(b, run->time_ms);
}

static void cell_id(struct buf *b, const struct run_record *run)
{
    safe_text_add(b, run->id, false);
}

static void cell_language(struct buf *b, const struct run_record *run)
{
    safe_text_add(b, run->language, false);
}

static void cell_backend(struct buf *b, const struct run_record *run)
{
    safe_text_add(b, run->backend, false);
}

static void cell_duration(struct buf *b, const struct run_record *run)
{
    add_duration(b, run->duration_ms);
}

static void cell_cpu(struct buf *b, const struct run_record *run)
{
    add_duration(b, run->cpu_ms);
}

static void cell_memory(struct buf *b, const struct run_record *run)
{
    add_bytes(b, run->max_memory_bytes);
}

static void cell_program(struct buf *b, const struct run_record *run)
{
    struct str why = run->error.n ? run->error : run->verdict_reason;

    safe_text_add(b, run->program, false);
    if (why.n) {
        buf_adds(b, "  ");
        safe_text_add(b, why, false);
    }
}

static const struct {
    const char *head;
    void (*add)(struct buf *b, const struct run_record *run);
    bool right;
    bool coloured;
} columns[LOG_COLUMNS] = {
    {"TIME", cell_time, false, false},       {"ID", cell_id, false, false},
    {"OUTCOME", add_outcome, false, true},   {"LANGUAGE", cell_language, false, false},
    {"BACKEND", cell_backend, false, false}, {"DURATION", cell_duration, true, false},
    {"CPU", cell_cpu, true, false},          {"MEMORY", cell_memory, true, false},
    {"PROGRAM", cell_program, false, false},
};

static const char *colour_of(enum run_outcome outcome)
{
    return outcome == OUTCOME_OK        ? "\033[32m"
           : outcome == OUTCOME_REFUSED ? "\033[33m"
                                        : "\033[31m";
}

void log_table_init(struct log_table *t, FILE *out)
{
    bool terminal = isatty(fileno(out));
    struct winsize size;

    *t = (struct log_table){.out = out};
    t->colour = terminal_colours(out);
    if (terminal && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        t->terminal_width = size.ws_col;
    for (int i = 0; i < LOG_COLUMNS; i++)
        t->widths[i] = strlen(columns[i].head);
}

int log_table_measure(const struct run_record *run, void *table)
{
    struct log_table *t = table;
    AUTO_BUF struct buf cell = {0};
    buf_init(&cell, CELL_MAX);

    for (int i = 0; i < LOG_COLUMNS; i++) {
        buf_clear(&cell);
        columns[i].add(&cell, run);
        size_t width = utf8_count(buf_str(&cell));
        if (width > t->widths[i])
            t->widths[i] = width;
    }
    return 0;
}

static void put_spaces(FILE *out, size_t n)
{
    fprintf(out, "%*s", (int)n, "");
}

/* Cuts the last column to the rest of the terminal's width. */
static struct str cut_to(struct str text, size_t room)
{
    while (utf8_count(text) > room)
        text.n = utf8_cut(text, text.n - 1);
    return text;
}

static void put_cell(const struct log_table *t, int i, struct str text, const char *colour,
                     size_t *column)
{
    bool last = i == LOG_COLUMNS - 1;

    if (last && t->terminal_width)
        text = cut_to(text, t->terminal_width > *column ? t->terminal_width - *column : 0);
    size_t width = utf8_count(text);
    size_t pad = width < t->widths[i] ? t->widths[i] - width : 0;
    if (columns[i].right)
        put_spaces(t->out, pad);
    fprintf(t->out, "%s%.*s%s", colour ? colour : "", (int)text.n, text.p, colour ? "\033[0m" : "");
    if (!last)
        put_spaces(t->out, 2 + (columns[i].right ? 0 : pad));
    *column += width + pad + 2;
}

void log_table_head(const struct log_table *t)
{
    size_t column = 0;

    for (int i = 0; i < LOG_COLUMNS; i++)
        put_cell(t, i, str_from(columns[i].head), t->colour ? "\033[1m" : NULL, &column);
    fputc('\n', t->out);
}

int log_table_row(const struct run_record *run, void *table)
{
    const struct log_table *t = table;
    size_t column = 0;
    AUTO_BUF struct buf cell = {0};
    buf_init(&cell, CELL_MAX);

    for (int i = 0; i < LOG_COLUMNS; i++) {
        bool coloured = t->colour && columns[i].coloured;
        buf_clear(&cell);
        columns[i].add(&cell, run);
        put_cell(t, i, buf_str(&cell), coloured ? colour_of(run->outcome) : NULL, &column);
    }
    fputc('\n', t->out);
    return ferror(t->out) != 0;
}

/* ---- one run ---- */

static void log_text_put(FILE *out, const char *name, const struct buf *value)
{
    fprintf(out, "%-12s %s\n", name, value->p);
}

static void put_log_text(FILE *out, const char *name, struct str value)
{
    AUTO_FREE char *safe = safe_text(value, false);

    if (*safe)
        fprintf(out, "%-12s %s\n", name, safe);
}

static void put_verdict(FILE *out, const struct run_record *run)
{
    AUTO_BUF struct buf b = {0};
    buf_init(&b, CELL_MAX);

    buf_adds(&b, run->allowed ? "allowed" : "refused");
    if (run->verdict_stage.n) {
        buf_adds(&b, " by ");
        safe_text_add(&b, run->verdict_stage, false);
    }
    if (run->verdict_reason.n) {
        buf_adds(&b, ": ");
        safe_text_add(&b, run->verdict_reason, false);
    }
    log_text_put(out, "verdict", &b);
}

static void put_usage(FILE *out, const struct run_record *run)
{
    AUTO_BUF struct buf b = {0};
    buf_init(&b, CELL_MAX);

    add_duration(&b, run->duration_ms);
    buf_adds(&b, ", cpu ");
    add_duration(&b, run->cpu_ms);
    buf_adds(&b, ", memory ");
    add_bytes(&b, run->max_memory_bytes);
    log_text_put(out, "took", &b);
    buf_clear(&b);
    buf_addf(&b, "stdout %" PRId64 " bytes, stderr %" PRId64 " bytes, %" PRId64 " file%s",
             run->stdout_bytes, run->stderr_bytes, run->files_count,
             run->files_count == 1 ? "" : "s");
    log_text_put(out, "output", &b);
}

static void put_code(FILE *out, struct str code)
{
    AUTO_FREE char *safe = safe_text(code, true);

    fprintf(out, "\n%s%s", safe, str_ends(code, "\n") ? "" : "\n");
}

void log_text_run(FILE *out, const struct run_record *run)
{
    AUTO_BUF struct buf b = {0};
    buf_init(&b, CELL_MAX);

    put_log_text(out, "id", run->id);
    log_add_time(&b, run->time_ms);
    log_text_put(out, "time", &b);
    buf_clear(&b);
    add_outcome(&b, run);
    if (run->attempts > 1)
        buf_addf(&b, ", at attempt %" PRId64, run->attempts);
    log_text_put(out, "outcome", &b);
    put_log_text(out, "error", run->error);
    put_log_text(out, "program", run->program);
    put_log_text(out, "language", run->language);
    put_log_text(out, "backend", run->backend);
    put_log_text(out, "sha256", run->source_sha256);
    put_verdict(out, run);
    put_usage(out, run);
    put_log_text(out, "limits", run->limits);
    put_log_text(out, "isolation", run->isolation);
    put_log_text(out, "denied", run->denied);
    put_log_text(out, "network", run->network);
    if (run->code.p)
        put_code(out, run->code);
}

/* ---- statistics ---- */

static void put_days(FILE *out, const struct store_stats *st)
{
    int64_t most = 1;

    for (int i = 0; i < st->day_count; i++)
        most = st->by_day[i].runs > most ? st->by_day[i].runs : most;
    for (int i = 0; i < st->day_count; i++) {
        const struct store_count *day = &st->by_day[i];
        int bar = (int)((double)day->runs / (double)most * BAR_WIDTH);
        fprintf(out, "%-12s %.10s %6" PRId64 "  ", i ? "" : "days", day->name, day->runs);
        for (int k = 0; k < bar || k == 0; k++)
            fputc('#', out);
        fputc('\n', out);
    }
}

static void put_counts(FILE *out, const struct store_stats *st)
{
    AUTO_BUF struct buf b = {0};
    buf_init(&b, CELL_MAX);

    for (int i = OUTCOME_OK; i < OUTCOME_COUNT; i++)
        if (st->by_outcome[i])
            buf_addf(&b, "%s%s %" PRId64, b.n ? ", " : "", run_outcome_name((enum run_outcome)i),
                     st->by_outcome[i]);
    log_text_put(out, "outcomes", &b);
    buf_clear(&b);
    for (int i = 0; i < st->language_count; i++) {
        buf_adds(&b, i ? ", " : "");
        safe_text_add(&b, str_from(st->by_language[i].name), false);
        buf_addf(&b, " %" PRId64, st->by_language[i].runs);
    }
    log_text_put(out, "languages", &b);
}

void log_text_stats(FILE *out, const struct store_stats *st)
{
    AUTO_BUF struct buf b = {0};
    buf_init(&b, CELL_MAX);

    buf_addf(&b, "%" PRId64 ", from ", st->runs);
    log_add_time(&b, st->first_ms);
    buf_adds(&b, " to ");
    log_add_time(&b, st->last_ms);
    log_text_put(out, "runs", &b);
    put_counts(out, st);
    buf_clear(&b);
    buf_adds(&b, "half within ");
    add_duration(&b, st->duration_p50_ms);
    buf_adds(&b, ", 95 % within ");
    add_duration(&b, st->duration_p95_ms);
    buf_adds(&b, ", longest ");
    add_duration(&b, st->duration_max_ms);
    log_text_put(out, "duration", &b);
    buf_clear(&b);
    add_duration(&b, st->cpu_total_ms);
    log_text_put(out, "cpu", &b);
    put_days(out, st);
}
