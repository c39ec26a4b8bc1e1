/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "hosting/holding.h"
#include "hosting/share.h"
#include "server/session_parts.h"

enum {
    BUCKETS = 1024,
    WAITING_BYTES_MAX = 256 << 20,
    LOOK_EVERY_MS = 100,
    SURVEY_EVERY_MS = 1000, /* how long a guest may be over a limit between its cells */
};

struct sessions {
    struct server *server;
    struct session_entry *buckets[BUCKETS];
    struct session_totals totals;
    struct holding *holdings; /* what of it each owner has */
    size_t opening, closing;
    size_t waiting_bytes; /* of requests that wait for their session's turn */
    int64_t looked_ms, surveyed_ms;
    bool surveying;
};

/* ---- grounds ---- */

struct session_ground *ground_hold(struct session_ground *ground)
{
    atomic_fetch_add(&ground->references, 1);
    return ground;
}

void ground_drop(struct session_ground *g)
{
    if (!g || atomic_fetch_sub(&g->references, 1) != 1)
        return;
    request_parts_done(&g->parts);
    tool_set_done(&g->tools);
    json_decref(g->doc);
    config_drop(g->config);
    free(g);
}

/* ---- the table ---- */

struct sessions *sessions_new(struct server *server)
{
    struct sessions *s = xcalloc(1, sizeof *s);

    s->server = server;
    return s;
}

void sessions_free(struct sessions *sessions)
{
    if (sessions)
        holdings_free(sessions->holdings);
    free(sessions);
}

static struct session_entry **bucket_of(struct sessions *s, const char *id)
{
    uint32_t hash = 2166136261u;

    for (; *id; id++)
        hash = (hash ^ (unsigned char)*id) * 16777619u;
    return &s->buckets[hash % BUCKETS];
}

struct session_entry *session_add(struct sessions *s, const struct session_new *made)
{
    struct session_entry *e = xcalloc(1, sizeof *e);
    struct session_info info;

    session_info(made->session, &info);
    *e = (struct session_entry){.all = s,
                                .name = made->name,
                                .session = made->session,
                                .ground = made->ground,
                                .idle_ms = made->idle_ms,
                                .used_ms = clock_mono_ms(),
                                .memory_bytes = info.memory_bytes};
    e->end = &e->first;
    memcpy(e->id, info.id, sizeof e->id);
    memcpy(e->owner, made->owner, sizeof e->owner);
    e->holding = holding_of(&s->holdings, e->owner);
    e->holding->sessions++;
    e->holding->memory_bytes += e->memory_bytes;
    struct session_entry **bucket = bucket_of(s, e->id);
    e->next = *bucket;
    *bucket = e;
    s->totals.count++;
    s->totals.memory_bytes += e->memory_bytes;
    *(made->is_fork ? &s->totals.forked : &s->totals.opened) += 1;
    return e;
}

static bool is_callers(const struct session_entry *e, const struct call *call)
{
    return call->operator|| strcmp(e->owner, call->owner) == 0;
}

struct session_entry *session_of(struct call *call)
{
    struct session_entry *e = *bucket_of(call->server->sessions, call->id.p);

    while (e && (strcmp(e->id, call->id.p) != 0 || !is_callers(e, call)))
        e = e->next;
    if (!e)
        call_refuse(call, 404, NULL, "usage", "there is no session '%.60s'", call->id.p);
    return e;
}

struct session_entry **sessions_of(struct call *call, size_t *ret_n)
{
    struct sessions *s = call->server->sessions;
    struct session_entry **list = xcalloc(s->totals.count + 1, sizeof(struct session_entry *));

    *ret_n = 0;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct session_entry *e = s->buckets[i]; e; e = e->next)
            if (is_callers(e, call)) {
                e->holds++;
                list[(*ret_n)++] = e;
            }
    return list;
}

void session_totals(const struct sessions *sessions, struct session_totals *ret)
{
    *ret = sessions->totals;
}

/* ---- ceilings ---- */

static bool refuse_opening(struct call *call, int status, enum refusal_kind why, const char *words)
{
    metrics_refused(call->server->metrics, why);
    call_refuse(call, status, "Retry-After: 10\r\n", "limit", "%s; close one", words);
    return false;
}

