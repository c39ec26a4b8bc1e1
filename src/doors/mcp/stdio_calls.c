/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls as tasks for the workers.
 */
#include <stddef.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "mcp/stdio_parts.h"

enum { PROGRESS_WAITING_MAX = 100 }; /* messages; progress above this number is dropped */

static struct stdio_server *server_of(const struct mcp_call *call)
{
    return call->client->ctx;
}

/* ---- calls ---- */

static struct stdio_task *task_of(struct session_turn *turn)
{
    return (struct stdio_task *)(void *)((char *)turn - offsetof(struct stdio_task, turn));
}

static void stdio_calls_fail(struct mcp_call *call, enum err_kind kind, const char *why)
{
    struct err err;

    (void)err_set(&err, kind, "%s", why);
    mcp_call_fail(call, &err);
    mcp_call_finish(call);
}

/* True if a root of the scene was removed: a run would be refused because of it. */
static bool is_stale(const struct stdio_task *t)
{
    return !t->looked && !t->call->entry && !roots_are_there(&t->scene->roots);
}

static void call_work(struct mcp_task *task)
{
    struct stdio_task *t = (struct stdio_task *)task;
    struct mcp_call *call = t->call;

    /* Starts no work while the client reads too slowly: only running calls can then add answers. */
    mcp_pipe_wait(&server_of(call)->pipe, &call->stopped);
    t->stale = !call->stopped && is_stale(t);
    if (call->stopped || t->stale)
        return;
    call->work(call);
    t->answer = mcp_dialog_text(&server_of(call)->dialog, call);
}

static void call_done(struct mcp_task *task)
{
    struct stdio_task *t = (struct stdio_task *)task;

    if (t->stale && !t->call->stopped)
        stdio_roots_renew(t);
    else if (t->answer || t->call->result || t->call->refused)
        mcp_call_finish(t->call);
    else
        stdio_calls_fail(t->call, ERR_TIMEOUT, MCP_STOPPED);
}

void stdio_calls_begin(struct stdio_task *t)
{
    struct stdio_server *s = server_of(t->call);

    stdio_scene_drop(t->scene);
    t->scene = stdio_scene_hold(s->scene);
    t->call->service = &t->scene->service;
    t->call->client->listed |= t->call->lists_tools;
    t->begun = true;
    t->task = (struct mcp_task){.work = call_work, .done = call_done};
    if (t->call->cancel_fd < 0)
        t->call->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (mcp_workers_add(s->pipe.workers, &t->task, false) < 0)
        stdio_calls_fail(t->call, ERR_SYSTEM,
                         "no thread could be started for this call; try again later");
}

static void host_begin(struct mcp_call *call, struct session_entry *entry)
{
    struct stdio_task *t = xcalloc(1, sizeof *t);
    AUTO_FREE char *full =
        xasprintf("%d calls wait for this session already; try again later", SESSION_WAITING_MAX);

    t->call = call;
    call->task = t;
    if (!entry && !stdio_roots_keep(t))
        stdio_calls_begin(t);
    else if (entry && session_turn_ask(entry, &t->turn) != TURN_ASKED)
        stdio_calls_fail(call, ERR_LIMIT, full);
}

static void stop_work(struct stdio_task *t)
{
    const uint64_t one = 1;

    (void)!write(t->call->cancel_fd, &one, sizeof one);
}

static void host_stop(struct mcp_call *call)
{
    struct stdio_task *t = call->task;

    if (t->kept)
        stdio_roots_leave(t);
    else if (t->turn.entry && !t->begun)
        session_turn_leave(&t->turn);
    else if (!mcp_workers_remove(server_of(call)->pipe.workers, &t->task)) {
        stop_work(t);
        return;
    }
    stdio_calls_fail(call, ERR_TIMEOUT, MCP_STOPPED);
}

static void host_note(const struct mcp_call *call, json_t *message, bool is_progress)
{
    const struct stdio_server *s = server_of(call);
    size_t bytes;

    if (is_progress && mcp_out_waiting(s->pipe.out, &bytes) > PROGRESS_WAITING_MAX)
        json_decref(message);
    else
        mcp_dialog_send(&s->dialog, message);
}

static void task_free(struct stdio_task *t)
{
    if (t && t->turn.entry)
        session_turn_over(&t->turn);
    if (t) {
        stdio_scene_drop(t->scene);
        free(t->answer);
    }
    free(t);
}

static void host_over(struct mcp_call *call)
{
    struct stdio_task *t = call->task;

    mcp_dialog_over(&server_of(call)->dialog, call, t ? mem_take(&t->answer) : NULL);
    fd_close(&call->cancel_fd);
    task_free(t);
}

static int host_request(const struct mcp_call *call, struct settings *ask,
                        struct request_parts *parts, struct run_request *ret, struct err *err)
{
    if (request_make(ask, call->service->rules, parts, ret, err) < 0)
        return -1;
    ret->place.pool = server_of(call)->pool;
    return 0;
}

static void *host_hold_scene(const struct mcp_call *call)
{
    const struct stdio_task *t = call->task;

    return stdio_scene_hold(t->scene);
}

static void host_drop_scene(void *scene)
{
    stdio_scene_drop(scene);
}

const struct mcp_host stdio_host = {
    .begin = host_begin,
    .stop = host_stop,
    .note = host_note,
    .over = host_over,
    .request = host_request,
    .hold_settings = host_hold_scene,
    .drop_settings = host_drop_scene,
    .received = stdio_roots_received,
    .changes = stdio_roots_wait,
};

/* ---- turns and errands of the table ---- */

static void begin_turn(struct session_turn *turn)
{
    struct stdio_task *t = task_of(turn);

    t->call->entry = turn->entry;
    stdio_calls_begin(t);
}

static void stop_turn(struct session_turn *turn)
{
    stop_work(task_of(turn));
}

static void end_turn(struct session_turn *turn, enum turn_end why)
{
    (void)why; /* turns have no deadline here */
    stdio_calls_fail(task_of(turn)->call, ERR_USAGE, "the session was closed");
}

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

/* If there is no thread, the loop runs it. */
static void run_errand(void *ctx, struct errand *errand)
{
    struct stdio_server *s = ctx;
    struct errand_task *task = xcalloc(1, sizeof *task);

    *task =
        (struct errand_task){.task = {.work = errand_work, .done = errand_done}, .errand = errand};
    if (mcp_workers_add(s->pipe.workers, &task->task, errand->urgent) == 0)
        return;
    errand_work(&task->task);
    errand_done(&task->task);
}

struct sessions *stdio_sessions(struct stdio_server *s)
{
    return sessions_new(&(struct session_host){
        .begin = begin_turn, .stop = stop_turn, .end = end_turn, .errand = run_errand, .ctx = s});
}
