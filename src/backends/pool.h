/* SPDX-License-Identifier: Apache-2.0
 *
 * What backends keep ready between jobs, for a program that runs many of them. The program opens
 * one, lends it with each job, and need not know what is in it: each backend that keeps something
 * has a part, which no other code looks into.
 *
 * Owners: the opener, which closes it when no job has it any more. Its parts are made with it and
 * freed with it; each has locks of its own.
 */
#ifndef BACKENDS_POOL_H
#define BACKENDS_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct backend_pool;

/* 0 leaves a number to the backend. */
struct backend_pool_options {
    unsigned ready_max;  /* guests that wait at once */
    unsigned kinds_max;  /* sorts of them: programs, views and limits that differ */
    uint32_t forks_max;  /* of one zygote, before it is started again */
    uint64_t memory_max; /* bytes that guests hold while they wait, and as many for zygotes */
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

/* Starts nothing yet. For any number of threads. */
int backend_pool_open(const struct backend_pool_options *options, struct backend_pool **ret,
                      struct err *err);
/* Kills everything that waits, and guests that were taken: close after them. NULL is fine. */
void backend_pool_close(struct backend_pool *pool);
/* The sum over all parts. */
void backend_pool_stats(struct backend_pool *pool, struct backend_pool_stats *ret);

/* ---- for backends ---- */

struct backend_pool_entries {
    int (*open)(const struct backend_pool_options *options, void **ret_part, struct err *err);
    void (*close)(void *part);
    void (*stats)(void *part, struct backend_pool_stats *ret);
};
/* The part of the backends with these entries; NULL when no pool was lent (NULL). */
void *backend_pool_part(struct backend_pool *pool, const struct backend_pool_entries *entries);

#endif
