/* SPDX-License-Identifier: Apache-2.0
 *
 * What the handlers share. All in a worker.
 */
#ifndef SERVER_HANDLE_PARTS_H
#define SERVER_HANDLE_PARTS_H

#include "request/run_fields.h"
#include "server/job.h"
#include "server/run_log.h"

/* The work of POST /v1/run, and of each of a batch. */
void run_work(struct job *job);

/* request_make, and what the request gets from the daemon: its pool and its log. */
int request_serve(struct job *job, struct run_fields *fields, struct request_parts *parts,
                  struct run_request *ret, struct err *err);
/* job_line, for struct event_lines. */
void job_line_of(void *ctx, struct str line);

#endif