bool session_may_open(struct call *call, const char *owner)
{
    struct sessions *s = call->server->sessions;
    const struct server_settings *set = &call->server->config->settings;
    unsigned owners = config_owners(call->server->config);
    struct holding *h = holding_of(&s->holdings, owner);
    size_t all = s->totals.count + s->opening, most = (size_t)set->sessions;
    uint64_t memory = s->totals.memory_bytes;
    char words[160];

    if (!share_allows(h->sessions, 1, all, most, owners)) {
        snprintf(words, sizeof words,
                 all >= most
                     ? "%zu sessions are open, more are not allowed here"
                     : "%zu sessions of this token are open, its share of those allowed here",
                 all >= most ? all : h->sessions);
        return refuse_opening(call, 429, REFUSAL_SESSIONS, words);
    }
    if (!share_allows(h->memory_bytes, 1, memory, set->sessions_memory, owners)) {
        snprintf(words, sizeof words,
                 memory >= set->sessions_memory
                     ? "the open sessions have %llu MiB of memory, all that is allowed here"
                     : "the sessions of this token have %llu MiB of memory, its share here",
                 (unsigned long long)((memory >= set->sessions_memory ? memory : h->memory_bytes) >>
                                      20));
        return refuse_opening(call, 503, REFUSAL_MEMORY, words);
    }
    s->opening++;
    h->sessions++;
    return true;
}

void session_opening_done(struct sessions *s, const char *owner)
{
    s->opening--;
    holding_of(&s->holdings, owner)->sessions--;
}

/* ---- the end of one ---- */

static void close_work(struct job *job)
{
    struct session_entry *e = job->own;

    session_close(e->session);
}

static void close_over(struct job *job)
{
    struct session_entry *e = job->own;

    e->all->closing--;
    ground_drop(e->ground);
    free(e->name);
    job_free(job); /* and e, which is its own */
}

static void close_if_free(struct session_entry *e)
{
    if (!e->closing || e->holds)
        return;
    struct job *job = job_bare(e->all->server, NULL);
    job->own = e;
    job->work = close_work;
    job->over = close_over;
    job->urgent = true;
    job_submit(job);
}

static void close_job(struct job *job)
{
    if (job->end == END_NONE)
        job->end = END_CLOSED;
    job_cancel(job);
}

void session_shut(struct session_entry *e)
{
    struct sessions *s = e->all;
    struct session_entry **place = bucket_of(s, e->id);

    if (e->closing)
        return;
    while (*place != e)
        place = &(*place)->next;
    *place = e->next;
    s->totals.count--;
    s->totals.memory_bytes -= e->memory_bytes;
    e->holding->sessions--;
    e->holding->memory_bytes -= e->memory_bytes;
    s->closing++;
    e->closing = true;
    e->holds++;
    while (e->first)
        close_job(e->first);
    if (e->busy)
        close_job(e->busy);
    session_stop(e->session); /* also where nobody looks at the job's cancel descriptor */
    session_unhold(e);
}

void sessions_close_all(struct sessions *s)
{
    for (size_t i = 0; i < BUCKETS; i++)
        while (s->buckets[i])
            session_shut(s->buckets[i]);
}

bool sessions_any(const struct sessions *s)
{
    return s->totals.count || s->closing || s->opening;
}

/* ---- turns ---- */

static void forget_waiting(struct session_entry *e, struct job *job)
{
    e->waiting--;
    e->all->waiting_bytes -= job->body.n;
    e->holding->waiting_bytes -= job->body.n;
    job->next = NULL;
    job->stop = NULL;
}

static void next_turn(struct session_entry *e)
{
    struct job *job = e->first;

    if (e->busy || !job)
        return;
    e->first = job->next;
    if (!e->first)
        e->end = &e->first;
    forget_waiting(e, job);
    e->busy = job;
    job_submit(job);
}

/* A job that still waited for its turn. */
static void stop_waiting(struct job *job)
{
    struct session_entry *e = job->session;
    struct job **place = &e->first;

    while (*place != job)
        place = &(*place)->next;
    *place = job->next;
    if (e->end == &job->next)
        e->end = place;
    forget_waiting(e, job);
    job_over(job);
}

