/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/run_notebook.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "console/model_review.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "remote/cmd_session.h"
#include "report/report.h"
#include "session/session.h"
#include "terminal/cancel.h"
#include "text/notebook.h"
#include "workspace/workspace_export.h"

/* bytes kept of all cells together: outputs, and with --json the results */
enum { KEPT_MAX = 256 << 20 };

/* One invocation. */
struct notebook_run {
    const struct cli_settings *set;
    const char *path, *name; /* the file's path, and the last component of the path */
    struct notebook notebook;
    struct review *review;
    struct session_request request;
    struct session *session;
    struct printer printer;
    struct cell_show show;
    int cancel_pipe[2];
    int out_fd; /* --out, or -1 */
    /* the running cell */
    const struct notebook_cell *cell;
    struct buf pending; /* output that is not yet in the notebook */
    int pending_stream;
    size_t printed; /* bytes of the cell's output that are kept */
    bool cut;
    size_t kept;
    bool lost;       /* there was no room for some output */
    json_t *results; /* for --json */
    int status;
};

/* ---- checks of the options ---- */

bool run_is_notebook(const struct cli_options *options)
{
    const struct cli_settings *s = &options->settings;
    const char *file = options->args.operand_n == 1 ? options->args.operands[0] : NULL;

    return !s->common.code && file && notebook_is_name(file) &&
           !language_stated(&s->common.languages, file, (struct str){0});
}

static int run_notebook_check_options(const struct cli_options *options, struct err *err)
{
    static const char *const others[] = {"stdin",   "data",       "optimize-data",
                                         "context", "invocation", "execution-id",
                                         "daemon",  "token-file", "trace-time"};

    if (options->settings.common.lang && strcmp(options->settings.common.lang, "auto") != 0 &&
        opt_source_of(&options->set, "lang")->from == OPT_FROM_COMMAND)
        return err_set(err, ERR_USAGE,
                       "--lang does not apply to a notebook: its kernel has a language");
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (opt_source_of(&options->set, others[i])->from == OPT_FROM_COMMAND)
            return err_set(err, ERR_USAGE, "--%s does not apply to a notebook", others[i]);
    if (options->args.has_rest)
        return err_set(err, ERR_USAGE, "a notebook takes no arguments");
    return 0;
}

int run_notebook_read(const char *path, struct notebook *ret, struct err *err)
{
    AUTO_BUF struct buf text = {0};

    *ret = (struct notebook){0};
    buf_init(&text, NOTEBOOK_MAX);
    if (fd_read_file(path, &text, err) < 0) {
        if (err->sys == EFBIG)
            err_set(err, ERR_USAGE, "%s: is larger than %u MiB", path, NOTEBOOK_MAX >> 20);
        err->kind = ERR_USAGE;
        return -1;
    }
    return notebook_read(buf_str(&text), ret, err) < 0 ? err_wrap(err, "%s", path) : 0;
}

/* ---- --out ---- */

/* The folder is opened first, so that a wrong one does not cost a run. */
static int open_out(struct notebook_run *r, struct err *err)
{
    struct stat source, target;

    if (!r->set->common.out)
        return 0;
    r->out_fd = workspace_open_dir(r->set->common.out, true, err);
    if (r->out_fd < 0)
        return -1;
    if (stat(r->path, &source) == 0 && fstatat(r->out_fd, r->name, &target, 0) == 0 &&
        source.st_dev == target.st_dev && source.st_ino == target.st_ino)
        return err_set(err, ERR_USAGE,
                       "--out %s: is the folder of the notebook itself; name another one",
                       r->set->common.out);
    return 0;
}

static int write_out(struct notebook_run *r, struct err *err)
{
    AUTO_FREE char *text = notebook_text(&r->notebook);
    enum skip_reason why = SKIP_OTHER_FS;
    struct export x;

    if (!text)
        return err_set(err, ERR_USAGE, "%s: its outputs cannot be written as JSON", r->path);
    export_init(&x, r->out_fd, r->set->common.out);
    int result = export_file(&x, str_from(r->name), 0644, str_from(text), &why, err);
    export_done(&x);
    if (result > 0)
        return err_set(err, ERR_USAGE, "%s/%s: cannot be written there", r->set->common.out,
                       r->name);
    if (result == 0) {
        AUTO_FREE char *line = xasprintf("saved %s/%s", r->set->common.out, r->name);
        report_say(r->set, line);
    }
    return result;
}

/* ---- outputs of a cell ---- */

/* True if there are that many bytes left; then they are counted as used. */
static bool has_space(struct notebook_run *r, size_t bytes)
{
    if (bytes > KEPT_MAX - r->kept) {
        r->lost = true;
        return false;
    }
    r->kept += bytes;
    return true;
}

/* Outputs are kept only if a notebook is written. */
static bool keeps(const struct notebook_run *r)
{
    return r->out_fd >= 0;
}

