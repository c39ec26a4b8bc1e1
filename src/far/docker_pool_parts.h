/* SPDX-License-Identifier: Apache-2.0
 *
 * What docker_pool.c and docker_pool_tend.c share. No other file includes it.
 *
 * Owners: the pool is its opener's; kinds are places in it. A guest is the pool's while it waits in
 * a kind or among the doomed, under the pool's lock, and then its taker's, or the remover's, which
 * frees it. The pool ends when no guest of it is left.
 */
#ifndef FAR_DOCKER_POOL_PARTS_H
#define FAR_DOCKER_POOL_PARTS_H

#include <pthread.h>

#include "far/docker_parts.h"

enum { KINDS_MAX = 8, READY_MAX = 8 /* of one kind */, IDLE_MAX = 4, BUSY_MS = 100 };

struct kind {
    bool used; /* else this place is free */
    bool making;
    struct buf key;
    struct far_guest *ready[READY_MAX];
    unsigned ready_n, target;
    int64_t used_ms, missed_ms, failed_ms;
    int64_t not_before_ms; /* one is made: a guest that took one has the machine for BUSY_MS */
};

struct docker_pool {
    pthread_mutex_t lock;
    pthread_cond_t work, removed;
    pthread_t maker, remover;
    bool threads, closing, over; /* over: nothing more will be doomed */
    bool for_few;                /* backends/pool.h */
    unsigned ready_max, kinds_max;
    struct kind kinds[KINDS_MAX];
    struct engine *idle[IDLE_MAX]; /* connections that are kept open */
    unsigned idle_n;
    struct far_guest **doomed; /* their containers are to be removed */
    unsigned doomed_n, doomed_size;
    struct backend_pool_stats stats;
};

/* docker_pool.c, all with the lock. The helper of a doomed one exits at once. */
void docker_pool_doom(struct docker_pool *pool, struct far_guest *d);
void docker_pool_forget(struct docker_pool *pool, struct kind *k);
struct far_guest *docker_pool_first(struct kind *k);
unsigned docker_pool_ready(const struct docker_pool *pool);
/* Nothing comes from a container that waits, until it ends. */
bool docker_pool_lives(const struct far_guest *d);
/* Removes what dead processes left. It takes a while, so it runs when no result waits for it.
 * Without the lock. */
void docker_pool_sweep(struct engine *engine);

/* docker_pool_tend.c: the threads; ctx is the pool. The second ends when all is removed. */
void *docker_pool_make(void *ctx);
void *docker_pool_unmake(void *ctx);

#endif
