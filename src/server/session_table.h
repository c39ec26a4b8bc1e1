/* SPDX-License-Identifier: Apache-2.0
 *
 * The open sessions: whose they are, when they were used, how many. All in the loop's thread.
 *
 * An entry is freed when it has left the table and no job holds it. Of the jobs of one session one
 * is in the queue or with a worker at a time, the others wait here in their order: a session whose
 * cell takes long does not take workers from others.
 */
#ifndef SERVER_SESSION_TABLE_H
#define SERVER_SESSION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job;
struct server;
struct sessions;
struct session_entry;

struct sessions *sessions_new(struct server *server);
/* When none is open any more. */
void sessions_free(struct sessions *sessions);
/* Closes all, without waiting for it; sessions_any tells when it is done. */
void sessions_close_all(struct sessions *sessions);
bool sessions_any(const struct sessions *sessions);
/* Closes those that nobody used for long; looks at their memory. */
void sessions_tick(struct sessions *sessions, int64_t now_ms);

struct session_totals {
    size_t count;
    uint64_t memory_bytes; /* as of the last look */
    uint64_t opened, forked, expired;
};
void session_totals(const struct sessions *sessions, struct session_totals *ret);

/* A job's hold on a session ends. */
void session_entry_drop(struct session_entry *entry, const struct job *job);

#endif
