/* SPDX-License-Identifier: Apache-2.0
 *
 * The daemon as a host of the Model Context Protocol: each call is a job without an exchange.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "routes/handle_parts.h"
#include "routes/routes.h"
#include "server/job.h"
#include "server/mcp_post.h"
#include "server/session_parts.h"

enum { MESSAGE_MAX = 64 << 20 };

static struct server *server_of(const struct mcp_call *call)
{
    return ((struct mcp_hub *)call->client->ctx)->server;
}

/* ---- work ---- */

static void call_work(struct job *job)
{
    struct mcp_call *call = job->own;

    call->cancel_fd = job->cancel_fd;
    call->entry = job->turn.entry;
    if (call->cancelled)
        return;
    call->work(call);
    job_answer(job, 200, rpc_text(mcp_call_answer(call), MESSAGE_MAX));
}

static void fail_call(struct mcp_call *call, const char *why)
{
    struct err err;

    (void)err_set(&err, ERR_LIMIT, "%s", why);
    mcp_call_fail(call, &err);
}

/* The job may have ended without doing its work: its session was closed, or the daemon stops. */
static void call_over(struct job *job)
{
    struct mcp_call *call = job->own;
    struct err err = {.msg = "the daemon is stopping"};

    if (!job->status && !call->cancelled) {
        job_end_words(job, &err);
        fail_call(call, err.msg);
    }
    mcp_call_finish(call);
}

/* For a job whose call is freed by mcp/. */
static void keep_call(struct job *job)
{
    (void)job;
}

static struct job *job_of(struct mcp_call *call)
{
    struct job *job = job_bare(server_of(call), NULL);

    job->rules = call->service->rules;
    snprintf(job->owner, sizeof job->owner, "%s", call->client->owner);
    job->own = call;
    job->release = keep_call;
    job->work = call_work;
    job->over = call_over;
    return job;
}

static const char *mcp_calls_begin(struct job *job, struct session_entry *entry)
{
    int status;
    const char *why = entry ? NULL : job_no_room(job, &status);

    if (entry && session_job_ask(entry, job) != TURN_ASKED)
        return "too many calls wait for this session already; try again later";
    if (!entry && !why)
        job_submit(job);
    return why;
}

static void host_begin(struct mcp_call *call, struct session_entry *entry)
{
    struct job *job = job_of(call);

    call->task = job;
    const char *why = mcp_calls_begin(job, entry);
    if (!why)
        return;
    metrics_refused(job->server->metrics, REFUSAL_QUEUE);
    fail_call(call, why);
    mcp_call_finish(call);
}

static void host_stop(struct mcp_call *call)
{
    job_cancel(call->task);
}

/* ---- messages ---- */

struct note {
    struct mail mail; /* first */
    const struct mcp_call *call;
    char *text;
    bool is_progress;
};

/* The call still exists: the mail about its end comes after this one. */
static void deliver_note(struct mail *mail)
{
    struct note *note = (struct note *)mail;

    if (!note->call->cancelled)
        mcp_post_note(note->call->ctx, str_from(note->text), note->is_progress);
    free(note->text);
    free(note);
}

static void host_note(const struct mcp_call *call, json_t *message, bool is_progress)
{
    struct note *note = xmalloc(sizeof *note);

    *note = (struct note){.mail = {.deliver = deliver_note},
                          .call = call,
                          .text = rpc_text(message, MESSAGE_MAX),
                          .is_progress = is_progress};
    mailbox_post(server_of(call)->mailbox, &note->mail);
}

static void host_over(struct mcp_call *call)
{
    struct job *job = call->task;
    struct mcp_post *post = call->ctx;

    if (!call->cancelled) {
        const char *ready = job ? job->answer : NULL;
        AUTO_FREE char *made = ready ? NULL : rpc_text(mcp_call_answer(call), MESSAGE_MAX);
        mcp_post_answer(post, str_from(ready ? ready : made));
    }
    mcp_post_settle(post);
    if (job)
        job_free(job);
}

/* ---- requests of tools ---- */

static int host_request(const struct mcp_call *call, struct settings *ask,
                        struct request_parts *parts, struct run_request *ret, struct err *err)
{
    return request_serve(call->task, ask, parts, ret, err);
}

static void host_ran(const struct mcp_call *call, const struct result *result, int64_t took_us)
{
    struct job *job = call->task;

    figures_of(result, call->entry ? FIGURES_CELL : FIGURES_RUN, took_us, job_figures(job));
}

static void *hold_settings(const struct mcp_call *call)
{
    const struct job *job = call->task;

    return config_hold(job->config);
}

static void drop_settings(void *settings)
{
    config_drop(settings);
}

const struct mcp_host mcp_daemon_host = {
    .begin = host_begin,
    .stop = host_stop,
    .note = host_note,
    .over = host_over,
    .request = host_request,
    .ran = host_ran,
    .hold_settings = hold_settings,
    .drop_settings = drop_settings,
};
