/* SPDX-License-Identifier: Apache-2.0
 *
 * The open sessions of several owners: whose they are, when they were used, how many there may be.
 *
 * Theory. The table belongs to one thread and never waits. Its host (struct session_host) is the
 * program around it. Whatever may take long is an errand, which the host does in another thread:
 * to close a session, to look at the memory of all. Requests about one session take turns: one of
 * them has the session, the others wait here in their order. So a session whose cell takes long
 * does not take workers from others.
 *
 * An entry is freed when it has left the table and nothing holds it: no turn, no list, no errand.
 */
#ifndef HOSTING_SESSION_TABLE_H
#define HOSTING_SESSION_TABLE_H

#include "hosting/session_ground.h"
#include "hosting/tokens.h"
#include "session/session.h"

enum { SESSION_NAME_MAX = 200, SESSION_WAITING_MAX = 64 };

struct sessions;
struct session_entry;

/* ---- what the host does ---- */

/* A request that has a session or waits for it: a part of the host's own structure. */
struct session_turn {
    struct session_turn *next;
    struct session_entry *entry; /* held from session_turn_ask to session_turn_over, else NULL */
    size_t bytes;                /* of the request, as long as it waits */
    int64_t deadline_ms; /* of clock_mono_ms: when it need not begin any more; 0 for never */
};

enum turn_end { TURN_LATE, TURN_CLOSED };

struct errand {
    void (*work)(struct errand *errand); /* in any thread */
    void (*done)(
        struct errand *errand); /* then in the table's thread; the errand may be gone then */
    bool urgent; /* it frees something; others the host may also end by `done` alone */
};

/* All are called in the table's thread. Only `begin` and `errand` may call back at once. */
struct session_host {
    void (*begin)(struct session_turn *turn); /* the turn has come */
    void (*stop)(struct session_turn *turn);  /* it has its session, which is being closed */
    /* It waited, and waits no more. session_turn_over has to follow. */
    void (*end)(struct session_turn *turn, enum turn_end why);
    void (*errand)(void *ctx, struct errand *errand);
    void *ctx;
};

/* ---- the table ---- */

struct sessions *sessions_new(const struct session_host *host);
/* When none is open any more. */
void sessions_free(struct sessions *sessions);

struct session_ceilings {
    size_t sessions;
    uint64_t memory_bytes;
    unsigned owners; /* that share both (hosting/share.h) */
};
void sessions_limit(struct sessions *sessions, const struct session_ceilings *ceilings);

/* Closes all, without waiting for it; sessions_any tells when it is done. */
void sessions_close_all(struct sessions *sessions);
bool sessions_any(const struct sessions *sessions);
/* Closes those that nobody used for long; ends turns that wait too long; looks at the memory. */
void sessions_tick(struct sessions *sessions, int64_t now_ms);

struct session_totals {
    size_t count;
    uint64_t memory_bytes; /* as of the last look */
    uint64_t opened, forked, expired;
};
void sessions_totals(const struct sessions *sessions, struct session_totals *ret);

/* Room for one session more of this owner, until sessions_unreserve. */
enum reserve_answer { RESERVED, RESERVE_TOO_MANY, RESERVE_NO_MEMORY };
enum reserve_answer sessions_reserve(struct sessions *sessions, const char *owner, struct err *err);
void sessions_unreserve(struct sessions *sessions, const char *owner);

struct session_new {
    struct session *session; /* taken over, like the next two */
    struct session_ground *ground;
    char *name; /* or NULL */
    const struct session_info *info;
    const char *owner;
    int64_t idle_ms;
    bool is_fork;
};
struct session_entry *sessions_add(struct sessions *sessions, const struct session_new *made);
/* The owner NULL stands for all. NULL: there is none. */
struct session_entry *sessions_find(struct sessions *sessions, const char *owner, const char *id);
/* All of the owner's, held; the array is the caller's to free. */
struct session_entry **sessions_list(struct sessions *sessions, const char *owner, size_t *ret_n);

/* ---- one session ---- */

struct session_entry {
    struct sessions *all;
    struct session_entry *next; /* of the same bucket */
    char id[RESULT_ID];
    char *name; /* or NULL */
    char owner[TOKEN_NAME];
    struct holding *holding; /* of that owner */
    struct session *session;
    struct session_ground *ground;
    int64_t idle_ms, used_ms;
    uint64_t memory_bytes;
    unsigned holds;
    struct session_turn *busy, *first, **end;
    unsigned waiting;
    bool closing;
    struct errand close;
};

void session_entry_hold(struct session_entry *entry);
/* Ends a hold. After _drop the session counts as used just now, after _looked it does not. */
void session_entry_looked(struct session_entry *entry);
/* Leaves the table now; is closed as soon as nothing holds it. */
void session_entry_shut(struct session_entry *entry);

/* The turn begins at once, or when those before it are over. Refused, nothing has changed. */
enum turn_answer { TURN_ASKED, TURN_TOO_MANY, TURN_TOO_LARGE };
enum turn_answer session_turn_ask(struct session_entry *entry, struct session_turn *turn);
/* Of one that waits: it leaves the line. session_turn_over has to follow. */
void session_turn_leave(struct session_turn *turn);
/* It has had its session, or will not have it; the next one begins. */
void session_turn_over(struct session_turn *turn);

#endif
