/* SPDX-License-Identifier: Apache-2.0
 *
 * The session that runs the cells of `glovebox repl`: in this process, or in a daemon.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "console/model_review.h"
#include "formats/json_get.h"
#include "remote/cmd_repl.h"
#include "remote/run_remote.h"
#include "report/report.h"
#include "terminal/safe_text.h"
#include "workspace/workspace_export.h"

/* ---- opening ---- */

/* A tool_fn (session/tools.h, tool_set_add_input): reads a line for the guest's input(). */
static int ask_here(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    struct repl_host *h = ctx;
    const json_t *prompt = json_array_get(call->args, 0);

    if (!json_is_string(prompt))
        return err_set(err, ERR_GUEST, "input() was called with something that is not a string");
    h->progress(h->ctx, -1, 0);
    h->ask.call = call;
    *ret = terminal_ask(&h->ask, json_str(prompt), json_is_true(json_array_get(call->args, 1)));
    h->ask.call = NULL;
    return 0;
}

static int open_here(struct repl_host *h, struct err *err)
{
    const struct session_settings *set = h->set;
    struct session_request *q = &h->request;

    session_request_init(q);
    if (settings_request(&set->cli.common, &q->run, err) < 0 ||
        model_review_open(&set->cli, &q->run, &h->review, err) < 0 ||
        (set->cli.common.tools && tool_set_read(&h->tools, set->cli.common.tools, err) < 0))
        return -1;
    q->run.program.stdin_fd = -1;
    if (!q->run.program.language || strcmp(q->run.program.language, "auto") == 0)
        q->run.program.language = "python";
    h->tools.final_answer = true;
    if (isatty(STDIN_FILENO))
        tool_set_add_input(&h->tools, ask_here, h);
    q->tools = &h->tools;
    session_request_options(q, &set->cli.common);
    q->forks = (int)set->cli.common.forks; /* here, forks are possible by default */
    report_unsafe(&set->cli, &q->run);
    const struct run_watch watch = {
        .event = printer_event, .ctx = h->printer, .cancel_fd = h->cancel_fd};
    q->opening = &watch;
    int opened = session_open(q, &h->session, err);
    q->opening = NULL;
    if (opened < 0)
        return -1;
    struct session_info info;
    session_info(h->session, &info);
    snprintf(h->language, sizeof h->language, "%s", info.language);
    return 0;
}

/* Uses an existing session (--session), or opens a new one. */
static int open_there(struct repl_host *h, struct session_call *call, struct err *err)
{
    json_t *doc = NULL;
    int result;

    h->call = call;
    if (h->set->session) {
        if (cmd_session_find(call, h->set->session, call->id, sizeof call->id, err) < 0)
            return -1;
        result = cmd_session_ask_about(call, "GET", "", NULL, &doc, err);
    } else {
        result = cmd_session_open_new(call, &doc, err);
    }
    if (result < 0)
        return -1;
    snprintf(call->id, sizeof call->id, "%s", json_get_word(doc, "id"));
    snprintf(h->language, sizeof h->language, "%s", json_get_word(doc, "language"));
    h->own = !h->set->session;
    json_decref(doc);
    return 0;
}

int repl_host_open(struct repl_host *h, struct session_call *where, struct err *err)
{
    tool_set_init(&h->tools);
    h->ask = (struct terminal_ask){.printer = h->printer, .cancel_fd = h->cancel_fd};
    int opened = where ? open_there(h, where, err) : open_here(h, err);
    h->traits = language_traits_of(h->language);
    return opened;
}

/* ---- a cell ---- */

static void cmd_repl_host_report(struct repl_host *h, const json_t *doc)
{
    h->progress(h->ctx, -1, 0);
    cell_show_value(h->show, json_object_get(doc, "results"));
    cell_report(&h->set->cli, h->printer, doc);
    h->exited = json_get_true(json_object_get(doc, "cell"), "exited");
    h->status = (int)json_get_int(doc, "exit_code");
    if (cell_ended_session(doc))
        report_say(&h->set->cli, "the session is over; :reset begins a new one");
}

static void on_event_here(void *ctx, const struct run_event *event)
{
    struct repl_host *h = ctx;

    if (event->kind == RUN_PROGRESS) {
        h->progress(h->ctx, (int64_t)event->count, event->memory);
        return;
    }
    h->progress(h->ctx, -1, 0);
    if (event->kind == RUN_DISPLAY)
        cell_show_bundle(h->show, event->bundle);
    else
        printer_event(h->printer, event);
}

