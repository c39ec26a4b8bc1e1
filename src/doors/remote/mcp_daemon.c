/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides which of the client's lines may be sent to the daemon now, and which are cancelled.
 */
#include "remote/mcp_daemon.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "formats/json_get.h"
#include "mcp/mcp.h"
#include "remote/mcp_daemon_parts.h"

enum { REQUESTS_MAX = 1000, BYTES_MAX = 256 << 20 /* bytes of the requests' lines */ };

/* ---- a request ---- */

/* Returns the session of a call that must take its turn. close_session waits for no other call. */
static struct str session_of(const struct rpc_message *m)
{
    const json_t *id = json_object_get(json_object_get(m->params, "arguments"), "session_id");

    return m->method && strcmp(m->method, "tools/call") == 0 &&
                   !str_is(json_str(json_object_get(m->params, "name")), "close_session")
               ? json_str(id)
               : (struct str){0};
}

static void add_id(json_t *ids, json_t *doc)
{
    if (json_object_get(doc, "method") && json_object_get(doc, "id"))
        json_array_append(ids, json_object_get(doc, "id"));
}

static struct mcp_request *request_new(struct mcp_relay *r, const struct rpc_message *m,
                                       struct str line)
{
    struct mcp_request *q = xcalloc(1, sizeof *q);
    json_t *doc;
    size_t i;

    *q = (struct mcp_request){.relay = r,
                              .message = *m,
                              .ids = json_array(),
                              .modern = m->method && mcp_is_modern(m),
                              .text = xstrndup(line.p, line.n),
                              .n = line.n,
                              .session = session_of(m),
                              .cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    json_incref(m->doc);
    add_id(q->ids, m->doc);
    json_array_foreach(m->doc, i, doc) add_id(q->ids, doc);
    return q;
}

static void request_free(struct mcp_request *q)
{
    fd_close(&q->cancel_fd);
    json_decref(q->message.doc);
    json_decref(q->ids);
    free(q->text);
    free(q);
}

static struct mcp_request *mcp_daemon_find(const struct mcp_relay *r, const json_t *id)
{
    struct mcp_request *q = r->first;

    while (q && (q->message.kind != RPC_REQUEST || q->answered || !json_equal(q->message.id, id)))
        q = q->next;
    return q;
}

/* ---- the work of a request ---- */

static void start_next(struct mcp_relay *r, struct str session);

static void mcp_daemon_work(struct mcp_task *task)
{
    struct mcp_request *q = (struct mcp_request *)task;

    mcp_pipe_wait(&q->relay->pipe, &q->cancelled);
    if (!q->cancelled)
        mcp_request_ask(q);
}

static void mcp_daemon_take_out(struct mcp_request *q)
{
    struct mcp_request **at = &q->relay->first;

    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    q->relay->count--;
    q->relay->bytes -= q->n;
}

static void done(struct mcp_task *task)
{
    struct mcp_request *q = (struct mcp_request *)task;
    struct rpc_problem problem;

    if (q->stopped && !q->answered && q->message.kind == RPC_REQUEST) {
        (void)rpc_problem_set(&problem, RPC_INTERNAL, "%s", MCP_STOPPED);
        mcp_request_refuse(q, &problem);
    }
    mcp_daemon_take_out(q);
    if (q->session.p)
        start_next(q->relay, q->session);
    request_free(q);
}

static void mcp_daemon_start(struct mcp_request *q)
{
    struct rpc_problem problem;

    q->begun = true;
    q->task = (struct mcp_task){.work = mcp_daemon_work, .done = done};
    if (mcp_workers_add(q->relay->pipe.workers, &q->task, false) == 0)
        return;
    (void)rpc_problem_set(&problem, RPC_INTERNAL,
                          "no thread could be started for this call; try again later");
    mcp_request_refuse(q, &problem);
    done(&q->task);
}

/* Starts the session's first request, unless it runs already. */
static void start_next(struct mcp_relay *r, struct str session)
{
    struct mcp_request *q = r->first;

    while (q && !(q->session.p && str_eq(q->session, session)))
        q = q->next;
    if (q && !q->begun)
        mcp_daemon_start(q);
}

static void mcp_daemon_add(struct mcp_request *q)
{
    struct mcp_request **end = &q->relay->first;

    while (*end)
        end = &(*end)->next;
    *end = q;
    q->relay->count++;
    q->relay->bytes += q->n;
    if (q->session.p)
        start_next(q->relay, q->session);
    else
        mcp_daemon_start(q);
}

/* Cancels a request, which gets no answer. The daemon notices that the connection is closed. */
static void cancel(struct mcp_request *q)
{
    const uint64_t one = 1;

    q->cancelled = true;
    if (!q->begun || mcp_workers_remove(q->relay->pipe.workers, &q->task))
        done(&q->task);
    else
        (void)!write(q->cancel_fd, &one, sizeof one);
}

/* ---- the client's lines ---- */

static int check_room(const struct mcp_relay *r, const struct mcp_request *q,
                      struct rpc_problem *problem)
{
    const struct rpc_message *m = &q->message;

