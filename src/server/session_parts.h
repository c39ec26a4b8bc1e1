/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions of the daemon, for the files that handle requests about them.
 */
#ifndef SERVER_SESSION_PARTS_H
#define SERVER_SESSION_PARTS_H

#include "hosting/session_table.h"
#include "server/front.h"
#include "server/job.h"

/* The table, whose errands and turns are jobs (session_jobs.c). */
struct sessions *server_sessions(struct server *server);
/* After the config was read, also for the first time. */
void server_sessions_limit(const struct server *server);

/* The one with the address's {id}, if it is the caller's; else NULL, and it is answered 404. */
struct session_entry *session_of(struct call *call);
/* The name under which the table has what a caller may see: NULL, all, for the host's own user. */
const char *session_owner_of(const struct call *call);
/* The job whose turn it is. */
struct job *session_job_of(struct session_turn *turn);
/* Gives the job its turn, when those before it are over. May answer 429 or 503 and free it. */
void session_submit(struct session_entry *entry, struct job *job);
/* May this owner open one more? Counts it until sessions_unreserve. False, and it is answered. */
bool session_may_open(struct call *call, const char *owner);

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
