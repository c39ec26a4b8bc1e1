/* SPDX-License-Identifier: Apache-2.0
 *
 * The open sessions of several owners: the owner and the last use of each, and how many may be
 * open.
 *
 * Theory. The table belongs to one thread and never waits. Its host (struct session_host) is the
 * program around it. Work that may take long is an errand, which the host does in another thread:
 * closing a session, or measuring the memory of all. Requests about one session take turns: one of
 * them has the session, the others wait here in the order of their arrival. So a session with a
 * long cell does not occupy the workers that other sessions need.
 *
 * Owners of an entry: the table, and the turns, lists and errands that hold it. They are counted in
 * the table's thread, so there is no lock. When the entry has left the table and the last hold
 * ends, an errand closes its session. When that errand is done, the entry is freed in the table's
 * thread. Code that works with a session in another thread must hold its entry.
 */
#ifndef HOSTING_SESSION_TABLE_H
#define HOSTING_SESSION_TABLE_H

#include "hosting/session_opening.h"
#include "hosting/tokens.h"
#include "session/session.h"

enum { SESSION_NAME_MAX = 200, SESSION_WAITING_MAX = 64 };

struct sessions;
struct session_entry;

/* ---- functions of the host ---- */

/* A request that has a session or waits for it; a member of the host's own structure. */
struct session_turn {
    struct session_turn *next;
    struct session_entry *entry; /* held from session_turn_ask to session_turn_over, else NULL */
    size_t bytes;                /* size of the request, while it waits */
    int64_t deadline_ms; /* on clock_mono_ms: a turn that still waits then ends; 0 for never */
};

enum turn_end { TURN_LATE, TURN_CLOSED };

struct errand {
    void (*work)(struct errand *errand); /* in any thread */
    void (*done)(
        struct errand *errand); /* then called in the table's thread; may free the errand */
    bool urgent; /* it frees something; the host may skip `work` of other errands and call only
                    `done` */
};

/* All are called in the table's thread. Only `begin` and `errand` may call back immediately. */
struct session_host {
    void (*begin)(struct session_turn *turn); /* the turn has its session now */
    void (*stop)(struct session_turn *turn);  /* the session of this turn is being closed */
    /* The turn was waiting, and has ended. session_turn_over must follow. */
    void (*end)(struct session_turn *turn, enum turn_end why);
    void (*errand)(void *ctx, struct errand *errand);
    void *ctx;
};

/* ---- the table ---- */

struct sessions *sessions_new(const struct session_host *host);
/* Call only when no session is open. */
void sessions_free(struct sessions *sessions);

struct session_ceilings {
    size_t sessions;
    uint64_t memory_bytes;
    unsigned owners; /* number of owners that share both ceilings (hosting/share.h) */
};
void sessions_limit(struct sessions *sessions, const struct session_ceilings *ceilings);

/* Closes all sessions without waiting; when all are closed, sessions_any returns false. */
void sessions_close_all(struct sessions *sessions);
bool sessions_any(const struct sessions *sessions);
/* Closes sessions that were idle for too long; ends turns that wait too long; measures the
 * memory. */
void sessions_tick(struct sessions *sessions, int64_t now_ms);

struct session_totals {
    size_t count;
    uint64_t memory_bytes; /* as of the last measurement */
    uint64_t opened, forked, expired;
};
void sessions_totals(const struct sessions *sessions, struct session_totals *ret);

/* Reserves room for one more session of this owner; sessions_unreserve frees it. */
enum reserve_answer { RESERVED, RESERVE_TOO_MANY, RESERVE_NO_MEMORY };
enum reserve_answer sessions_reserve(struct sessions *sessions, const char *owner, struct err *err);
void sessions_unreserve(struct sessions *sessions, const char *owner);

struct session_new {
    struct session *session; /* taken over, as the next two members */
    struct session_opening *opening;
    char *name; /* or NULL */
    const struct session_info *info;
    const char *owner;
    int64_t idle_ms;
    bool is_fork;
};
struct session_entry *sessions_add(struct sessions *sessions, const struct session_new *made);
/* Owner NULL: any owner. Returns NULL if there is no such session. */
struct session_entry *sessions_find(struct sessions *sessions, const char *owner, const char *id);
/* True if a session of this owner has the name. */
bool sessions_have_name(const struct sessions *sessions, const char *owner, const char *name);
/* Returns all sessions of the owner, each held; the caller frees the array. */
struct session_entry **sessions_list(struct sessions *sessions, const char *owner, size_t *ret_n);

/* ---- one session ---- */

struct session_entry {
    struct sessions *all;
    struct session_entry *next; /* in the same bucket of the hash table */
    char id[RESULT_ID];
    char *name; /* or NULL */
    char owner[TOKEN_NAME];
    struct holding *holding; /* of the same owner */
    struct session *session;
    struct session_opening *opening;
    int64_t idle_ms, used_ms;
    uint64_t memory_bytes;
    unsigned holds;
    struct session_turn *busy, *first, **end;
    unsigned waiting;
    bool closing;
    struct errand close;
};

void session_entry_hold(struct session_entry *entry);
/* Ends a hold. Unlike session_entry_drop, it does not count as a use of the session. */
void session_entry_looked(struct session_entry *entry);
/* Removes the entry from the table; its session is closed when the last hold ends. */
void session_entry_shut(struct session_entry *entry);

/* Begins the turn now, or when the turns before it are over. If it is refused, nothing has
 * changed. */
enum turn_answer { TURN_ASKED, TURN_TOO_MANY, TURN_TOO_LARGE };
enum turn_answer session_turn_ask(struct session_entry *entry, struct session_turn *turn);
/* Removes a waiting turn from the queue. session_turn_over must follow. */
void session_turn_leave(struct session_turn *turn);
/* Call when the turn had its session, or will not get it; the next turn begins. */
void session_turn_over(struct session_turn *turn);

#endif
