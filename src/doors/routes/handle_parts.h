/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that handlers share. All are called in a worker.
 */
#ifndef ROUTES_HANDLE_PARTS_H
#define ROUTES_HANDLE_PARTS_H

#include "request/run_ask.h"
#include "run/event_json.h"
#include "server/job.h"
#include "server/run_log.h"

/* A request for a program, as a worker reads it. */
struct asked {
    struct settings ask;
    struct request_parts parts; /* run points into them */
    struct run_request run;
};

/* -1 with *err. Call asked_done in both cases. */
int asked_read(struct job *job, struct asked *ret, struct err *err);
void asked_done(struct asked *asked);

/* Answers with the result's document, and frees the result's output. collect_max: how many bytes of
 * its files the answer may contain. */
void result_answer(struct job *job, int status, struct result *result, uint64_t collect_max);

/* As request_accept; also gives the request the daemon's pool and its log. */
int request_serve(struct job *job, struct settings *ask, struct request_parts *parts,
                  struct run_request *ret, struct err *err);
/* Makes events into lines of the job's answer, in which settings have the names that clients use.
 */
struct event_lines job_event_lines(struct job *job);
/* Sends one event as a line; `job` is a struct job. */
void job_send_event(void *job, const struct run_event *event);

#endif