static bool cmd_repl_host_has_room(void *ctx, int stream, struct pollfd *ret)
{
    return printer_room(((struct repl_host *)ctx)->printer, stream, ret);
}

static int run_here(struct repl_host *h, struct str code, bool attempt)
{
    struct cell_request cell = {
        .code = code, .wall_ms = h->wall_ms, .attempt = attempt ? TRY_KEEP_IF_DONE : TRY_NOT};
    struct run_watch watch = {.event = on_event_here,
                              .ctx = h,
                              .all_output = true,
                              .room = cmd_repl_host_has_room,
                              .cancel_fd = h->cancel_fd};
    struct session_info info;
    struct result result;

    session_info(h->session, &info);
    h->show->cell = info.cells + 1;
    result_init(&result, h->request.run.output_limit);
    h->printer->waits = false;
    session_exec(h->session, &cell, &watch, &result);
    json_t *doc = result_document(&result);
    cmd_repl_host_report(h, doc);
    json_decref(doc);
    result_done(&result);
    return 0;
}

static void on_event_there(void *ctx, const char *name, const json_t *event)
{
    struct repl_host *h = ctx;
    const json_t *bundle = json_object_get(event, "bundle");

    if (strcmp(name, "progress") == 0) {
        h->progress(h->ctx, json_integer_value(json_object_get(event, "elapsed_ms")),
                    (uint64_t)json_integer_value(json_object_get(event, "memory_bytes")));
    } else if (strcmp(name, "display") == 0) {
        h->progress(h->ctx, -1, 0);
        cell_show_bundle(h->show, bundle);
    } else if (strcmp(name, "input") == 0) {
        h->progress(h->ctx, -1, 0);
        terminal_answer(&(struct terminal_there){&h->ask, &h->set->cli, h->call->id}, event);
    }
}

int repl_host_connect(struct repl_host *h, struct err *err)
{
    if (!h->call)
        return err_set(err, ERR_BUG, "no session is open");
    if (h->call->client.fd >= 0)
        return 0;
    http_client_done(&h->call->client);
    return remote_open(&h->set->cli, &h->call->client, err);
}

static int run_there(struct repl_host *h, struct str code, bool attempt, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/v1/sessions/%s/exec", h->call->id);
    json_t *doc = json_pack("{s:o}", "code", json_stringn(code.p, code.n));

    if (doc && h->wall_ms)
        json_object_set_new(doc, "timeout_ms", json_integer((json_int_t)h->wall_ms));
    if (doc && attempt)
        json_object_set_new(doc, "attempt", json_true());
    if (doc && isatty(STDIN_FILENO))
        json_object_set_new(doc, "answers_input", json_true());
    AUTO_FREE char *body = doc ? json_dumps(doc, JSON_COMPACT) : NULL;
    json_decref(doc);
    if (!body)
        return err_set(err, ERR_USAGE, "a cell must be UTF-8 text");
    if (repl_host_connect(h, err) < 0)
        return -1;
    struct remote_stream stream = {.printer = h->printer,
                                   .path = path,
                                   .body = str_from(body),
                                   .cancel_fd = h->cancel_fd,
                                   .out_fd = -1,
                                   .output_limit = h->set->cli.common.output_limit,
                                   .event = on_event_there,
                                   .ctx = h};
    h->show->cell++;
    int ran = remote_stream_run(&h->call->client, &stream, err);
    if (ran > 0)
        cmd_repl_host_report(h, stream.doc);
    remote_stream_done(&stream);
    return ran > 0 ? 0 : -1;
}

int repl_host_run(struct repl_host *h, struct str code, bool attempt, struct err *err)
{
    h->show->saved = 0;
    h->ask.refusals = 0;
    return h->session ? run_here(h, code, attempt) : run_there(h, code, attempt, err);
}

int repl_host_reset(struct repl_host *h, struct err *err)
{
    if (h->session)
        return session_restart(h->session, err);
    return repl_host_connect(h, err) < 0 ? -1
                                         : cmd_session_tell(h->call, "POST", "/restart", NULL, err);
}

int repl_host_commit(struct repl_host *h, const char *image, struct err *err)
{
    json_t *body;

    if (h->session)
        return session_commit(h->session, image, NULL, err);
    if (repl_host_connect(h, err) < 0)
        return -1;
    body = json_pack("{s:o}", "image", json_string(image)); /* NULL: the name is not UTF-8 */
    return body ? cmd_session_tell(h->call, "POST", "/commit", body, err)
                : cmd_session_not_text(":commit", err);
}

/* ---- forks ---- */

