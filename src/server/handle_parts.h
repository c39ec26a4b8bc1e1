/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that the handlers share. All run in a worker.
 */
#ifndef SERVER_HANDLE_PARTS_H
#define SERVER_HANDLE_PARTS_H

#include "request/run_fields.h"
#include "server/job.h"
#include "server/run_log.h"
#include "session/event_json.h"

/* The work of POST /v1/run, and of each run of a batch. */
void run_work(struct job *job);

/* The result's document is the answer. Frees the result's output; collect_max: bytes of its files
 * that go along. */
void result_answer(struct job *job, int status, struct result *result, uint64_t collect_max);

/* Calls request_make, and refuses everything that the rules do not permit. */
int request_accept(const struct config *config, const struct request_rules *rules,
                   struct run_fields *fields, struct request_parts *parts, struct run_request *ret,
                   struct err *err);
/* The same, and adds what the request gets from the daemon: its pool and its log. */
int request_serve(struct job *job, struct run_fields *fields, struct request_parts *parts,
                  struct run_request *ret, struct err *err);
/* Events become lines of the job's answer, with settings as the client writes them. */
struct event_lines job_event_lines(struct job *job);
/* One event as a line; the job is the context. */
void job_send_event(void *job, const struct run_event *event);

#endif
