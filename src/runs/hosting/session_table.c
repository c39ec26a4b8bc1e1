/* SPDX-License-Identifier: Apache-2.0 */
#include "hosting/session_table.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "hosting/share.h"

enum {
    BUCKETS = 1024,
    WAITING_BYTES_MAX = 256 << 20,
    LOOK_EVERY_MS = 100,
    SURVEY_EVERY_MS = 1000, /* how long a guest may exceed a limit between its cells */
};

/* One owner's share of the table. */
struct holding {
    struct holding *next;
    char owner[TOKEN_NAME];
    size_t sessions; /* open, or being opened */
    uint64_t memory_bytes;
    size_t waiting_bytes; /* of requests that wait for the turn of their session */
};

struct sessions {
    struct session_host host;
    struct session_ceilings ceilings;
    struct session_entry *buckets[BUCKETS];
    struct session_totals totals;
    struct holding *holdings; /* the shares of the owners */
    size_t opening, closing;
    size_t waiting_bytes; /* of requests that wait for the turn of their session */
    int64_t looked_ms, surveyed_ms;
    bool surveying;
};

/* ---- the table ---- */

/* Returns the owner's holding, which the first call makes. It stays until sessions_free. */
static struct holding *holding_of(struct holding **all, const char *owner)
{
    struct holding *h = *all;

    while (h && strcmp(h->owner, owner) != 0)
        h = h->next;
    if (h)
        return h;
    h = xcalloc(1, sizeof *h);
    snprintf(h->owner, sizeof h->owner, "%s", owner);
    h->next = *all;
    *all = h;
    return h;
}

struct sessions *sessions_new(const struct session_host *host)
{
    struct sessions *s = xcalloc(1, sizeof *s);

    s->host = *host;
    return s;
}

void sessions_free(struct sessions *sessions)
{
    struct holding *next, *h = sessions ? sessions->holdings : NULL;

    for (; h; h = next) {
        next = h->next;
        free(h);
    }
    free(sessions);
}

void sessions_limit(struct sessions *sessions, const struct session_ceilings *ceilings)
{
    sessions->ceilings = *ceilings;
}

static struct session_entry **bucket_of(struct sessions *s, const char *id)
{
    uint32_t hash = 2166136261u;

    for (; *id; id++)
        hash = (hash ^ (unsigned char)*id) * 16777619u;
    return &s->buckets[hash % BUCKETS];
}

static void close_work(struct errand *errand);
static void close_done(struct errand *errand);

struct session_entry *sessions_add(struct sessions *s, const struct session_new *made)
{
    struct session_entry *e = xcalloc(1, sizeof *e);

    *e = (struct session_entry){.all = s,
                                .name = made->name,
                                .session = made->session,
                                .opening = made->opening,
                                .idle_ms = made->idle_ms,
                                .used_ms = clock_mono_ms(),
                                .memory_bytes = made->info->memory_bytes,
                                .close = {close_work, close_done, true}};
    e->end = &e->first;
    memcpy(e->id, made->info->id, sizeof e->id);
    snprintf(e->owner, sizeof e->owner, "%s", made->owner);
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

static bool is_owners(const struct session_entry *e, const char *owner)
{
    return !owner || strcmp(e->owner, owner) == 0;
}

struct session_entry *sessions_find(struct sessions *s, const char *owner, const char *id)
{
    struct session_entry *e = *bucket_of(s, id);

    while (e && (strcmp(e->id, id) != 0 || !is_owners(e, owner)))
        e = e->next;
    return e;
}

bool sessions_have_name(const struct sessions *s, const char *owner, const char *name)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct session_entry *e = s->buckets[i]; e; e = e->next)
            if (e->name && is_owners(e, owner) && strcmp(e->name, name) == 0)
                return true;
    return false;
}

struct session_entry **sessions_list(struct sessions *s, const char *owner, size_t *ret_n)
{
    struct session_entry **list = xcalloc(s->totals.count + 1, sizeof(struct session_entry *));

