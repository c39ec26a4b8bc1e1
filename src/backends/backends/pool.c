/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/pool.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/backend.h"
#include "base/mem.h"

enum { PARTS_MAX = 8 };

struct backend_pool {
    struct {
        const struct backend_pool_entries *entries;
        void *part;
    } parts[PARTS_MAX];
    size_t count;
};

void *backend_pool_part(struct backend_pool *pool, const struct backend_pool_entries *entries)
{
    for (size_t i = 0; pool && i < pool->count; i++)
        if (pool->parts[i].entries == entries)
            return pool->parts[i].part;
    return NULL;
}

static int open_part(struct backend_pool *pool, const struct backend_pool_entries *entries,
                     const struct backend_pool_options *options, struct err *err)
{
    void *part = NULL;

    if (!entries || backend_pool_part(pool, entries))
        return 0;
    if (pool->count == PARTS_MAX)
        return err_set(err, ERR_SYSTEM, "more than %d backends have a pool", PARTS_MAX);
    if (entries->open(options, &part, err) < 0)
        return -1;
    pool->parts[pool->count].entries = entries;
    pool->parts[pool->count++].part = part;
    return 0;
}

int backend_pool_open(const struct backend *const *backends,
                      const struct backend_pool_options *options, struct backend_pool **ret,
                      struct err *err)
{
    struct backend_pool *pool = xcalloc(1, sizeof *pool);

    for (size_t i = 0; backends[i]; i++)
        if (open_part(pool, backends[i]->pool, options, err) < 0) {
            backend_pool_close(pool);
            return -1;
        }
    *ret = pool;
    return 0;
}

void backend_pool_close(struct backend_pool *pool)
{
    for (size_t i = 0; pool && i < pool->count; i++)
        pool->parts[i].entries->close(pool->parts[i].part);
    free(pool);
}

static void add_stats(struct backend_pool_stats *sum, const struct backend_pool_stats *more)
{
    sum->hits += more->hits;
    sum->on_demand += more->on_demand;
    sum->misses += more->misses;
    sum->zygotes_started += more->zygotes_started;
    sum->zygotes_died += more->zygotes_died;
    sum->zygotes_renewed += more->zygotes_renewed;
    sum->zygotes += more->zygotes;
    sum->ready += more->ready;
    sum->memory += more->memory;
    if (more->problem[0])
        snprintf(sum->problem, sizeof sum->problem, "%s", more->problem);
}

void backend_pool_stats(struct backend_pool *pool, struct backend_pool_stats *ret)
{
    *ret = (struct backend_pool_stats){0};
    for (size_t i = 0; i < pool->count; i++) {
        struct backend_pool_stats part = {0};
        pool->parts[i].entries->stats(pool->parts[i].part, &part);
        add_stats(ret, &part);
    }
}
