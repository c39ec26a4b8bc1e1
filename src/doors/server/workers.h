/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads that do blocking work, and the queue before them.
 *
 * Threads are started when they are needed, up to a ceiling, and do not end. Only a few jobs for
 * each processor run at the same time, so that a machine does not have to start a hundred guests at
 * once. A job that has run for more than a moment most likely waits for something, and is not
 * counted.
 */
#ifndef SERVER_WORKERS_H
#define SERVER_WORKERS_H

#include "server/job.h"

struct workers;

struct workers_stats {
    unsigned threads, busy;
    size_t queued, queued_bytes;
    bool free;      /* one more job would not have to wait */
    double mean_ms; /* mean time of recent jobs */
};

/* `owners` is the number of owners that share the workers (hosting/share.h). */
struct workers *workers_open(struct mailbox *mailbox, unsigned threads_max, unsigned owners);
/* Ends the threads. Call it when no job is left. */
void workers_close(struct workers *w);
void workers_max(struct workers *w, unsigned threads_max, unsigned owners);

/* All of them are called in the loop. */
void workers_add(struct workers *w, struct job *job);
/* True if the job was still queued; it is removed. Otherwise the worker that has the job is
 * notified. */
bool workers_cancel(struct workers *w, struct job *job);
/* Notifies every busy worker. Waiting jobs stay in the queue; no worker takes them any more. */
void workers_cancel_all(struct workers *w);
/* Lets more jobs start when running ones take long. Removes the jobs past their deadline from the
 * queue, and returns the first of them (linked by `next`). */
struct job *workers_tick(struct workers *w, int64_t now_ms);
void workers_stats(struct workers *w, struct workers_stats *ret);
/* The number of waiting jobs of this owner, and the bytes of their bodies. */
size_t workers_queued(struct workers *w, const char *owner, size_t *ret_bytes);

#endif
