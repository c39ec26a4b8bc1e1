/* SPDX-License-Identifier: Apache-2.0
 *
 * The daemon as the host of its table of sessions: a turn is a job that waits for its session, and
 * an errand is a job without a client.
 */
#include <stddef.h>

#include "server/metrics.h"
#include "server/session_parts.h"

struct job *session_job_of(struct session_turn *turn)
{
    return (struct job *)(void *)((char *)turn - offsetof(struct job, turn));
}

/* ---- turns ---- */

static void begin_turn(struct session_turn *turn)
{
    struct job *job = session_job_of(turn);

    job->stop = NULL;
    job_submit(job);
}

static void stop_turn(struct session_turn *turn)
{
    struct job *job = session_job_of(turn);

    if (job->end == END_NONE)
        job->end = END_CLOSED;
    job_cancel(job);
}

static void end_turn(struct session_turn *turn, enum turn_end why)
{
    struct job *job = session_job_of(turn);

    job->stop = NULL;
    if (why == TURN_LATE)
        job->end = END_LATE;
    else if (job->end == END_NONE)
        job->end = END_CLOSED;
    if (why == TURN_CLOSED)
        atomic_store(&job->cancelled, true);
    job_over(job);
}

static void stop_waiting(struct job *job)
{
    job->stop = NULL;
    session_turn_leave(&job->turn);
    job_over(job);
}

static void refuse_turn(struct job *job, enum turn_answer why)
{
    struct call *call = job->call;

    metrics_refused(job->server->metrics, REFUSAL_QUEUE);
    job_free(job);
    if (why == TURN_TOO_LARGE)
        call_refuse(call, 503, "Retry-After: 1\r\n", "limit",
                    "too many large requests wait for sessions");
    else
        call_refuse(call, 429, "Retry-After: 1\r\n", "limit",
                    "%d requests wait for this session already", SESSION_WAITING_MAX);
}

enum turn_answer session_job_ask(struct session_entry *e, struct job *job)
{
    job->turn.bytes = job->body.n;
    job->turn.deadline_ms = job->deadline_ms;
    job->stop = stop_waiting;
    return session_turn_ask(e, &job->turn);
}

void session_submit(struct session_entry *e, struct job *job)
{
    enum turn_answer answer = session_job_ask(e, job);

    if (answer != TURN_ASKED)
        refuse_turn(job, answer);
}

/* ---- errands ---- */

static void errand_work(struct job *job)
{
    struct errand *errand = job->own;

    errand->work(errand);
}

static void errand_over(struct job *job)
{
    struct errand *errand = job->own;

    job->own = NULL;
    errand->done(errand);
    job_free(job);
}

static void run_errand(void *ctx, struct errand *errand)
{
    struct job *job = job_bare(ctx, NULL);

    job->own = errand;
    job->work = errand_work;
    job->over = errand_over;
    job->urgent = errand->urgent;
    job_submit(job);
}

/* ---- the table ---- */

struct sessions *server_sessions(struct server *server)
{
    return sessions_new(&(struct session_host){.begin = begin_turn,
                                               .stop = stop_turn,
                                               .end = end_turn,
                                               .errand = run_errand,
                                               .ctx = server});
}

void server_sessions_limit(const struct server *server)
{
    const struct server_settings *set = &server->config->settings;

    sessions_limit(server->sessions,
                   &(struct session_ceilings){.sessions = (size_t)set->sessions,
                                              .memory_bytes = set->guests_memory,
                                              .owners = config_owners(server->config)});
}

const char *session_owner_of(const struct call *call)
{
    return call->operator? NULL : call->owner;
}

struct session_entry *session_of(struct call *call)
{
    struct session_entry *e =
        sessions_find(call->server->sessions, session_owner_of(call), call->id.p);

    if (!e)
        call_refuse(call, 404, NULL, "usage", "there is no session '%.60s'", call->id.p);
    return e;
}

bool session_may_open(struct call *call, const char *owner)
{
    struct err err;
    enum reserve_answer answer = sessions_reserve(call->server->sessions, owner, &err);

    if (answer == RESERVED)
        return true;
    bool memory = answer == RESERVE_NO_MEMORY;
    metrics_refused(call->server->metrics, memory ? REFUSAL_MEMORY : REFUSAL_SESSIONS);
    call_refuse(call, memory ? 503 : 429, "Retry-After: 10\r\n", "limit", "%s", err.msg);
    return false;
}

void session_job_make(struct call *call)
{
    const struct route *route = call->route;
    struct session_entry *e = route->flags & ROUTE_TURN ? session_of(call) : NULL;

    if (route->flags & ROUTE_TURN && !e)
        return;
    struct job *job =
        route->flags & ROUTE_JSON ? job_new(call->server, call) : job_bare(call->server, call);
    if (!job)
        return;
    job->work = route->work;
    if (e)
        session_submit(e, job);
    else
        job_submit(job);
}
