/* SPDX-License-Identifier: Apache-2.0
 *
 * Jails that are ready before a run needs one.
 *
 * A kind is everything that such jails have in common: the interpreter and what it has loaded, what
 * is seen of the host, the limits. What is asked for becomes a kind: the first run of one finds
 * nothing and is started cold, and meanwhile a thread of the pool starts a nest for it (jail.h),
 * whose zygote then forks for the next ones. Some jails wait ready, more where they were missed,
 * fewer where no run came; a run takes one, or has the nest make one at once. Each jail is used
 * once.
 *
 * Kinds of the other sort have no zygote: each of their jails is started by itself, as cold ones
 * are, and waits without a program, or with an interpreter that waits for its own. There is nothing
 * to have one made from at once: a run that finds none starts cold.
 *
 * A nest is renewed after so many forks and when it dies; a kind that no run asks for is dropped.
 * No more jails are made early than the pool may hold in number and in memory.
 *
 * Owners: the pool is its opener's, and outlives every jail and nest of it. A jail is the pool's
 * while it waits and the taker's after that. A nest is the pool's, and stays as long as it is the
 * current one of its kind or has users, which are counted under the pool's lock: pool_require and
 * pool_fork count one for each jail, until pool_release. Only the pool's threads free a nest, under
 * the lock.
 */
#ifndef JAIL_POOL_H
#define JAIL_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "jail/cgroup.h"
#include "jail/jail.h"

struct pool;

struct pool_options {
    unsigned ready_max;  /* jails that wait at once, over all kinds; 0: four a processor */
    unsigned kinds_max;  /* of each sort; 0: 8 */
    uint32_t forks_max;  /* of one zygote; 0: 5000 */
    uint64_t memory_max; /* bytes that jails hold while they wait, and as many for zygotes; 0: an
                            eighth of the machine's */
};

/* Starts nothing yet. Safe in threads. */
int pool_open(const struct pool_options *options, struct pool **ret, struct err *err);
/* Ends all that waits. Jails that were taken end too: close after them. NULL is fine. */
void pool_close(struct pool *pool);

/* What guests that will be forked are in; it lives as long as one holds it. */
struct pool_nest;

/* A jail that waits for jail_go; the taker's. */
struct pool_jail {
    struct jail *jail;
    struct cgroup *group;
    int pipes[3];   /* our ends of the guest's 0, 1, 2 */
    int channel[3]; /* our ends of its channel, to write and to read, when it was made with one of
                       its own, and the end from which it reads; else -1 */
    struct pool_nest *nest; /* of pool_require alone */
};

/* True and one of this kind, by its key. With a channel (the guest's ends, lent; or NULL) it is
 * made at once. */
bool pool_take(struct pool *pool, struct str key, const int channel[2], struct pool_jail *ret);
/* A run that took one is over. What it took is replaced now, when no client waits for the result;
 * at once only if it took the last. */
void pool_rest(struct pool *pool);
/* After a miss: how one of this kind is made. Takes over what is in the spec (it is empty then),
 * whose program is the zygote. */
void pool_learn(struct pool *pool, struct str key, struct jail_spec *spec,
                const struct jail_limits *limits, layer_mask layers);

/* The same for a kind without a zygote: the spec says `park`, or `waits`, and whether each is to
 * have a channel of its own. */
struct pool_alone {
    bool input;      /* else the guest's 0 is /dev/null */
    struct str text; /* what its channel gives it at once; copied. At most 1 MiB */
};
void pool_learn_alone(struct pool *pool, struct str key, struct jail_spec *spec,
                      const struct jail_limits *limits, layer_mask layers,
                      const struct pool_alone *more);

/* How one is to be that is made at once. */
struct pool_order {
    const struct jail_limits *limits;
    layer_mask layers;
    const int *channel;               /* the guest's ends, or NULL */
    const struct jail_origin *origin; /* whose fork it is for, or NULL */
};

/* One of this kind made at once, after its nest was started if there was none: the spec is taken
 * over then, as by pool_learn. ret->nest is held until pool_release. */
int pool_require(struct pool *pool, struct str key, struct jail_spec *spec,
                 const struct pool_order *order, struct pool_jail *ret, struct err *err);
/* A jail below that of a guest of this nest (the order's origin), for a fork of it; see jail_fork.
 * Holds the nest once more. */
int pool_fork(struct pool *pool, struct pool_nest *nest, const struct pool_order *order,
              struct pool_jail *ret, struct err *err);
void pool_release(struct pool *pool, struct pool_nest *nest);
/* A fork with these limits has been: the control group of the next one is made now. */
void pool_forked(struct pool *pool, const struct jail_limits *limits, layer_mask layers);

struct pool_stats {
    uint64_t hits, on_demand, misses; /* runs that found a ready jail, a zygote, nothing */
    uint64_t zygotes_started, zygotes_died, zygotes_renewed;
    unsigned zygotes, ready;
    uint64_t memory;   /* that zygotes hold, and jails that are ready, as far as it was looked at */
    char problem[300]; /* why the last nest could not be had, or "" */
};
void pool_stats(struct pool *pool, struct pool_stats *ret);

#endif
