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

/* The session that {id} in the address names, if the caller may see it. Otherwise NULL, and the
 * call is answered with 404. */
struct session_entry *session_of(struct call *call);
/* The owner of the sessions that a caller may see. NULL, which means all sessions, for the daemon's
 * own user. */
const char *session_owner_of(const struct call *call);
/* The job of a turn. */
struct job *session_job_of(struct session_turn *turn);
/* Gives the job its turn, when the turns before it are over. If refused, nothing has changed. */
enum turn_answer session_job_ask(struct session_entry *entry, struct job *job);
/* As session_job_ask, but a refused job is answered with 429 or 503, and freed. */
void session_submit(struct session_entry *entry, struct job *job);
/* Makes the request a job, as the call's route says, and submits it: to its session if the route
 * has ROUTE_TURN. A refused request is answered. */
void session_job_make(struct call *call);
/* True if this owner may open one more session, which is counted until sessions_unreserve. If
 * false, the call is answered. */
bool session_may_open(struct call *call, const char *owner);

#endif