    *ret_n = 0;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct session_entry *e = s->buckets[i]; e; e = e->next)
            if (is_owners(e, owner)) {
                session_entry_hold(e);
                list[(*ret_n)++] = e;
            }
    return list;
}

void sessions_totals(const struct sessions *sessions, struct session_totals *ret)
{
    *ret = sessions->totals;
}

/* ---- ceilings ---- */

static enum reserve_answer refuse_session(const struct sessions *s, const struct holding *h,
                                          struct err *err)
{
    size_t all = s->totals.count + s->opening;

    if (all >= s->ceilings.sessions)
        err_set(err, ERR_LIMIT, "%zu sessions are open, the maximum; close one", all);
    else
        err_set(err, ERR_LIMIT,
                "%zu sessions of this token are open, its share of the daemon's limit; close one",
                h->sessions);
    return RESERVE_TOO_MANY;
}

static enum reserve_answer refuse_memory(const struct sessions *s, const struct holding *h,
                                         struct err *err)
{
    uint64_t all = s->totals.memory_bytes;
    bool full = all >= s->ceilings.memory_bytes;

    if (full)
        err_set(err, ERR_LIMIT, "the open sessions use %llu MiB of memory, the maximum; close one",
                (unsigned long long)(all >> 20));
    else
        err_set(err, ERR_LIMIT,
                "the sessions of this token use %llu MiB of memory, its share of the daemon's "
                "limit; close one",
                (unsigned long long)(h->memory_bytes >> 20));
    return RESERVE_NO_MEMORY;
}

enum reserve_answer sessions_reserve(struct sessions *s, const char *owner, struct err *err)
{
    const struct session_ceilings *most = &s->ceilings;
    struct holding *h = holding_of(&s->holdings, owner);

    if (!share_allows(h->sessions, 1, s->totals.count + s->opening, most->sessions, most->owners))
        return refuse_session(s, h, err);
    if (!share_allows(h->memory_bytes, 1, s->totals.memory_bytes, most->memory_bytes, most->owners))
        return refuse_memory(s, h, err);
    s->opening++;
    h->sessions++;
    return RESERVED;
}

void sessions_unreserve(struct sessions *s, const char *owner)
{
    s->opening--;
    holding_of(&s->holdings, owner)->sessions--;
}

/* ---- the end of a session ---- */

static struct session_entry *entry_of(struct errand *errand)
{
    return (struct session_entry *)(void *)((char *)errand - offsetof(struct session_entry, close));
}

static void close_work(struct errand *errand)
{
    session_close(entry_of(errand)->session);
}

static void close_done(struct errand *errand)
{
    struct session_entry *e = entry_of(errand);

    e->all->closing--;
    session_opening_drop(e->opening);
    free(e->name);
    free(e);
}

void session_entry_hold(struct session_entry *entry)
{
    entry->holds++;
}

void session_entry_looked(struct session_entry *e)
{
    const struct session_host *host = &e->all->host;

    e->holds--;
    if (e->closing && !e->holds)
        host->errand(host->ctx, &e->close);
}

static void session_entry_drop(struct session_entry *e)
{
    e->used_ms = clock_mono_ms();
    session_entry_looked(e);
}

void session_entry_shut(struct session_entry *e)
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
    session_entry_hold(e);
    for (struct session_turn *turn; (turn = e->first);) {
        session_turn_leave(turn);
        s->host.end(turn, TURN_CLOSED);
    }
    if (e->busy)
        s->host.stop(e->busy);
    session_stop(e->session); /* needed if no thread polls the cancel descriptor of the turn */
    session_entry_drop(e);
}

void sessions_close_all(struct sessions *s)
{
    for (size_t i = 0; i < BUCKETS; i++)
        while (s->buckets[i])
            session_entry_shut(s->buckets[i]);
}

bool sessions_any(const struct sessions *s)
{
    return s->totals.count || s->closing || s->opening;
}

/* ---- turns ---- */

static void count_waiting(struct session_entry *e, size_t bytes)
{
    e->waiting++;
    e->all->waiting_bytes += bytes;
    e->holding->waiting_bytes += bytes;
}

