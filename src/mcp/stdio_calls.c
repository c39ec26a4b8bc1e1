/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls as tasks of workers.
 */
#include <stddef.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "mcp/stdio_parts.h"

enum {
    UNREAD_MAX = 1000, /* answers that the client has not read */
    UNREAD_BYTES_MAX = 64 << 20,
    PROGRESS_WAITING_MAX = 100, /* messages; beyond that, progress is dropped */
    WAIT_STEP_NS = 20 * 1000 * 1000,
};

/* A call from `begin` to `over`. */
struct stdio_task {
    struct mcp_task task; /* first */
    struct session_turn turn;
    struct mcp_call *call;
    bool begun; /* it is a worker's */
    char *answer;
};

static struct stdio_server *server_of(const struct mcp_call *call)
{
    return call->client->ctx;
}

/* ---- sending ---- */

bool stdio_is_full(const struct stdio_server *s)
{
    size_t bytes;

    return mcp_out_waiting(s->out, &bytes) >= UNREAD_MAX || bytes >= UNREAD_BYTES_MAX;
}

/* ---- calls ---- */

static struct stdio_task *task_of(struct session_turn *turn)
{
    return (struct stdio_task *)(void *)((char *)turn - offsetof(struct stdio_task, turn));
}

/* So that the answers of those that work already are all that can come. */
static void wait_for_reader(const struct mcp_call *call)
{
    const struct timespec step = {.tv_nsec = WAIT_STEP_NS};

    while (stdio_is_full(server_of(call)) && !call->cancelled)
        nanosleep(&step, NULL);
}

static void call_work(struct mcp_task *task)
{
    struct stdio_task *t = (struct stdio_task *)task;
    struct mcp_call *call = t->call;

    wait_for_reader(call);
    if (call->cancelled)
        return;
    call->work(call);
    t->answer = mcp_dialog_text(&server_of(call)->dialog, call);
}

static void call_done(struct mcp_task *task)
{
    mcp_call_finish(((struct stdio_task *)task)->call);
}

static void fail(struct mcp_call *call, enum err_kind kind, const char *why)
{
    struct err err;

    (void)err_set(&err, kind, "%s", why);
    mcp_call_fail(call, &err);
    mcp_call_finish(call);
}

static void start(struct stdio_task *t)
{
    t->begun = true;
    t->task = (struct mcp_task){.work = call_work, .done = call_done};
    t->call->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (mcp_workers_add(server_of(t->call)->workers, &t->task, false) < 0)
        fail(t->call, ERR_SYSTEM, "no thread could be started for this call; try again later");
}

static void host_begin(struct mcp_call *call, struct session_entry *entry)
{
    struct stdio_task *t = xcalloc(1, sizeof *t);
    AUTO_FREE char *full =
        xasprintf("%d calls wait for this session already; try again later", SESSION_WAITING_MAX);

    t->call = call;
    call->task = t;
    if (!entry)
        start(t);
    else if (session_turn_ask(entry, &t->turn) != TURN_ASKED)
        fail(call, ERR_LIMIT, full);
}

static void stop_work(struct stdio_task *t)
{
    const uint64_t one = 1;

    (void)!write(t->call->cancel_fd, &one, sizeof one);
}

static void host_stop(struct mcp_call *call)
{
    struct stdio_task *t = call->task;

    if (t->turn.entry && !t->begun)
        session_turn_leave(&t->turn);
    else if (!mcp_workers_remove(server_of(call)->workers, &t->task)) {
        stop_work(t);
        return;
    }
    mcp_call_finish(call);
}

static void host_note(const struct mcp_call *call, json_t *message, bool is_progress)
{
    const struct stdio_server *s = server_of(call);
    size_t bytes;

    if (is_progress && mcp_out_waiting(s->out, &bytes) > PROGRESS_WAITING_MAX)
        json_decref(message);
    else
        mcp_dialog_send(&s->dialog, message);
}

static void task_free(struct stdio_task *t)
{
    if (t && t->turn.entry)
        session_turn_over(&t->turn);
    if (t)
        free(t->answer);
    free(t);
}

static void host_over(struct mcp_call *call)
{
    struct stdio_task *t = call->task;

    mcp_dialog_over(&server_of(call)->dialog, call, t ? mem_take(&t->answer) : NULL);
    fd_close(&call->cancel_fd);
    task_free(t);
}

static int host_request(const struct mcp_call *call, struct run_fields *fields,
                        struct request_parts *parts, struct run_request *ret, struct err *err)
{
    if (request_make(fields, call->service->rules, parts, ret, err) < 0)
        return -1;
    ret->pool = server_of(call)->pool;
    return 0;
}

const struct mcp_host stdio_host = {
    .begin = host_begin,
    .stop = host_stop,
    .note = host_note,
    .over = host_over,
    .request = host_request,
};

/* ---- turns and errands of the table ---- */

static void begin_turn(struct session_turn *turn)
{
    struct stdio_task *t = task_of(turn);

    t->call->entry = turn->entry;
    start(t);
}

static void stop_turn(struct session_turn *turn)
{
    stop_work(task_of(turn));
}

static void end_turn(struct session_turn *turn, enum turn_end why)
{
    (void)why; /* turns have no deadline here */
    fail(task_of(turn)->call, ERR_USAGE, "the session was closed");
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

/* Without a thread the loop does it itself. */
static void run_errand(void *ctx, struct errand *errand)
{
    struct stdio_server *s = ctx;
    struct errand_task *task = xcalloc(1, sizeof *task);

    *task =
        (struct errand_task){.task = {.work = errand_work, .done = errand_done}, .errand = errand};
    if (mcp_workers_add(s->workers, &task->task, errand->urgent) == 0)
        return;
    errand_work(&task->task);
    errand_done(&task->task);
}

struct sessions *stdio_sessions(struct stdio_server *s)
{
    return sessions_new(&(struct session_host){
        .begin = begin_turn, .stop = stop_turn, .end = end_turn, .errand = run_errand, .ctx = s});
}
