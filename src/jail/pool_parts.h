/* SPDX-License-Identifier: Apache-2.0
 *
 * What pool.c and pool_tend.c share. No other file includes it.
 */
#ifndef JAIL_POOL_PARTS_H
#define JAIL_POOL_PARTS_H

#include <pthread.h>

#include "jail/pool_make.h"

#define READY_MAX   64 /* of one kind */
#define RETIRED_MAX 16 /* nests whose last guests are still running */

enum kind_state {
    KIND_FREE,
    KIND_WANTED, /* its nest is to be started */
    KIND_STARTING,
    KIND_LIVE,
    KIND_FAILED,
};

/* All with the pool's lock. Its thread for zygotes frees it (pool_end_nest) when it was retired and
 * has no users; pool_forget does when the retired have no place left, and only if it has none. A
 * thread that lets go of the lock while it uses the nest counts itself first. */
struct pool_nest {
    struct jail *jail;
    unsigned users; /* threads that have it make a jail right now, and its holders */
    uint32_t forks;
    uint64_t bytes; /* that its zygote holds */
    bool broken;    /* it made none when it was asked to */
    bool ending;
};

/* A place of the pool's, never freed. With the pool's lock; while it is busy (pool_is_busy) it is
 * not forgotten, and its spec, limits and text do not change: those may be read without the lock.
 */
struct kind {
    enum kind_state state;
    bool alone; /* it has no nest */
    bool input;
    struct buf text; /* for its channel */
    struct buf key;
    struct jail_spec spec;
    struct jail_limits limits;
    layer_mask layers;
    struct pool_nest *nest;
    unsigned users; /* of this kind and its nests */
    struct pool_jail ready[READY_MAX];
    unsigned ready_n, target, making;
    uint64_t bytes_each; /* what the one that waits longest held when it was last looked at */
    int64_t used_ms, missed_ms, failed_ms;
};

/* What looks after kinds, each in a thread of its own: so the start of an interpreter keeps no
 * zygote from forking, nor does that of another zygote. Each sort of kinds has places of its own,
 * so that neither drives out the other. */
struct tender {
    struct pool *pool;
    void (*round)(struct tender *t); /* does what is to be done by now, then waits for more */
    pthread_cond_t work;
    struct kind *kinds; /* options.kinds_max */
    pthread_t thread;
    int64_t looked_ms; /* at how much memory they hold */
};

enum pool_tender { TEND_FORKS, TEND_ZYGOTES, TEND_ALONE, TENDERS };

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t settled;         /* a nest could be started, or could not; or forks_over */
    struct tender tenders[TENDERS]; /* the first two of the same kinds */
    bool closing, forks_over;       /* no thread makes jails in nests any more */
    struct pool_options options;
    struct kind *kinds; /* of both */
    unsigned kind_count;
    struct pool_nest *retired[RETIRED_MAX];
    struct pool_jail *doomed; /* to be ended by the next thread that has time */
    unsigned doomed_n, doomed_size;
    struct {
        bool wanted;
        struct jail_limits limits;
        layer_mask layers;
    } group;                /* to be made early */
    uint64_t zygotes_bytes; /* as cgroup_ceiling_less knows it */
    struct pool_stats stats;
};

/* pool.c, all with the lock. These let go of it meanwhile: */
int pool_make_now(struct pool *pool, struct kind *k, const int channel[2], struct pool_jail *ret,
                  struct err *err);
/* Its guests may still run, and others wait: it ends with the last. False when there are too many
 * of those already. */
bool pool_retire_nest(struct pool *pool, struct kind *k);
void pool_end_nest(struct pool_nest *nest);
void pool_forget(struct pool *pool, struct kind *k);
bool pool_is_busy(const struct kind *k);
/* The one that waits longest is to be ended. */
void pool_doom_first(struct pool *pool, struct kind *k);

/* pool_tend.c: a thread of the pool's; ctx is a struct tender. */
void *pool_tend(void *ctx);
/* What the three do. */
void pool_tend_forks(struct tender *t);
void pool_tend_zygotes(struct tender *t);
void pool_tend_alone(struct tender *t);

#endif