static void uncount_waiting(struct session_entry *e, size_t bytes)
{
    e->waiting--;
    e->all->waiting_bytes -= bytes;
    e->holding->waiting_bytes -= bytes;
}

void session_turn_leave(struct session_turn *turn)
{
    struct session_entry *e = turn->entry;
    struct session_turn **place = &e->first;

    while (*place != turn)
        place = &(*place)->next;
    *place = turn->next;
    if (e->end == &turn->next)
        e->end = place;
    turn->next = NULL;
    uncount_waiting(e, turn->bytes);
}

static void next_turn(struct session_entry *e)
{
    struct session_turn *turn = e->first;

    if (e->busy || !turn)
        return;
    session_turn_leave(turn);
    e->busy = turn;
    e->all->host.begin(turn);
}

enum turn_answer session_turn_ask(struct session_entry *e, struct session_turn *turn)
{
    struct sessions *s = e->all;

    if (e->waiting >= SESSION_WAITING_MAX)
        return TURN_TOO_MANY;
    if (!share_allows(e->holding->waiting_bytes, turn->bytes, s->waiting_bytes, WAITING_BYTES_MAX,
                      s->ceilings.owners))
        return TURN_TOO_LARGE;
    session_entry_hold(e);
    turn->entry = e;
    turn->next = NULL;
    *e->end = turn;
    e->end = &turn->next;
    count_waiting(e, turn->bytes);
    next_turn(e);
    return TURN_ASKED;
}

void session_turn_over(struct session_turn *turn)
{
    struct session_entry *e = turn->entry;

    turn->entry = NULL;
    if (e->busy == turn) {
        e->busy = NULL;
        next_turn(e);
    }
    session_entry_drop(e);
}

/* ---- periodic work ---- */

struct survey {
    struct errand errand; /* must be first */
    struct sessions *of;
    struct session_entry **at;
    uint64_t *memory;
    size_t n;
    bool made;
};

static void survey_work(struct errand *errand)
{
    struct survey *v = (struct survey *)errand;
    int64_t until_ms = clock_mono_ms() + SESSION_ENDS_MS;
    struct session_info info;

    for (size_t i = 0; i < v->n; i++) {
        session_info_until(v->at[i]->session, until_ms, &info);
        v->memory[i] = info.memory_bytes;
    }
    v->made = true;
}

static void note_memory(struct session_entry *e, uint64_t memory)
{
    e->all->totals.memory_bytes += memory - e->memory_bytes;
    e->holding->memory_bytes += memory - e->memory_bytes;
    e->memory_bytes = memory;
}

static void survey_done(struct errand *errand)
{
    struct survey *v = (struct survey *)errand;

    for (size_t i = 0; i < v->n; i++) {
        if (v->made && !v->at[i]->closing)
            note_memory(v->at[i], v->memory[i]);
        session_entry_looked(v->at[i]);
    }
    v->of->surveying = false;
    free(v->at);
    free(v->memory);
    free(v);
}

static void survey(struct sessions *s)
{
    struct survey *v = xcalloc(1, sizeof *v);

    *v = (struct survey){.errand = {survey_work, survey_done, false}, .of = s};
    v->at = sessions_list(s, NULL, &v->n);
    v->memory = xcalloc(v->n + 1, sizeof *v->memory);
    s->surveying = true;
    s->host.errand(s->host.ctx, &v->errand);
}

static void end_late(struct session_entry *e, int64_t now)
{
    for (struct session_turn *turn = e->first, *next; turn; turn = next) {
        next = turn->next;
        if (!turn->deadline_ms || now < turn->deadline_ms)
            continue;
        session_turn_leave(turn);
        e->all->host.end(turn, TURN_LATE);
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
            session_entry_shut(e);
        }
    if (s->totals.count && !s->surveying && now > s->surveyed_ms + SURVEY_EVERY_MS) {
        s->surveyed_ms = now;
        survey(s);
    }
}
