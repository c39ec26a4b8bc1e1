/* SPDX-License-Identifier: Apache-2.0
 *
 * Guests that backends keep ready between jobs, for a program that runs many jobs. The program
 * opens a pool, lends it with each job, and need not know its content: each backend that keeps
 * guests ready has a part, which no other code reads.
 *
 * Owner: its opener, which closes it when no job uses it any more. Its parts are made and freed
 * with it; each has its own locks.
 */
#ifndef BACKENDS_POOL_H
#define BACKENDS_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct backend_pool;

/* A number that is 0 is chosen by the backend. */
struct backend_pool_options {
    unsigned ready_max;  /* guests that wait at once */
    unsigned kinds_max;  /* kinds of them, with different programs, views or limits */
    uint32_t forks_max;  /* forks of one zygote before it is started again */
    uint64_t memory_max; /* bytes of memory for waiting guests, and as many for zygotes */
    /* For a program that may have one guest and no more: a backend that starts slowly keeps none of
     * a kind ready until the kind's first guest has ended, or its second one starts. */
    bool for_few;
};

struct backend_pool_stats {
    uint64_t hits, on_demand, misses; /* starts that found a ready guest, a zygote, nothing */
    uint64_t zygotes_started, zygotes_died, zygotes_renewed;
    unsigned zygotes, ready;
    uint64_t memory;   /* bytes that zygotes and ready guests hold */
    char problem[300]; /* why the last zygote could not be started, or "" */
};

/* Opens a pool for these backends (NULL-terminated). Starts no guest yet. Any number of threads may
 * use it. */
struct backend;
int backend_pool_open(const struct backend *const *backends,
                      const struct backend_pool_options *options, struct backend_pool **ret,
                      struct err *err);
/* Kills all waiting guests, and also guests that were taken from it: close those first. NULL is
 * fine. */
void backend_pool_close(struct backend_pool *pool);
/* Returns the sums over all parts. */
void backend_pool_stats(struct backend_pool *pool, struct backend_pool_stats *ret);

/* ---- for backends ---- */

struct backend_pool_entries {
    int (*open)(const struct backend_pool_options *options, void **ret_part, struct err *err);
    void (*close)(void *part);
    void (*stats)(void *part, struct backend_pool_stats *ret);
};
/* The pool's part for the backend with these entries; NULL if pool is NULL. */
void *backend_pool_part(struct backend_pool *pool, const struct backend_pool_entries *entries);

#endif