/* Whether one more may wait; else it is answered. */
static bool may_wait(const struct session_entry *e, struct job *job)
{
    struct call *call = job->call;
    bool few = e->waiting < SESSION_WAITING_MAX;

    if (few && share_allows(e->holding->waiting_bytes, job->body.n, e->all->waiting_bytes,
                            WAITING_BYTES_MAX, config_owners(job->server->config)))
        return true;
    metrics_refused(job->server->metrics, REFUSAL_QUEUE);
    job_free(job);
    if (few)
        call_refuse(call, 503, "Retry-After: 1\r\n", "limit",
                    "too many large requests wait for sessions");
    else
        call_refuse(call, 429, "Retry-After: 1\r\n", "limit",
                    "%d requests wait for this session already", SESSION_WAITING_MAX);
    return false;
}

void session_submit(struct session_entry *e, struct job *job)
{
    if (!may_wait(e, job))
        return;
    e->holds++;
    job->session = e;
    job->stop = stop_waiting;
    *e->end = job;
    e->end = &job->next;
    e->waiting++;
    e->all->waiting_bytes += job->body.n;
    e->holding->waiting_bytes += job->body.n;
    next_turn(e);
}

void session_unhold(struct session_entry *e)
{
    e->holds--;
    e->used_ms = clock_mono_ms();
    close_if_free(e);
}

void session_entry_drop(struct session_entry *e, const struct job *job)
{
    if (e->busy == job) {
        e->busy = NULL;
        next_turn(e);
    }
    session_unhold(e);
}

/* ---- now and then ---- */

struct survey {
    struct session_entry **at;
    uint64_t *memory;
    size_t n;
};

static void survey_work(struct job *job)
{
    struct survey *v = job->own;
    struct session_info info;

    for (size_t i = 0; i < v->n; i++) {
        session_info(v->at[i]->session, &info);
        v->memory[i] = info.memory_bytes;
    }
}

static void survey_over(struct job *job)
{
    struct survey *v = job->own;
    struct sessions *s = job->server->sessions;

    for (size_t i = 0; i < v->n; i++) {
        struct session_entry *e = v->at[i];
        if (!e->closing && !atomic_load(&job->cancelled)) {
            s->totals.memory_bytes += v->memory[i] - e->memory_bytes;
            e->holding->memory_bytes += v->memory[i] - e->memory_bytes;
            e->memory_bytes = v->memory[i];
        }
        int64_t used = e->used_ms;
        session_unhold(e);
        if (!e->closing)
            e->used_ms = used; /* looking is no use */
    }
    s->surveying = false;
    free(v->at);
    free(v->memory);
    job_free(job);
}

static void survey(struct sessions *s)
{
    struct call everybody = {.server = s->server, .operator= true };
    struct survey *v = xcalloc(1, sizeof *v);

    v->at = sessions_of(&everybody, &v->n);
    v->memory = xcalloc(v->n + 1, sizeof *v->memory);
    struct job *job = job_bare(s->server, NULL);
    job->own = v;
    job->work = survey_work;
    job->over = survey_over;
    s->surveying = true;
    job_submit(job);
}

static void end_late(struct session_entry *e, int64_t now)
{
    for (struct job *job = e->first, *next; job; job = next) {
        next = job->next;
        if (!job->deadline_ms || now < job->deadline_ms)
            continue;
        job->end = END_LATE;
        stop_waiting(job);
    }
}

void sessions_tick(struct sessions *s, int64_t now)
{
    if (now < s->looked_ms + LOOK_EVERY_MS)
        return;
    s->looked_ms = now;
    for (size_t i = 0; i < BUCKETS && s->totals.count; i++)
        for (struct session_entry *e = s->buckets[i], *next; e; e = next) {
            next = e->next;
            end_late(e, now);
            if (e->holds || now < e->used_ms + e->idle_ms)
                continue;
            s->totals.expired++;
            session_shut(e);
        }
    if (s->totals.count && !s->surveying && now > s->surveyed_ms + SURVEY_EVERY_MS) {
        s->surveyed_ms = now;
        survey(s);
    }
}
