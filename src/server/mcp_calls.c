/* SPDX-License-Identifier: Apache-2.0
 *
 * The daemon as a host of the Model Context Protocol: a call is a job without an exchange.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "server/handle_parts.h"
#include "server/mcp_calls.h"
#include "server/mcp_post.h"
#include "server/session_parts.h"

static struct server *server_of(const struct mcp_call *call)
{
    return ((struct mcp_hub *)call->client->ctx)->server;
}

/* ---- work ---- */

struct mcp_call *mcp_calls_enter(struct job *job)
{
    struct mcp_call *call = job->own;

    call->cancel_fd = job->cancel_fd;
    call->entry = job->turn.entry;
    return call->cancelled ? NULL : call;
}

static void call_work(struct job *job)
{
    struct mcp_call *call = mcp_calls_enter(job);

    if (!call)
        return;
    call->work(call);
    job_answer(job, 200, rpc_text(mcp_call_answer(call), MCP_MESSAGE_MAX));
}

void mcp_calls_fail(struct mcp_call *call, const char *why)
{
    struct err err;

    (void)err_set(&err, ERR_LIMIT, "%s", why);
    mcp_call_fail(call, &err);
}

/* The job may have ended without its work: its session was closed, or the daemon stops. */
static void call_over(struct job *job)
{
    struct mcp_call *call = job->own;
    struct err err = {.msg = "the daemon is stopping"};

    if (!job->status && !call->cancelled) {
        job_end_words(job, &err);
        mcp_calls_fail(call, err.msg);
    }
    mcp_call_finish(call);
}

/* The call is freed by the protocol. */
static void keep_call(struct job *job)
{
    (void)job;
}

static struct job *job_of(struct mcp_call *call, void (*work)(struct job *job))
{
    struct job *job = job_bare(server_of(call), NULL);

    job->rules = call->service->rules;
    snprintf(job->owner, sizeof job->owner, "%s", call->client->owner);
    job->own = call;
    job->release = keep_call;
    job->work = work;
    job->over = call_over;
    return job;
}

static const char *begin(struct job *job, struct session_entry *entry)
{
    int status;
    const char *why = entry ? NULL : job_no_room(job, &status);

    if (entry && session_job_ask(entry, job) != TURN_ASKED)
        return "too many calls wait for this session already; try again later";
    if (!entry && !why)
        job_submit(job);
    return why;
}

void mcp_calls_begin(struct mcp_call *call, struct session_entry *entry,
                     void (*work)(struct job *job))
{
    struct job *job = job_of(call, work);

    call->task = job;
    const char *why = begin(job, entry);
    if (!why)
        return;
    metrics_refused(job->server->metrics, REFUSAL_QUEUE);
    mcp_calls_fail(call, why);
    mcp_call_finish(call);
}

static void host_begin(struct mcp_call *call, struct session_entry *entry)
{
    mcp_calls_begin(call, entry, call_work);
}

void mcp_calls_stop(struct mcp_call *call)
{
    job_cancel(call->task);
}

/* ---- messages ---- */

struct note {
    struct mail mail; /* first */
    const struct mcp_call *call;
    mcp_pass *pass;
    char *text;
    bool is_progress;
};

/* The call is still there: its job's own mail comes after this one. */
static void deliver_note(struct mail *mail)
{
    struct note *note = (struct note *)mail;

    if (!note->call->cancelled)
        note->pass(note->call, str_from(note->text), note->is_progress);
    free(note->text);
    free(note);
}

void mcp_calls_note(const struct mcp_call *call, json_t *message, bool is_progress, mcp_pass *pass)
{
    struct note *note = xmalloc(sizeof *note);

    *note = (struct note){.mail = {.deliver = deliver_note},
                          .call = call,
                          .pass = pass,
                          .text = rpc_text(message, MCP_MESSAGE_MAX),
                          .is_progress = is_progress};
    mailbox_post(server_of(call)->mailbox, &note->mail);
}

static void pass_to_post(const struct mcp_call *call, struct str text, bool is_progress)
{
    mcp_post_note(call->ctx, text, is_progress);
}

static void host_note(const struct mcp_call *call, json_t *message, bool is_progress)
{
    mcp_calls_note(call, message, is_progress, pass_to_post);
}

static void host_over(struct mcp_call *call)
{
    struct job *job = call->task;
    struct mcp_post *post = call->ctx;

    if (!call->cancelled) {
        const char *ready = job ? job->answer : NULL;
        AUTO_FREE char *made = ready ? NULL : rpc_text(mcp_call_answer(call), MCP_MESSAGE_MAX);
        mcp_post_answer(post, str_from(ready ? ready : made));
    }
    mcp_post_settle(post);
    if (job)
        job_free(job);
}

/* ---- requests of tools ---- */

int mcp_calls_request(const struct mcp_call *call, struct run_fields *fields,
                      struct request_parts *parts, struct run_request *ret, struct err *err)
{
    return request_serve(call->task, fields, parts, ret, err);
}

void mcp_calls_ran(const struct mcp_call *call, const struct result *result, int64_t took_us)
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
    .stop = mcp_calls_stop,
    .note = host_note,
    .over = host_over,
    .request = mcp_calls_request,
    .ran = mcp_calls_ran,
    .hold_settings = hold_settings,
    .drop_settings = drop_settings,
};
