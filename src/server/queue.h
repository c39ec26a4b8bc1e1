/* SPDX-License-Identifier: Apache-2.0
 *
 * The jobs that wait for a worker: a line for each owner. The next job comes from the line with the
 * fewest jobs at work, so an owner that sends thousands does not delay another owner's one.
 *
 * The queue has no lock: its user has one (server/workers.c).
 */
#ifndef SERVER_QUEUE_H
#define SERVER_QUEUE_H

#include "server/job.h"

struct lane;

struct queue {
    struct lane *lanes;   /* of owners that have a job here or at work */
    struct job *urgent;   /* they go before all lanes, the last one first */
    size_t count, bytes;  /* of jobs that wait, and of their bodies */
    unsigned busy;        /* jobs at work that came out of lanes */
    unsigned owners;      /* how many may ask */
    unsigned workers_max; /* which they share (hosting/share.h) */
    uint64_t clock;
};

void queue_add(struct queue *q, struct job *job);
/* The next job that may start, which stays here; NULL: none. */
struct job *queue_next(const struct queue *q);
/* Takes a job that waits out of the queue, for good or to be worked on. */
void queue_remove(struct queue *q, struct job *job);
void queue_begin(struct queue *q, struct job *job);
/* The work on a job that was begun is over. */
void queue_end(struct queue *q, struct job *job);
/* Jobs of this owner that wait, and the bytes of their bodies. */
size_t queue_of(const struct queue *q, const char *owner, size_t *ret_bytes);
/* Calls `each` for all jobs that wait; it may remove the job that it is given. */
void queue_walk(struct queue *q, void (*each)(struct queue *q, struct job *job, void *ctx),
                void *ctx);

#endif
