/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/json_get.h"
#include "base/mem.h"
#include "mcp/parts.h"
#include "mcp/tools.h"
#include "result/verdict_json.h"

enum { PROGRESS_WAITING_MAX = 100 }; /* messages; beyond that, progress is dropped */

/* ---- life ---- */

static const json_t *meta_of(const json_t *params, const char *key)
{
    return json_object_get(json_object_get(params, "_meta"), key);
}

static const json_t *token_of(const json_t *params)
{
    const json_t *token = meta_of(params, "progressToken");

    return json_is_string(token) || json_is_integer(token) ? token : NULL;
}

struct mcp_call *mcp_call_new(struct mcp_server *server, struct rpc_message *message, bool modern)
{
    struct mcp_call *call = xcalloc(1, sizeof *call);

    call->server = server;
    call->message = *message;
    *message = (struct rpc_message){0};
    call->modern = modern;
    call->progress_token = token_of(call->message.params);
    call->level = modern ? mcp_level_find(json_str(
                               meta_of(call->message.params, "io.modelcontextprotocol/logLevel")))
                         : server->level;
    call->cancel_fd = -1;
    call->next = server->calls;
    server->calls = call;
    server->call_n++;
    return call;
}

static void unlink_call(struct mcp_call *call)
{
    struct mcp_call **at = &call->server->calls;

    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    call->server->call_n--;
}

static void call_free(struct mcp_call *call)
{
    if (call->counted)
        sessions_unreserve(call->server->sessions, "");
    session_opening_drop(call->opening);
    for (size_t i = 0; i < call->list_n; i++)
        session_entry_looked(call->list[i]);
    free(call->list);
    fd_close(&call->cancel_fd);
    json_decref(call->result);
    json_decref(call->none);
    json_decref(call->message.doc);
    free(call);
}

struct mcp_call *mcp_call_find(const struct mcp_server *server, const json_t *id)
{
    struct mcp_call *call = server->calls;

    while (call && !json_equal(call->message.id, id))
        call = call->next;
    return call;
}

/* ---- the way through the workers ---- */

static struct mcp_call *call_of(struct session_turn *turn)
{
    return (struct mcp_call *)(void *)((char *)turn - offsetof(struct mcp_call, turn));
}

static void call_done(struct mcp_task *task)
{
    mcp_call_finish((struct mcp_call *)task);
}

static void begin(struct mcp_call *call)
{
    call->begun = true;
    call->task.done = call_done;
    call->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    mcp_workers_add(call->server->workers, &call->task, false);
}

static void begin_turn(struct session_turn *turn)
{
    begin(call_of(turn));
}

static void stop(struct mcp_call *call)
{
    const uint64_t one = 1;

    (void)!write(call->cancel_fd, &one, sizeof one);
}

static void stop_turn(struct session_turn *turn)
{
    stop(call_of(turn));
}

static void end_turn(struct session_turn *turn, enum turn_end why)
{
    struct err err;

    (void)why; /* turns have no deadline here */
    (void)err_set(&err, ERR_USAGE, "the session was closed");
    mcp_call_fail(call_of(turn), &err);
    mcp_call_finish(call_of(turn));
}

/* ---- errands of the table ---- */

struct errand_task {
    struct mcp_task task; /* first */
    struct errand *errand;
};

static void errand_work(struct mcp_task *task)
{
    struct errand *errand = ((struct errand_task *)task)->errand;

    errand->work(errand);
}

static void errand_done(struct mcp_task *task)
{
    struct errand *errand = ((struct errand_task *)task)->errand;

    free(task);
    errand->done(errand);
}

static void run_errand(void *ctx, struct errand *errand)
{
    struct mcp_server *server = ctx;
    struct errand_task *task = xcalloc(1, sizeof *task);

    *task =
        (struct errand_task){.task = {.work = errand_work, .done = errand_done}, .errand = errand};
    mcp_workers_add(server->workers, &task->task, errand->urgent);
}