static void keep_bundle(struct notebook_run *r, const json_t *bundle)
{
    if (keeps(r) && has_space(r, json_dumpb(bundle, NULL, 0, JSON_COMPACT)))
        notebook_add_bundle(&r->notebook, r->cell, bundle, r->show.cell);
}

static void flush_pending(struct notebook_run *r)
{
    if (r->pending.n && has_space(r, r->pending.n))
        notebook_add_stream(&r->notebook, r->cell, r->pending_stream, buf_str(&r->pending));
    buf_clear(&r->pending);
}

static void keep_output(struct notebook_run *r, int stream, struct str text)
{
    if (!keeps(r) || r->cut)
        return;
    if (stream != r->pending_stream)
        flush_pending(r);
    r->pending_stream = stream;
    size_t room = r->pending.limit - r->printed, n = text.n < room ? text.n : room;
    r->printed += n;
    (void)buf_add_str(&r->pending, str_slice(text, 0, n));
    if (n == text.n)
        return;
    r->cut = true;
    flush_pending(r);
    notebook_add_stream(&r->notebook, r->cell, 2,
                        STR("...(the rest is left out: --output-limit keeps more)...\n"));
}

static void run_notebook_on_event(void *ctx, const struct run_event *event)
{
    struct notebook_run *r = ctx;

    printer_event(&r->printer, event);
    if (event->kind == RUN_OUTPUT)
        keep_output(r, event->stream, event->text);
    if (event->kind != RUN_DISPLAY)
        return;
    flush_pending(r);
    keep_bundle(r, event->bundle);
    cell_show_bundle(&r->show, event->bundle);
}

static bool run_notebook_has_room(void *ctx, int stream, struct pollfd *ret)
{
    return printer_room(&((struct notebook_run *)ctx)->printer, stream, ret);
}

static void keep_value(struct notebook_run *r, const json_t *results)
{
    const json_t *bundle;
    size_t i;

    json_array_foreach(results, i, bundle)
    {
        const char *kind = json_get_text(bundle, "kind");
        if (kind && strcmp(kind, "value") == 0)
            keep_bundle(r, bundle);
    }
}

/* A refused or killed cell has no exception of its own: its error is CellFailed, with the result's
 * summary. */
static void keep_error(struct notebook_run *r, const json_t *doc)
{
    const json_t *e = json_object_get(doc, "exception");
    const char *type = json_get_text(e, "type"), *message = json_get_text(e, "message"),
               *trace = json_get_text(e, "traceback"), *summary = json_get_text(doc, "summary");

    if (keeps(r) && !json_get_true(doc, "success"))
        notebook_add_error(&r->notebook, r->cell, type ? type : "CellFailed",
                           message   ? message
                           : summary ? summary
                                     : "",
                           trace && *trace ? trace
                           : summary       ? summary
                                           : "");
}

static void keep_result(struct notebook_run *r, json_t *doc)
{
    flush_pending(r);
    keep_value(r, json_object_get(doc, "results"));
    keep_error(r, doc);
    if (r->set->json && has_space(r, json_dumpb(doc, NULL, 0, JSON_COMPACT)))
        json_array_append_new(r->results,
                              json_pack("{s:i, s:i, s:b, s:O}", "number", (int)r->show.cell,
                                        "index", (int)r->cell->index, "may_fail",
                                        (int)r->cell->may_fail, "result", doc));
}

/* ---- the cells ---- */

static void run_notebook_cell(struct notebook_run *r, json_t **ret_doc)
{
    struct cell_request cell = {.code = str_from(r->cell->code)};
    struct run_watch watch = {.event = run_notebook_on_event,
                              .ctx = r,
                              .all_output = true,
                              .room = run_notebook_has_room,
                              .cancel_fd = r->cancel_pipe[0]};
    struct result result;

    result_init(&result, r->request.run.output_limit);
    r->printer.waits = false;
    r->cut = false;
    r->printed = 0;
    session_exec(r->session, &cell, &watch, &result);
    *ret_doc = result_document(&result);
    result_done(&result);
}

/* Prints the number of the cell that stopped the run. */
static void say_stop(const struct notebook_run *r, size_t i, bool over)
{
    size_t left = r->notebook.n - i - 1;
    AUTO_FREE char *line =
        over   ? xasprintf("%s: cell %u ended its session", r->path, r->show.cell)
        : left ? xasprintf("%s: stopped at cell %u of %zu", r->path, r->show.cell, r->notebook.n)
               : xasprintf("%s: cell %u failed", r->path, r->show.cell);

    report_say(r->set, line);
}

/* True if the next cell is to run. */
static bool continues(struct notebook_run *r, size_t i, const json_t *doc)
{
    bool exited = json_get_true(json_object_get(doc, "cell"), "exited");

    if (json_get_true(doc, "success") && !exited)
        return true;
    bool over = exited || cell_ended_session(doc) || json_get_true(doc, "cancelled") ||
                r->printer.failed || json_is_object(json_object_get(doc, "error"));
    if (!over && (r->cell->may_fail || r->set->common.allow_errors))
        return true;
    r->status = report_status(&r->printer, doc);
    if (!exited)
        say_stop(r, i, cell_ended_session(doc));
    return false;
}