static int fork_there(struct repl_host *h, struct err *err)
{
    json_t *doc;

    if (repl_host_connect(h, err) < 0 ||
        cmd_session_ask_about(h->call, "POST", "/fork", json_object(), &doc, err) < 0)
        return -1;
    snprintf(h->call->id, sizeof h->call->id, "%s", json_get_word(doc, "id"));
    json_decref(doc);
    return 0;
}

int repl_host_fork(struct repl_host *h, struct err *err)
{
    struct repl_origin origin = {.session = h->session};

    if (h->call)
        memcpy(origin.id, h->call->id, sizeof origin.id);
    if (h->session ? session_fork(origin.session, &h->session, err) < 0 : fork_there(h, err) < 0)
        return -1;
    h->origins = xrealloc_array(h->origins, h->origin_n + 1, sizeof *h->origins);
    h->origins[h->origin_n++] = origin;
    return 0;
}

static void close_there(struct repl_host *h)
{
    struct err err;

    if (repl_host_connect(h, &err) == 0)
        (void)cmd_session_tell(h->call, "DELETE", "", NULL, &err);
}

int repl_host_back(struct repl_host *h, struct err *err)
{
    if (!h->origin_n)
        return err_set(err, ERR_USAGE, "this session is not a copy; :fork makes one");
    struct repl_origin *origin = &h->origins[--h->origin_n];
    session_close(h->session);
    h->session = origin->session;
    if (!h->call)
        return 0;
    close_there(h);
    memcpy(h->call->id, origin->id, sizeof origin->id);
    return 0;
}

void repl_host_close(struct repl_host *h)
{
    struct err err;

    while (h->origin_n)
        (void)repl_host_back(h, &err);
    free(h->origins);
    session_close(h->session);
    if (h->call && h->own)
        close_there(h);
    tool_set_done(&h->tools);
}

/* ---- files ---- */

static int files_here(struct session *session, struct err *err)
{
    struct workspace_file *files;
    size_t n;

    if (session_files(session, &files, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        AUTO_FREE char *path = safe_line(files[i].path);
        printf("%12" PRIu64 "  %s\n", files[i].size, path);
    }
    workspace_files_done(files, n);
    return 0;
}

int repl_host_files(struct repl_host *h, struct err *err)
{
    if (h->session)
        return files_here(h->session, err);
    return repl_host_connect(h, err) < 0 ? -1 : cmd_session_files(h->call, err);
}

int repl_host_variables(struct repl_host *h, struct err *err)
{
    json_t *rows;

    if (!h->session)
        return repl_host_connect(h, err) < 0 ? -1 : cmd_session_vars(h->call, err);
    if (session_variables(h->session, &rows, err) < 0)
        return -1;
    cmd_session_print_variables(rows);
    json_decref(rows);
    return 0;
}

static int cmd_repl_host_copy(struct export *x, struct str name, int from, struct err *err)
{
    AUTO_FREE char *chunk = xmalloc(64 << 10);
    ssize_t n;

    while ((n = read(from, chunk, 64 << 10)) > 0)
        if (export_write(x, name, chunk, (size_t)n, err) < 0)
            return -1;
    return n < 0 ? err_sys(err, "read the session's file") : 0;
}

static int save_here(struct session *session, const char *path, struct err *err)
{
    uint64_t size;
    struct str folder, name;
    enum skip_reason why;
    struct export x;
    AUTO_CLOSE int from = session_file_open(session, path, &size, err);
    AUTO_CLOSE int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (from < 0 || here < 0)
        return from < 0 ? -1 : err_sys(err, "open the current folder");
    lay_path_split(str_from(path), &folder, &name);
    export_init(&x, here, "current");
    int result = export_begin(&x, name, 0644, &why, err);
    if (result == 0)
        result = cmd_repl_host_copy(&x, name, from, err);
    if (result == 0)
        result = export_commit(&x, name, &why, err);
    export_done(&x);
    return result > 0 ? err_set(err, ERR_USAGE, "%s: cannot write this file here", path) : result;
}

int repl_host_save(struct repl_host *h, const char *name, struct err *err)
{
    char *operands[] = {h->call ? h->call->id : NULL, (char *)name, NULL};

    if (h->session)
        return save_here(h->session, name, err);
    if (repl_host_connect(h, err) < 0)
        return -1;
    h->call->operands = operands;
    h->call->operand_n = 2;
    int result = cmd_session_get(h->call, err);
    h->call->operands = NULL;
    h->call->operand_n = 0;
    return result;
}