struct sessions *mcp_sessions(struct mcp_server *server)
{
    return sessions_new(&(struct session_host){.begin = begin_turn,
                                               .stop = stop_turn,
                                               .end = end_turn,
                                               .errand = run_errand,
                                               .ctx = server});
}

void mcp_call_submit(struct mcp_call *call, struct session_entry *entry)
{
    struct err err;

    if (!entry) {
        begin(call);
        return;
    }
    if (session_turn_ask(entry, &call->turn) == TURN_ASKED)
        return;
    (void)err_set(&err, ERR_LIMIT, "%d calls wait for this session already; try again later",
                  SESSION_WAITING_MAX);
    mcp_call_fail(call, &err);
    mcp_call_finish(call);
}

void mcp_call_cancel(struct mcp_call *call)
{
    call->cancelled = true;
    if (call->turn.entry && !call->begun)
        session_turn_leave(&call->turn);
    else if (call->begun && !mcp_workers_remove(call->server->workers, &call->task)) {
        stop(call);
        return;
    }
    mcp_call_finish(call);
}

/* ---- the answer ---- */

static void add_session(struct mcp_call *call)
{
    struct mcp_server *server = call->server;
    const struct session_new made = {.session = call->opened,
                                     .opening = call->opening,
                                     .info = &call->info,
                                     .owner = "",
                                     .idle_ms = server->options->idle_ms,
                                     .is_fork = call->turn.entry != NULL};
    struct session_entry *entry = sessions_add(server->sessions, &made);

    call->opening = NULL;
    if (call->cancelled || server->ending)
        session_entry_shut(entry);
}

static json_t *answer(struct mcp_call *call)
{
    if (call->refused)
        return rpc_error(call->message.id, &call->problem);
    json_t *result = mcp_result(call->result, call->modern, !call->tool);
    call->result = NULL;
    return rpc_result(call->message.id, result);
}

void mcp_call_finish(struct mcp_call *call)
{
    unlink_call(call);
    if (call->opened)
        add_session(call);
    if (!call->cancelled)
        mcp_out_send(call->server->out, answer(call));
    if (call->turn.entry)
        session_turn_over(&call->turn);
    call_free(call);
}

struct session *mcp_call_session(const struct mcp_call *call)
{
    return call->turn.entry ? call->turn.entry->session : NULL;
}

void mcp_call_fail(struct mcp_call *call, const struct err *err)
{
    json_decref(call->result);
    call->result = json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
                             json_text(str_from(err->msg)), "isError", 1);
}

void mcp_call_refuse(struct mcp_call *call, const struct rpc_problem *problem)
{
    call->refused = true;
    call->problem = *problem;
}

/* ---- notifications ---- */

void mcp_call_log(const struct mcp_call *call, enum mcp_level level, const char *fmt, ...)
{
    va_list ap;

    if (level < call->level || call->cancelled)
        return;
    va_start(ap, fmt);
    AUTO_FREE char *text = xvasprintf(fmt, ap);
    va_end(ap);
    mcp_out_send(
        call->server->out,
        rpc_notification("notifications/message",
                         json_pack("{s:s, s:s, s:o}", "level", mcp_level_names[level], "logger",
                                   "glovebox", "data", json_text(str_from(text)))));
}

void mcp_call_progress(const struct mcp_call *call, double progress, double total,
                       const char *message)
{
    struct mcp_out *out = call->server->out;

    if (!call->progress_token || call->cancelled || mcp_out_waiting(out) > PROGRESS_WAITING_MAX)
        return;
    json_t *params =
        json_pack("{s:o, s:f, s:o}", "progressToken", json_deep_copy(call->progress_token),
                  "progress", progress, "message", json_text(str_from(message)));
    if (total > 0)
        json_object_set_new(params, "total", json_real(total));
    mcp_out_send(out, rpc_notification("notifications/progress", params));
}
