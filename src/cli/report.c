/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/check_report.h"
#include "cli/report_wall.h"
#include "cli/safe_text.h"
#include "result/verdict_json.h"
#include "session/prepare.h"

enum { LISTED_MAX = 10 };

/* The program's last words on the terminal had no line's end: ours begin a line all the same. */
static bool line_is_open;

/* A name in it may be a guest's. */
void report_complain(const char *text)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 16 << 10);
    safe_text_add(&line, str_from(text), false);
    fprintf(stderr, "%sglovebox: %s\n", line_is_open ? "\n" : "", line.p);
    line_is_open = false;
}

void report_say(const struct cli_settings *settings, const char *text)
{
    if (!settings->quiet && *text)
        report_complain(text);
}

void report_unsafe(const struct cli_settings *settings, const struct run_request *request)
{
    struct err err;
    const struct backend *backend =
        request->backend ? backend_find(str_from(request->backend), &err) : NULL;

    if (backend && backend->unsafe && request->allow_unsafe)
        report_say(settings, "warning: " PREPARE_HOST_WARNING);
}

static void say_notes(const struct report *how, const struct result *r)
{
    struct str rest = buf_str(&r->notes), line;

    while (str_next_line(&rest, &line)) {
        AUTO_FREE char *one = xstrndup(line.p, line.n);
        report_say(how->settings, one);
    }
}

/* ---- what was left out ---- */

static void say_more(const struct report *how, size_t n)
{
    if (n > LISTED_MAX) {
        AUTO_FREE char *more = xasprintf("left out: %zu more", n - LISTED_MAX);
        report_say(how->settings, more);
    }
}

static void say_skipped_list(const struct report *how, const struct skip_list *list)
{
    char why[256];

    for (size_t i = 0; i < list->count && i < LISTED_MAX; i++) {
        AUTO_BUF struct buf b = {0};
        buf_init(&b, 8192);
        (void)buf_adds(&b, "left out: ");
        safe_text_add(&b, (struct str){list->items[i].path, list->items[i].path_len}, false);
        (void)buf_addf(&b, ": %s", file_skip_describe(&list->items[i], why, sizeof why));
        report_say(how->settings, b.p);
    }
    say_more(how, list->count + list->more);
}

/* In the daemon's words. */
static void say_skipped_there(const struct report *how, const json_t *list)
{
    size_t n = json_array_size(list);

    for (size_t i = 0; i < n && i < LISTED_MAX; i++) {
        const json_t *item = json_array_get(list, i);
        const char *path = json_string_value(json_object_get(item, "path"));
        const char *why = json_string_value(json_object_get(item, "reason"));
        AUTO_FREE char *line = xasprintf("left out: %s: %s", path ? path : "", why ? why : "");
        report_say(how->settings, line);
    }
    say_more(how, n);
}

/* Folders that nobody asked to have brought out are nobody's concern. */
static void say_skipped(const struct report *how, const struct result *r)
{
    const struct settings *s = &how->settings->common;

    if (r->laid)
        say_skipped_list(how, lay_list_skipped(r->laid));
    if (!how->files)
        return;
    if (s->out || s->work_dir)
        say_skipped_list(how, &r->files.skipped);
    if (s->out)
        say_skipped_there(how, json_object_get(how->doc, "skipped"));
}

/* ---- why it did not do what it should ---- */

static void say_denied(const struct report *how, const struct result *r)
{
    AUTO_BUF struct buf b = {0};

    if (r->success || !r->outcome.denied_count)
        return;
    buf_init(&b, 4096);
    (void)buf_adds(&b, "refused system calls:");
    for (size_t i = 0; i < r->outcome.denied_count; i++)
        (void)buf_addf(&b, " %s (%llu)", r->outcome.denied[i].name,
                       (unsigned long long)r->outcome.denied[i].count);
    report_say(how->settings, b.p);
}

/* What is in the way, as 'glovebox check' shows it. */
static void say_refusal(const struct report *how, const struct result *r)
{
    struct finding_style style = {
        .out = stderr, .colour = check_colour(stderr), .least = RANK_ERROR, .max = LISTED_MAX};

    if (!result_refused(r) || how->settings->quiet)
        return;
    json_t *verdict = verdict_json(&r->verdict);
    check_text_findings(&style, how->shown, verdict);
    json_decref(verdict);
}

static void say_times(const struct report *how, const struct result *r)
{
    int64_t from = how->begin_ns;

    for (size_t i = 0; i < r->outcome.phase_count; i++) {
        const struct backend_phase *p = &r->outcome.phases[i];
        fprintf(stderr, "glovebox: %-10s %8.3f ms\n", p->name, (double)(p->at_ns - from) / 1e6);
        from = p->at_ns;
    }
    fprintf(stderr, "glovebox: %-10s %8.3f ms\n", "all",
            (double)(clock_mono_ns() - how->begin_ns) / 1e6);
}

/* ---- the whole ---- */

static void print_document(const struct report *how, struct printer *printer,
                           const struct result *r)
{
    if (how->doc)
        printer_document(printer, how->doc, isatty(1));
    else
        printer_result(printer, r, isatty(1));
}

void report_result(const struct report *how, struct printer *printer, const struct result *r)
{
    const struct cli_settings *s = how->settings;
    bool lost_output;
    char line[700];

    printer_flush(printer);
    line_is_open = printer->open_line[1] || (printer->open_line[0] && isatty(1) && isatty(2));
    if (s->json)
        print_document(how, printer, r);
    if (!s->json && !s->events) {
        say_skipped(how, r);
        say_denied(how, r);
        say_refusal(how, r);
    }
    report_wall(how, r);
    say_notes(how, r);
    result_summary(r, how->limits, line, sizeof line);
    lost_output = printer->failed && printer->failed != EPIPE;
    if (lost_output)
        snprintf(line, sizeof line, "standard %s: %s", printer->failed_fd == 2 ? "error" : "output",
                 strerror(printer->failed));
    else if (printer->failed && r->cancelled && !r->error.kind)
        snprintf(line, sizeof line, "stopped: nobody reads standard output any more");
    if (r->error.kind || result_refused(r) || lost_output)
        report_complain(line);
    else
        report_say(s, line);
    if (s->trace_time)
        say_times(how, r);
}
