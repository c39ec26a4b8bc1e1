/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox session exec`: runs a cell in a session of the daemon.
 */
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "remote/cmd_session.h"
#include "remote/run_remote.h"
#include "remote/terminal_ask.h"
#include "report/report.h"
#include "text/notebook.h"
#include "workspace/workspace.h"

enum { STDIN_MAX = 16 << 20, OUTPUT_KEPT = 1 << 20 };

/* ---- the cell ---- */

/* A file that cannot be read is an error of usage, as for 'glovebox run'. */
static int read_named(const char *file, struct buf *ret, struct err *err)
{
    if (fd_read_file(file, ret, err) == 0)
        return 0;
    err->kind = ERR_USAGE;
    return -1;
}

static int read_cell(const struct session_call *call, struct buf *code, bool *ret_from_stdin,
                     struct err *err)
{
    const char *text = call->set->cli.common.code;
    const char *file = call->operand_n > 1 ? call->operands[1] : NULL;

    *ret_from_stdin = !text && (!file || strcmp(file, "-") == 0);
    if (text && file)
        return err_set(err, ERR_USAGE, "give the cell with -c, or in a FILE, not both");
    if (text)
        return buf_adds(code, text);
    if (!*ret_from_stdin && notebook_is_name(file))
        return err_set(err, ERR_USAGE, "%s: is a notebook; 'glovebox run' runs its cells", file);
    if (!*ret_from_stdin)
        return read_named(file, code, err);
    if (!file && isatty(0))
        return err_set(err, ERR_USAGE,
                       "there is no cell: give -c CODE, name a FILE, or - for standard input");
    return fd_read_all(0, code) < 0 ? err_sys(err, "read standard input") : 0;
}

static int put_stdin(const struct session_call *call, json_t *body, bool taken, struct err *err)
{
    const char *path = call->set->cli.common.input;
    AUTO_BUF struct buf b = {0};

    if (!path)
        return 0;
    buf_init(&b, STDIN_MAX);
    bool ours = strcmp(path, "-") == 0;
    if (ours && taken)
        return err_set(err, ERR_USAGE, "--stdin -: the cell is already read from standard input");
    if (ours ? fd_read_all(0, &b) < 0 : read_named(path, &b, err) < 0)
        return ours ? err_sys(err, "read standard input") : err_wrap(err, "--stdin");
    if (!utf8_valid(buf_str(&b)))
        return err_set(err, ERR_USAGE, "--stdin: the input of a cell must be UTF-8 text");
    json_object_set_new(body, "stdin", json_stringn(b.p, b.n));
    return 0;
}

/* False with --json and --events: standard output is for them alone. */
static bool can_ask(const struct session_call *call, bool taken)
{
    const struct cli_settings *s = &call->set->cli;

    return !taken && !s->common.input && !s->json && !s->common.events && isatty(STDIN_FILENO);
}

static char *cmd_session_exec_make_body(const struct session_call *call, struct err *err)
{
    const struct session_settings *set = call->set;
    const struct settings *s = &set->cli.common;
    AUTO_BUF struct buf code = {0};
    bool from_stdin;
    json_t *body = json_object();
    char *text = NULL;

    buf_init(&code, RUN_SOURCE_MAX);
    if (cmd_session_is_given(call, "timeout"))
        json_object_set_new(body, "timeout_ms", json_integer((json_int_t)s->timeout));
    if (cmd_session_is_given(call, "cpu-time"))
        json_object_set_new(body, "cpu_time_ms", json_integer((json_int_t)s->cpu_time));
    if (s->cwd)
        json_object_set_new(body, "cwd", json_text(str_from(s->cwd)));
    if (!s->check)
        json_object_set_new(body, "no_check", json_true());
    if (set->cli.common.attempt)
        json_object_set_new(body, "attempt", json_true());
    if (set->cli.common.attempt_keep)
        json_object_set_new(body, "attempt_keep", json_true());
    if (set->cli.common.attempt_drop)
        json_object_set_new(body, "attempt_drop", json_true());
    if (read_cell(call, &code, &from_stdin, err) == 0 &&
        put_stdin(call, body, from_stdin, err) == 0) {
        if (can_ask(call, from_stdin))
            json_object_set_new(body, "answers_input", json_true());
        if (!utf8_valid(buf_str(&code)))
            err_set(err, ERR_USAGE, "a cell must be UTF-8 text");
        else if (json_object_set_new(body, "code", json_stringn(code.p, code.n)) == 0)
            text = json_dumps(body, JSON_COMPACT);
    }
    json_decref(body);
    return text;
}

/* ---- the outcome ---- */

struct outcome {
    struct cell_show show;
    struct terminal_ask ask;
    struct terminal_there there;
};

static void cmd_session_exec_on_event(void *ctx, const char *name, const json_t *event)
{
    struct outcome *outcome = ctx;

    if (strcmp(name, "display") == 0)
        cell_show_bundle(&outcome->show, json_object_get(event, "bundle"));
    else if (strcmp(name, "input") == 0)
        terminal_answer(&outcome->there, event);
}

/* -1 with *err if nothing was run. */
static int cmd_session_exec_run_cell(struct session_call *call, struct remote_stream *stream,
                                     struct cell_show *show, struct err *err)
{
    const struct session_settings *set = call->set;

    if (remote_stream_run(&call->client, stream, err) < 0)
        return -1;
    cell_show_value(show, json_object_get(stream->doc, "results"));
    cell_report(&set->cli, stream->printer, stream->doc);
    return report_status(stream->printer, stream->doc);
}

static unsigned next_cell(struct session_call *call)
{
    json_t *info = NULL;
    struct err err;

    if (cmd_session_ask_about(call, "GET", "", NULL, &info, &err) < 0)
        return 0;
    unsigned n = (unsigned)json_integer_value(json_object_get(info, "cells")) + 1;
    json_decref(info);
    return n;
}

int cmd_session_exec(struct session_call *call, struct err *err)
{
    const struct cli_settings *s = &call->set->cli;
    struct printer printer;
    int cancel_pipe[2];
    AUTO_FREE char *path = xasprintf("/v1/sessions/%s/exec", call->id);
    AUTO_FREE char *body =
        ask_check(&s->common, V_EXEC, err) < 0 ? NULL : cmd_session_exec_make_body(call, err);
    AUTO_CLOSE int out = -1;

    if (!body || cancel_catch_signals(cancel_pipe, err) < 0)
        return -1;
    if (s->common.out && (out = workspace_open_dir(s->common.out, true, err)) < 0)
        return -1;
    struct outcome outcome = {
        .show = {.place = {.settings = s, .printer = &printer},
                 .out_fd = out,
                 .cell = out >= 0 ? next_cell(call) : 0},
        .ask = {.printer = &printer, .cancel_fd = cancel_pipe[0]},
        .there = {.ask = &outcome.ask, .settings = s, .session = call->id},
    };
    printer_init(&printer,
                 s->json            ? PRINT_NOTHING
                 : s->common.events ? PRINT_EVENTS
                                    : PRINT_OUTPUT,
                 cancel_pipe);
    struct remote_stream stream = {.printer = &printer,
                                   .path = path,
                                   .body = str_from(body),
                                   .cancel_fd = cancel_pipe[0],
                                   .out_fd = -1,
                                   .output_limit = OUTPUT_KEPT,
                                   .event = cmd_session_exec_on_event,
                                   .ctx = &outcome};
    int status = cmd_session_exec_run_cell(call, &stream, &outcome.show, err);
    printer_done(&printer);
    remote_stream_done(&stream);
    return status;
}
