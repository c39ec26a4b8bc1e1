/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by pool.c and pool_tend.c. No other file includes it.
 */
#ifndef JAIL_POOL_PARTS_H
#define JAIL_POOL_PARTS_H

#include <pthread.h>

#include "jail/pool_make.h"

#define READY_MAX   64 /* of one kind */
#define RETIRED_MAX 16 /* nests whose last guests are still running */

enum kind_state {
    KIND_FREE,
    KIND_WANTED, /* its nest has to be started */
    KIND_STARTING,
    KIND_LIVE,
    KIND_FAILED,
};

/* Used only with the pool's lock held. Once it is retired and has no users, the thread for zygotes
 * frees it (pool_end_nest). If the list of retired nests is full, pool_forget frees it, but only if
 * it has no users. A thread that releases the lock while it uses the nest first adds itself to
 * `users`. */
struct pool_nest {
    struct jail *jail;
    unsigned users; /* threads that currently make a jail in it, and callers that have not yet
                       called pool_release */
    uint32_t forks;
    uint64_t bytes; /* that its zygote uses */
    bool broken;    /* it failed to make a jail */
    bool ending;
};

/* A slot of the pool's table, never freed. Used with the pool's lock held. While it is busy
 * (pool_is_busy), it is not forgotten, and its spec, limits and text do not change, so they may be
 * read without the lock. */
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
    uint64_t bytes_each; /* what the jail that waits longest used when last measured */
    int64_t used_ms, missed_ms, failed_ms;
};

/* A tender looks after kinds in a thread of its own, so that the start of an interpreter delays
 * neither the forks of a zygote nor the start of another zygote. Each sort of kinds has its own
 * slots, so that neither takes those of the other. */
struct tender {
    struct pool *pool;
    void (*round)(struct tender *t); /* does all work that is due, then waits for more */
    pthread_cond_t work;
    struct kind *kinds; /* options.kinds_max */
    pthread_t thread;
    int64_t looked_ms; /* when it last measured memory */
};

enum pool_tender { TEND_FORKS, TEND_ZYGOTES, TEND_ALONE, TENDERS };

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t settled;         /* signalled when a nest has started or has failed to, and with
                                       forks_over */
    struct tender tenders[TENDERS]; /* the first two look after the same kinds */
    bool closing, forks_over;       /* forks_over: no thread makes jails in nests any more */
    struct pool_options options;
    struct kind *kinds; /* those of both sorts */
    unsigned kind_count;
    struct pool_nest *retired[RETIRED_MAX];
    struct pool_jail *doomed; /* to be ended by the next thread that has time */
    unsigned doomed_n, doomed_size;
    struct {
        bool wanted;
        struct jail_limits limits;
        layer_mask layers;
    } group;                /* the control group to be made early */
    uint64_t zygotes_bytes; /* the value last passed to cgroup_ceiling_less */
    struct pool_stats stats;
};

/* pool.c, all with the lock held. This one releases the lock while it works: */
int pool_make_now(struct pool *pool, struct kind *k, const int channel[2], struct pool_jail *ret,
                  struct err *err);
/* Retires the kind's nest: its guests may still run, and it ends with the last of them. False if
 * too many retired nests exist already. */
bool pool_retire_nest(struct pool *pool, struct kind *k);
void pool_end_nest(struct pool_nest *nest);
void pool_forget(struct pool *pool, struct kind *k);
bool pool_is_busy(const struct kind *k);
/* Ends the jail that waits longest. */
void pool_doom_first(struct pool *pool, struct kind *k);

/* pool_tend.c: the main function of the pool's threads; ctx is a struct tender. */
void *pool_tend(void *ctx);
/* The rounds of the three tenders. */
void pool_tend_forks(struct tender *t);
void pool_tend_zygotes(struct tender *t);
void pool_tend_alone(struct tender *t);

#endif
