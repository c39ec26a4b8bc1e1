/* SPDX-License-Identifier: Apache-2.0
 *
 * A session in the table, for the files that handle requests about them.
 */
#ifndef SERVER_SESSION_PARTS_H
#define SERVER_SESSION_PARTS_H

#include "request/run_fields.h"
#include "server/front.h"
#include "server/job.h"
#include "server/session_table.h"
#include "session/session.h"

enum { SESSION_NAME_MAX = 200, SESSION_WAITING_MAX = 64 };

/* What a session was opened with, and its forks live on: lent to it until the last is closed. */
struct session_ground {
    atomic_uint references;
    struct config *config;
    json_t *doc;
    json_t *data; /* in doc: variables that it begins with, or NULL */
    struct request_parts parts;
    struct session_request request;
    struct tool_set tools;
    uint64_t output_limit;
};
struct session_ground *ground_hold(struct session_ground *ground);
void ground_drop(struct session_ground *ground); /* NULL is fine */

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
    unsigned holds; /* jobs that have it */
    struct job *busy, *first, **end;
    unsigned waiting;
    bool closing;
};

struct session_new {
    struct session *session;       /* taken over, like the next two */
    struct session_ground *ground; /* held for it */
    char *name;
    const char *owner;
    int64_t idle_ms;
    bool is_fork;
};
struct session_entry *session_add(struct sessions *sessions, const struct session_new *made);
/* The one with the address's {id}, if it is the caller's; else NULL, and it is answered 404. */
struct session_entry *session_of(struct call *call);
/* Gives the job its turn, when those before it are over. May answer 429 and free it. */
void session_submit(struct session_entry *entry, struct job *job);
/* Leaves the table now; ends as soon as nobody holds it. */
void session_shut(struct session_entry *entry);
/* May this owner open one more? Counts it until session_opening_done. False, and it is answered. */
bool session_may_open(struct call *call, const char *owner);
void session_opening_done(struct sessions *sessions, const char *owner);
/* All that the caller may see, held; the array is the caller's to free. */
struct session_entry **sessions_of(struct call *call, size_t *ret_n);
void session_unhold(struct session_entry *entry);

json_t *session_json(const struct session_entry *entry, const struct session_info *info);

/* The cell that a job runs: calls of tools wait in it (handle_tools.c). */
struct cell;
struct cell *cell_new(void);
void cell_free(struct cell *cell);
/* The tools that a client described, each of which asks the client of the cell's stream. */
int tools_read(json_t *list, struct tool_set *ret, const struct config *config, struct err *err);
/* job_fail, of what a session was asked for: 409 when it is dead. */
void session_fail(struct job *job, const struct err *err);
/* The work of a job whose `own` is a cell. */
void cell_work(struct job *job);
/* Around session_exec, in the thread that calls it. */
void cell_enter(struct cell *cell, struct job *job);
void cell_leave(void);
extern const struct field tool_fields[];

#endif