    if (m->kind == RPC_REQUEST && m->id && mcp_daemon_find(r, m->id))
        return rpc_problem_set(problem, RPC_INVALID,
                               "an earlier request with this id is not answered yet");
    if (r->count >= REQUESTS_MAX)
        return rpc_problem_set(problem, RPC_INTERNAL, "%d requests are being answered already",
                               REQUESTS_MAX);
    if (q->cancel_fd < 0)
        return rpc_problem_set(problem, RPC_INTERNAL,
                               "there are too few descriptors for this call; try again later");
    return r->bytes + q->n <= BYTES_MAX ? 0
                                        : rpc_problem_set(problem, RPC_INTERNAL,
                                                          "too many long messages at once; send it "
                                                          "again later");
}

static void mcp_daemon_take(struct mcp_relay *r, const struct rpc_message *m, struct str line)
{
    struct mcp_request *q = request_new(r, m, line);
    struct rpc_problem problem;
    bool begins = m->method && strcmp(m->method, "initialize") == 0 && !q->modern;

    if (check_room(r, q, &problem) == 0 && !begins) {
        mcp_daemon_add(q);
        return;
    }
    if (begins)
        mcp_request_begin(q);
    else
        mcp_request_refuse(q, &problem);
    request_free(q);
}

/* Cancels the request that the message names. True if the daemon must receive the message, too; it
 * need not if the request was not sent yet, or has no conversation. */
static bool cancel_named(const struct mcp_relay *r, const struct rpc_message *m)
{
    struct mcp_request *named = mcp_daemon_find(r, json_object_get(m->params, "requestId"));
    bool tell = !named || (named->begun && !named->modern);

    if (named)
        cancel(named);
    return tell;
}

/* Notifications, and the client's own answers, belong to a conversation. */
static void take_other(struct mcp_relay *r, const struct rpc_message *m, struct str line)
{
    bool cancels = m->method && strcmp(m->method, "notifications/cancelled") == 0;

    if ((!cancels || cancel_named(r, m)) && r->in_conversation)
        mcp_daemon_take(r, m, line);
}

static void mcp_daemon_on_line(void *ctx, struct str line)
{
    struct mcp_relay *r = ctx;
    struct rpc_problem problem;
    struct rpc_message m;
    json_t *error, *doc = rpc_parse_line(line, &error);

    if (json_is_array(doc)) {
        m = (struct rpc_message){.kind = RPC_REQUEST, .doc = doc};
        mcp_daemon_take(r, &m, line);
    } else if (doc && rpc_read(doc, &m, &problem) < 0) {
        error = rpc_error(m.id, &problem);
    } else if (doc) {
        (m.kind == RPC_REQUEST ? mcp_daemon_take : take_other)(r, &m, line);
    }
    if (error)
        mcp_pipe_send(&r->pipe, rpc_text(error, SIZE_MAX));
    json_decref(doc);
}

static bool is_busy(void *ctx)
{
    return ((const struct mcp_relay *)ctx)->first;
}

static void mcp_daemon_stop(void *ctx)
{
    struct mcp_relay *r = ctx;
    struct mcp_request *q;

    do {
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): a freed one has left the list */
        for (q = r->first; q && q->cancelled; q = q->next)
            ;
        if (q) {
            q->stopped = true;
            cancel(q);
        }
    } while (q);
}

/* ---- life ---- */

int mcp_daemon_serve(const struct cli_settings *settings, size_t message_max, int quit_fd,
                     struct err *err)
{
    static const struct mcp_pipe_owner owner = {
        .line = mcp_daemon_on_line, .is_busy = is_busy, .stop = mcp_daemon_stop};
    struct mcp_relay r = {.settings = settings, .message_max = message_max};

    r.pipe = (struct mcp_pipe){.owner = &owner,
                               .ctx = &r,
                               .in_fd = STDIN_FILENO,
                               .out_fd = STDOUT_FILENO,
                               .quit_fd = quit_fd};
    if (mcp_relay_look(&r, err) < 0)
        return strstr(err->msg, settings->daemon) ? -1
                                                  : err_wrap(err, "--daemon %s", settings->daemon);
    pthread_mutex_init(&r.lock, NULL);
    int status = mcp_pipe_open(&r.pipe, err);
    if (status == 0)
        mcp_pipe_run(&r.pipe);
    mcp_relay_end(&r);
    mcp_pipe_close(&r.pipe);
    pthread_mutex_destroy(&r.lock);
    free(r.hello);
    free(r.complaint);
    return status;
}
