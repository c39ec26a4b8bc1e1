/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "formats/json_get.h"
#include "registry/registry.h"
#include "report/check_report.h"
#include "report/report_wall.h"
#include "run/prepare.h"
#include "terminal/cancel.h"
#include "terminal/colours.h"
#include "terminal/safe_text.h"

enum { LISTED_MAX = 10 };

/* The program's last output on the terminal did not end its line, so our next line begins with a
 * line end. */
static bool line_is_open;

/* The text may contain a name that comes from the guest. */
void report_complain(const char *text)
{
    AUTO_FREE char *line = safe_line(text);

    fprintf(stderr, "%sglovebox: %s\n", line_is_open ? "\n" : "", line);
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
        request->place.backend ? backend_find(str_from(request->place.backend), &err) : NULL;

    if (backend && backend->unsafe && request->place.allow_unsafe)
        report_say(settings, "warning: " PREPARE_HOST_WARNING);
}

static void say_notes(const struct report *how, const json_t *notes)
{
    const json_t *note;
    size_t i;

    json_array_foreach(notes, i, note)
    {
        if (json_is_string(note))
            report_say(how->settings, json_string_value(note));
    }
}

/* ---- skipped files, refused calls ---- */

static void say_one_skipped(const struct report *how, const json_t *item)
{
    AUTO_BUF struct buf b = {0}, room = {0};

    buf_init(&b, 8192);
    (void)buf_adds(&b, "left out: ");
    safe_text_add(&b, json_get_bytes(item, "path", &room), false);
    (void)buf_addf(&b, ": %s", json_get_text(item, "reason"));
    report_say(how->settings, b.p);
}

static void say_skipped_list(const struct report *how, const json_t *list, const char *direction)
{
    const json_t *item;
    size_t i, n = 0;

    json_array_foreach(list, i, item)
    {
        const char *there = json_get_text(item, "direction");
        if (!there || strcmp(there, direction) != 0)
            continue;
        bool named = json_is_string(json_object_get(item, "path"));
        if (named && n < LISTED_MAX)
            say_one_skipped(how, item);
        n += named ? 1 : (size_t)json_get_int(item, "more");
    }
    if (n > LISTED_MAX) {
        AUTO_FREE char *more = xasprintf("left out: %zu more", n - LISTED_MAX);
        report_say(how->settings, more);
    }
}

/* Lists skipped output files only if the user asked for files. */
static void say_skipped(const struct report *how, const json_t *list)
{
    const struct settings *s = &how->settings->common;

    say_skipped_list(how, list, "in");
    if (how->files && (s->out || s->work_dir))
        say_skipped_list(how, list, "out");
}

/* ---- why it failed ---- */

static void say_denied(const struct report *how, const json_t *doc)
{
    const json_t *denied = json_object_get(doc, "denied"), *item;
    AUTO_BUF struct buf b = {0};
    size_t i;

    if (json_get_true(doc, "success") || !json_array_size(denied))
        return;
    buf_init(&b, 4096);
    (void)buf_adds(&b, "refused system calls:");
    json_array_foreach(denied, i, item)
    {
        (void)buf_addf(&b, " %s (%lld)", json_get_text(item, "name"),
                       (long long)json_get_int(item, "count"));
    }
    report_say(how->settings, b.p);
}

/* Refusals by other code have no stage, or a stage that is not the guard's. */
bool report_is_refused(const json_t *doc)
{
    const json_t *verdict = json_object_get(doc, "verdict");
    const char *stage = json_get_text(verdict, "stage");

    for (int s = GUARD_INPUT; stage && s <= GUARD_REVIEW; s++)
        if (strcmp(stage, guard_stage_name((enum guard_stage)s)) == 0)
            return json_is_false(json_object_get(verdict, "allowed"));
    return false;
}

void report_refusal(const char *shown, const char *prelude, const json_t *doc)
{
    struct finding_style style = {.out = stderr,
                                  .colour = terminal_colours(stderr),
                                  .least = RANK_ERROR,
                                  .prelude = prelude,
                                  .max = LISTED_MAX};

    if (report_is_refused(doc))
        check_text_findings(&style, shown, json_object_get(doc, "verdict"));
}

static void say_times(const struct report *how)
{
    int64_t from = how->begin_ns;

    for (size_t i = 0; i < how->phase_count; i++) {
        const struct backend_phase *p = &how->phases[i];
        fprintf(stderr, "glovebox: %-10s %8.3f ms\n", p->name, (double)(p->at_ns - from) / 1e6);
        from = p->at_ns;
    }
    fprintf(stderr, "glovebox: %-10s %8.3f ms\n", "all",
            (double)(clock_mono_ns() - how->begin_ns) / 1e6);
}

/* A traceback counts the lines of the prelude and the program together. */
static void say_prelude(const struct report *how, const json_t *doc)
{
    const char *prelude = how->settings->common.prelude;
    const json_t *e = json_object_get(doc, "exception");
    const char *file = json_get_text(e, "file"), *type = json_get_text(e, "type");
    long long line = json_get_int(e, "line");
    bool inside = file && strcmp(file, RESULT_PRELUDE) == 0;

    if (!prelude || !type || !line || (file && !inside) || report_is_refused(doc))
        return;
    AUTO_FREE char *text = xasprintf("%s in line %lld of %s%s", type, line,
                                     inside ? "the prelude " : "", inside ? prelude : how->shown);
    report_say(how->settings, text);
}

/* ---- the report ---- */

static bool is_error(const json_t *doc)
{
    return json_is_object(json_object_get(doc, "error"));
}

static bool is_stopped(const json_t *doc)
{
    return json_get_true(doc, "cancelled") && !is_error(doc);
}

static bool has_lost_output(const struct printer *printer)
{
    return printer->failed && printer->failed != EPIPE;
}

static void say_end(const struct report *how, const struct printer *printer, const json_t *doc)
{
    const char *summary = json_get_text(doc, "summary");
    bool lost_output = has_lost_output(printer);
    char line[700];

    if (lost_output)
        snprintf(line, sizeof line, "cannot write to standard %s: %s",
                 printer->failed_fd == 2 ? "error" : "output", strerror(printer->failed));
    else if (printer->failed && is_stopped(doc))
        snprintf(line, sizeof line, "stopped: standard output has no reader any more");
    else
        snprintf(line, sizeof line, "%s", summary ? summary : "");
    if (is_error(doc) || report_is_refused(doc) || lost_output)
        report_complain(line);
    else
        report_say(how->settings, line);
}

void report_result(const struct report *how, struct printer *printer, const json_t *doc)
{
    const struct cli_settings *s = how->settings;

    printer_flush(printer);
    line_is_open = printer->open_line[1] || (printer->open_line[0] && isatty(1) && isatty(2));
    if (s->json)
        printer_document(printer, doc, isatty(1));
    if (!s->json && !s->common.events) {
        say_skipped(how, json_object_get(doc, "skipped"));
        say_denied(how, doc);
        say_prelude(how, doc);
        if (!s->quiet)
            report_refusal(how->shown, s->common.prelude, doc);
    }
    report_wall(how, doc);
    say_notes(how, json_object_get(doc, "notes"));
    say_end(how, printer, doc);
    report_hints(how, doc);
    if (s->trace_time)
        say_times(how);
}

int report_status(const struct printer *printer, const json_t *doc)
{
    if (has_lost_output(printer))
        return err_exit_status(ERR_SYSTEM);
    if (is_stopped(doc))
        return 128 + (cancel_signal() ? cancel_signal() : printer->failed ? SIGPIPE : SIGINT);
    return (int)json_get_int(doc, "exit_status");
}
