/* SPDX-License-Identifier: Apache-2.0
 *
 * The jobs that wait for a worker: a lane for each owner. The next job is taken from the lane with
 * the fewest running jobs, so an owner that sends thousands of jobs does not delay another owner's
 * single job.
 *
 * The queue has no lock: server/workers.c calls it with its own.
 */
#ifndef SERVER_QUEUE_H
#define SERVER_QUEUE_H

#include "server/job.h"

struct lane;

struct queue {
    struct lane *lanes;   /* lanes of owners that have a waiting or running job */
    struct job *urgent;   /* jobs before all lanes, the latest first */
    size_t count, bytes;  /* number of waiting jobs, and bytes of their bodies */
    unsigned busy;        /* running jobs that were in lanes */
    unsigned owners;      /* number of owners that may exist */
    unsigned workers_max; /* number of workers, which the owners share (hosting/share.h) */
    uint64_t clock;
};

void queue_add(struct queue *q, struct job *job);
/* The next job that may start; it stays in the queue. NULL: none. */
struct job *queue_next(const struct queue *q);
/* Removes a waiting job from the queue, to drop it or to run it. */
void queue_remove(struct queue *q, struct job *job);
void queue_begin(struct queue *q, struct job *job);
/* Call it when a job that was begun is finished. */
void queue_end(struct queue *q, struct job *job);
/* The number of waiting jobs of this owner, and the bytes of their bodies. */
size_t queue_of(const struct queue *q, const char *owner, size_t *ret_bytes);
/* Calls `each` for all waiting jobs. `each` may remove the job that it receives. */
void queue_walk(struct queue *q, void (*each)(struct queue *q, struct job *job, void *ctx),
                void *ctx);

#endif
