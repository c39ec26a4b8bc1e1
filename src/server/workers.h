/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads that do what blocks, and the queue before them.
 *
 * Threads are started when they are needed, up to a ceiling, and stay. So that
 * a machine is not asked to start a hundred guests at once, only a few jobs for
 * each processor are let through at one time; one that has run for more than a
 * moment waits for something, most likely, and does not count.
 */
#ifndef SERVER_WORKERS_H
#define SERVER_WORKERS_H

#include "server/job.h"

struct workers;

struct workers_stats {
    unsigned threads, busy;
    size_t queued, queued_bytes;
    bool free;      /* a job more would not have to wait */
    double mean_ms; /* of a job, lately */
};

/* So many owners may ask; they share the workers (hosting/share.h). */
struct workers *workers_open(struct mailbox *mailbox, unsigned threads_max, unsigned owners);
/* When no job is left: ends the threads. */
void workers_close(struct workers *w);
void workers_max(struct workers *w, unsigned threads_max, unsigned owners);

/* All in the loop. */
void workers_add(struct workers *w, struct job *job);
/* True when it was still queued, and now is not. Otherwise whoever works on it
 * is told. */
bool workers_cancel(struct workers *w, struct job *job);
/* Tells all that work, and takes nothing out of the queue: what waits there is not worked on. */
void workers_cancel_all(struct workers *w);
/* Lets more through when those that run take long; takes jobs whose deadline
 * has passed out of the queue, and gives the first of them (linked by `next`).
 */
struct job *workers_tick(struct workers *w, int64_t now_ms);
void workers_stats(struct workers *w, struct workers_stats *ret);
/* Jobs of this owner that wait, and the bytes of their bodies. */
size_t workers_queued(struct workers *w, const char *owner, size_t *ret_bytes);

#endif