/* A notebook without some of its outputs would be wrong. So the run stops when only the last
 * quarter of the room is left, which is for the current cell. A cell that needs even more fails,
 * also the last cell. */
static bool run_notebook_is_full(const struct notebook_run *r, bool more)
{
    return r->lost || (more && r->kept > KEPT_MAX / 4 * 3);
}

static void stop_full(struct notebook_run *r)
{
    AUTO_FREE char *line =
        xasprintf("%s: stopped after cell %u: its outputs are too large", r->path, r->show.cell);

    report_complain(line);
    if (!r->status)
        r->status = err_exit_status(ERR_LIMIT);
}

static void run_cells(struct notebook_run *r)
{
    bool more = r->notebook.n > 0;

    for (size_t i = 0; more; i++) {
        json_t *doc;
        r->cell = &r->notebook.cells[i];
        r->show.cell = (unsigned)i + 1;
        notebook_set_count(&r->notebook, r->cell, r->show.cell);
        run_notebook_cell(r, &doc);
        keep_result(r, doc);
        if (!r->set->json) {
            cell_show_value(&r->show, json_object_get(doc, "results"));
            cell_report(r->set, &r->printer, doc);
        }
        more = continues(r, i, doc) && i + 1 < r->notebook.n;
        json_decref(doc);
        if (run_notebook_is_full(r, more)) {
            stop_full(r);
            more = false;
        }
    }
}

/* ---- all cells ---- */

static void print_document(struct notebook_run *r)
{
    json_t *doc =
        json_pack("{s:o, s:s, s:b, s:i, s:i, s:O}", "notebook", json_text(str_from(r->path)),
                  "language", r->notebook.language, "success", r->status == 0, "exit_status",
                  r->status, "code_cells", (int)r->notebook.n, "cells", r->results);

    printer_document(&r->printer, doc, false);
    json_decref(doc);
}

static int open_session(struct notebook_run *r, struct err *err)
{
    struct session_request *q = &r->request;

    session_request_init(q);
    if (settings_request(&r->set->common, &q->run, err) < 0 ||
        model_review_open(r->set, &q->run, &r->review, err) < 0)
        return -1;
    if (!language_find(q->run.program.languages, str_from(r->notebook.language)))
        return err_set(err, ERR_USAGE,
                       "%s: its kernel's language is '%s', which is not known here; 'glovebox help "
                       "languages' explains how to add one",
                       r->path, r->notebook.language);
    session_request_options(q, &r->set->common);
    q->run.program.language = r->notebook.language;
    q->run.program.stdin_fd = -1;
    q->forks = 0;
    report_unsafe(r->set, &q->run);
    const struct run_watch watch = {
        .event = printer_event, .ctx = &r->printer, .cancel_fd = r->cancel_pipe[0]};
    q->opening = &watch;
    int opened = session_open(q, &r->session, err);
    q->opening = NULL;
    return opened;
}

static void open_printer(struct notebook_run *r)
{
    printer_init(&r->printer,
                 r->set->json            ? PRINT_NOTHING
                 : r->set->common.events ? PRINT_EVENTS
                                         : PRINT_OUTPUT,
                 r->cancel_pipe);
    r->printer.quiet = r->set->quiet;
}

static int run_all(struct notebook_run *r, struct err *err)
{
    if (run_notebook_read(r->path, &r->notebook, err) < 0 || open_out(r, err) < 0 ||
        cancel_catch_signals(r->cancel_pipe, err) < 0)
        return -1;
    open_printer(r);
    if (open_session(r, err) < 0)
        return cancel_signal() ? 128 + cancel_signal() : -1;
    r->show =
        (struct cell_show){.place = {.settings = r->set, .printer = &r->printer}, .out_fd = -1};
    buf_init(&r->pending, r->request.run.output_limit ? r->request.run.output_limit : NOTEBOOK_MAX);
    notebook_clear(&r->notebook);
    run_cells(r);
    if (r->set->json)
        print_document(r);
    int wrote = r->out_fd >= 0 ? write_out(r, err) : 0;
    return wrote < 0 ? -1 : r->status;
}

int run_notebook(const struct cli_options *options, struct err *err)
{
    const char *path = options->args.operands[0];
    struct notebook_run r = {.set = &options->settings,
                             .path = path,
                             .name = str_after_last(path, '/'),
                             .out_fd = -1,
                             .results = json_array()};
    int status = run_notebook_check_options(options, err) < 0 ? -1 : run_all(&r, err);

    session_close(r.session);
    printer_done(&r.printer);
    review_close(r.review);
    notebook_done(&r.notebook);
    json_decref(r.results);
    buf_done(&r.pending);
    fd_close(&r.out_fd);
    return status;
}
