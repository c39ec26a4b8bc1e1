/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by docker_pool.c and docker_pool_tend.c, and included by no others.
 *
 * Owners: the opener owns the pool, and the kinds are slots in it. The pool owns a guest while it
 * waits in a kind or among the doomed, under the pool's lock. Then its taker owns it, or the
 * removing thread, which frees it. The pool ends when no guest of it is left.
 */
#ifndef FAR_DOCKER_POOL_PARTS_H
#define FAR_DOCKER_POOL_PARTS_H

#include <pthread.h>

#include "far/docker_parts.h"

enum { KINDS_MAX = 8, READY_MAX = 8 /* of one kind */, IDLE_MAX = 4, BUSY_MS = 100 };

struct kind {
    bool used; /* false: the slot is free */
    bool making;
    struct docker_kind key;
    struct far_guest *ready[READY_MAX];
    unsigned ready_n, target;
    int64_t used_ms, missed_ms, failed_ms;
    int64_t not_before_ms; /* make none before: a new guest has the machine for BUSY_MS */
};

struct docker_pool {
    pthread_mutex_t lock;
    pthread_cond_t work, removed;
    pthread_t maker, remover;
    bool threads, closing, over; /* over: no further guest gets doomed */
    bool for_few;                /* backends/pool.h */
    unsigned ready_max, kinds_max;
    struct kind kinds[KINDS_MAX];
    struct engine *idle[IDLE_MAX]; /* open connections that no thread uses */
    unsigned idle_n;
    struct far_guest **doomed; /* guests whose containers must be removed */
    unsigned doomed_n, doomed_size;
    struct backend_pool_stats stats;
};

/* docker_pool.c; call all of them with the lock held. A doomed container's helper exits at once. */
void docker_pool_doom(struct docker_pool *pool, struct far_guest *guest);
void docker_pool_forget(struct docker_pool *pool, struct kind *k);
struct far_guest *docker_pool_first(struct kind *k);
unsigned docker_pool_ready(const struct docker_pool *pool);
/* True if a waiting container is alive: it sends nothing until it ends. */
bool docker_pool_lives(const struct far_guest *guest);
/* Removes leftovers of dead processes. This takes long, so it runs when no result waits for it.
 * Call it without the lock. */
void docker_pool_sweep(struct engine *engine);

/* docker_pool_tend.c: the threads; ctx is the pool. The second one ends when all containers are
 * removed. */
void *docker_pool_make(void *ctx);
void *docker_pool_unmake(void *ctx);

#endif
