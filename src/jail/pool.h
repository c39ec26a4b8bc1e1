/* SPDX-License-Identifier: Apache-2.0
 *
 * Jails that are ready before somebody asks for one. See ARCHITECTURE.md, "How a warm run starts".
 */
#ifndef JAIL_POOL_H
#define JAIL_POOL_H

#include <stdint.h>

#include "base/err.h"

struct pool;

struct pool_options {
    unsigned ready_max; /* jails that wait at once, over all kinds; 0: by the processors */
    uint64_t
        memory_bytes; /* that zygotes and waiting jails may have; 0: an eighth of the machine's */
};

/* Starts nothing yet: what is asked for is what becomes warm. Safe in threads. */
int pool_open(const struct pool_options *options, struct pool **ret, struct err *err);
/* Ends all that waits. Jails that were taken live on; close after them. NULL is fine. */
void pool_close(struct pool *pool);

struct pool_stats {
    uint64_t hits, on_demand, misses; /* runs that found a ready jail, a zygote, nothing */
    uint64_t zygotes_started, zygotes_died, zygotes_renewed;
    uint64_t memory_bytes;
    unsigned zygotes, ready;
};
void pool_stats(struct pool *pool, struct pool_stats *ret);

#endif
