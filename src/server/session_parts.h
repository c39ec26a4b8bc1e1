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
/* Call it after every load of the config, the first one included. */
void server_sessions_limit(const struct server *server);

/* The session of the address's {id}, if the caller may see it; else NULL, and the call is answered
 * 404. */
struct session_entry *session_of(struct call *call);
/* A job whose work is in the session of the address's {id}; NULL: the call is answered. Give it to
 * session_submit. */
struct job *job_in_session(struct call *call, void (*work)(struct job *),
                           struct session_entry **ret);
/* The owner of the sessions that a caller may see; NULL for the host's own user: all sessions. */
const char *session_owner_of(const struct call *call);
/* The job of a turn. */
struct job *session_job_of(struct session_turn *turn);
/* Gives the job its turn, when the turns before it are over. If refused, nothing has changed. */
enum turn_answer session_job_ask(struct session_entry *entry, struct job *job);
/* Gives the job its turn, when the turns before it are over. May answer 429 or 503 and free the
 * job. */
void session_submit(struct session_entry *entry, struct job *job);
/* May this owner open one more session? Counts it until sessions_unreserve. If false, the call is
 * answered. */
bool session_may_open(struct call *call, const char *owner);

/* The cell that a job runs: calls of tools wait in it (handle_tools.c). */
struct cell;
struct cell *cell_new(void);
void cell_free(struct cell *cell);
/* handle_tool_set.c: the tools that a client described. Each call of one is sent to the client of
 * the cell's stream. */
int tools_read(json_t *list, struct tool_set *ret, const struct config *config, struct err *err);
/* job_fail for a request about a session: 409 when the session is dead. */
void session_fail(struct job *job, const struct err *err);
/* The work of a job with a cell in `own`. */
void cell_work(struct job *job);
/* Call these around session_exec, in the same thread. answers_input: the client answers input(). */
void cell_enter(struct cell *cell, struct job *job, bool answers_input);
void cell_leave(void);
/* Sends the guest's input() and getpass() to the client of the cell's stream, if it answers
 * them. */
void tools_add_input(struct tool_set *set);
/* The function of such a tool. */
int tool_ask_client(void *ctx, const struct tool_call *call, json_t **ret, struct err *err);
extern const struct field tool_fields[];

#endif
