/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/pool.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "jail/pool_make.h"

#define READY_MAX   64     /* of one kind */
#define RETIRED_MAX 16     /* nests whose last guests are still running */
#define IDLE_MS     600000 /* a kind that nobody asked for */
#define CALM_MS     5000   /* ready jails that nobody missed become fewer */
#define FAILED_MS   10000  /* before another try */
#define LOOK_MS     500

#define SPARE_GROUPS 16 /* kept beside those of ready jails */

enum kind_state {
    KIND_FREE,
    KIND_WANTED, /* its nest is to be started */
    KIND_STARTING,
    KIND_LIVE,
    KIND_FAILED,
};

struct pool_nest {
    struct jail *jail;
    unsigned users; /* threads that have it make a jail right now, and who holds it */
    uint32_t forks;
    bool broken; /* it made none when it was asked to */
    bool ending;
};

struct kind {
    enum kind_state state;
    struct buf key;
    struct jail_spec spec;
    struct jail_limits limits;
    layer_mask layers;
    struct pool_nest *nest;
    unsigned users; /* of this kind and its nests */
    struct pool_jail ready[READY_MAX];
    unsigned ready_n, target, making;
    int64_t used_ms, missed_ms, failed_ms;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_cond_t settled; /* a nest could be started, or could not */
    pthread_t thread;
    bool closing;
    struct pool_options options;
    struct kind *kinds;
    struct pool_nest *retired[RETIRED_MAX];
    struct pool_stats stats;
};

/* ---- taking ---- */

static struct kind *find(struct pool *pool, struct str key)
{
    for (unsigned i = 0; i < pool->options.kinds_max; i++) {
        struct kind *k = &pool->kinds[i];
        if (k->state != KIND_FREE && str_eq(buf_str(&k->key), key))
            return k;
    }
    return NULL;
}

static unsigned ready_in_all(const struct pool *pool)
{
    unsigned n = 0;

    for (unsigned i = 0; i < pool->options.kinds_max; i++)
        n += pool->kinds[i].ready_n + pool->kinds[i].making;
    return n;
}

/* With the lock; lets go of it meanwhile. */
static int make_in(struct pool *pool, struct pool_nest *nest, const struct pool_order *order,
                   struct pool_jail *ret, struct err *err)
{
    nest->users++;
    nest->forks++;
    pthread_mutex_unlock(&pool->lock);
    int result = pool_make_jail(nest->jail, order, ret, err);
    pthread_mutex_lock(&pool->lock);
    nest->users--;
    return result;
}

static int make_now(struct pool *pool, struct kind *k, const int channel[2], struct pool_jail *ret,
                    struct err *err)
{
    struct pool_order order = {.limits = &k->limits, .layers = k->layers, .channel = channel};
    struct pool_nest *nest = k->nest;

    k->users++;
    int result = make_in(pool, nest, &order, ret, err);
    k->users--;
    if (result < 0) {
        nest->broken = true;
        snprintf(pool->stats.problem, sizeof pool->stats.problem, "%.299s", err->msg);
    }
    return result;
}

/* One that waits; those that died waiting are put away. */
static bool take_ready(struct kind *k, struct pool_jail *ret)
{
    while (k->ready_n) {
        *ret = k->ready[--k->ready_n];
        struct pollfd look = {.fd = jail_fd(ret->jail), .events = POLLIN};
        if (poll(&look, 1, 0) == 0)
            return true;
        pool_jail_done(ret);
    }
    return false;
}

bool pool_take(struct pool *pool, struct str key, const int channel[2], struct pool_jail *ret)
{
    bool took = false;
    struct err err;

    pthread_mutex_lock(&pool->lock);
    struct kind *k = find(pool, key);
    if (k)
        k->used_ms = clock_mono_ms();
    if (k && !channel && take_ready(k, ret)) {
        pool->stats.hits++;
        took = true;
    } else if (k && k->nest && !k->nest->broken) {
        k->missed_ms = k->used_ms;
        if (!channel && k->target < READY_MAX && k->target < pool->options.ready_max)
            k->target++;
        took = make_now(pool, k, channel, ret, &err) == 0;
        pool->stats.on_demand += took;
    }
    pool->stats.misses += !took;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    return took;
}

/* ---- learning ---- */

static void drop_ready(struct kind *k)
{
    while (k->ready_n)
        pool_jail_done(&k->ready[--k->ready_n]);
}

static void end_nest(struct pool_nest *nest)
{
    if (!nest)
        return;
    jail_free(nest->jail);
    free(nest);
}

/* Its guests may still run, and others wait: it ends with the last. False when there are too many
 * of those already. */
static bool retire_nest(struct pool *pool, struct kind *k)
{
    for (unsigned i = 0; i < RETIRED_MAX && k->nest; i++)
        if (!pool->retired[i])
            pool->retired[i] = mem_take(&k->nest);
    return !k->nest;
}

static void forget(struct pool *pool, struct kind *k)
{
    drop_ready(k);
    if (!retire_nest(pool, k))
        end_nest(k->nest);
    spec_done(&k->spec);
    buf_done(&k->key);
    *k = (struct kind){.state = KIND_FREE};
}

static bool is_busy(const struct kind *k)
{
    return k->users || k->making || k->state == KIND_STARTING || (k->nest && k->nest->users);
}

/* A free place, or that of who was not asked for longest and has nothing under way. */
static struct kind *place(struct pool *pool)
{
    struct kind *oldest = NULL;

    for (unsigned i = 0; i < pool->options.kinds_max; i++) {
        struct kind *k = &pool->kinds[i];
        if (k->state == KIND_FREE)
            return k;
        if (!is_busy(k) && (!oldest || k->used_ms < oldest->used_ms))
            oldest = k;
    }
    return oldest;
}

/* Takes the spec over; NULL when there is no place. */
static struct kind *learn(struct pool *pool, struct str key, struct jail_spec *spec,
                          const struct jail_limits *limits, layer_mask layers)
{
    struct kind *k = pool->closing ? NULL : place(pool);

    if (!k)
        return NULL;
    if (k->state != KIND_FREE)
        forget(pool, k);
    buf_init(&k->key, key.n);
    (void)buf_add_str(&k->key, key);
    k->spec = *spec;
    k->spec.park = true;
    spec_init(spec);
    k->limits = *limits;
    k->layers = layers;
    k->target = 1;
    k->used_ms = clock_mono_ms();
    k->state = KIND_WANTED;
    pthread_cond_signal(&pool->work);
    return k;
}

void pool_learn(struct pool *pool, struct str key, struct jail_spec *spec,
                const struct jail_limits *limits, layer_mask layers)
{
    pthread_mutex_lock(&pool->lock);
    if (!find(pool, key))
        (void)learn(pool, key, spec, limits, layers);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- guests that will be forked ---- */

/* With the lock; lets go of it meanwhile. The kind's nest, or NULL. */
static struct pool_nest *wait_for_nest(struct pool *pool, struct kind *k, struct err *err)
{
    k->users++; /* so that it stays */
    while (!pool->closing && (k->state == KIND_WANTED || k->state == KIND_STARTING) && !k->nest)
        pthread_cond_wait(&pool->settled, &pool->lock);
    k->users--;
    if (k->nest && !k->nest->broken)
        return k->nest;
    err_set(err, ERR_SYSTEM, "%s",
            pool->stats.problem[0] ? pool->stats.problem : "its zygote could not be started");
    return NULL;
}

int pool_require(struct pool *pool, struct str key, struct jail_spec *spec,
                 const struct jail_limits *limits, layer_mask layers, const int channel[2],
                 struct pool_jail *ret, struct pool_nest **ret_nest, struct err *err)
{
    int result = -1;

    pthread_mutex_lock(&pool->lock);
    struct kind *k = find(pool, key);
    if (!k)
        k = learn(pool, key, spec, limits, layers);
    if (!k)
        err_set(err, ERR_LIMIT, "all places for zygotes are taken");
    struct pool_nest *nest = k ? wait_for_nest(pool, k, err) : NULL;
    if (nest) {
        nest->users++;
        k->used_ms = clock_mono_ms();
        result = make_now(pool, k, channel, ret, err);
        *ret_nest = nest;
        nest->users -= result < 0;
        pool->stats.on_demand += result == 0;
    }
    pthread_mutex_unlock(&pool->lock);
    return result;
}

int pool_fork(struct pool *pool, struct pool_nest *nest, const struct jail_limits *limits,
              layer_mask layers, const int channel[2], const struct jail_origin *origin,
              struct pool_jail *ret, struct err *err)
{
    struct pool_order order = {
        .limits = limits, .layers = layers, .channel = channel, .origin = origin};

    pthread_mutex_lock(&pool->lock);
    int result = make_in(pool, nest, &order, ret, err);
    nest->users += result == 0;
    pthread_mutex_unlock(&pool->lock);
    return result;
}

void pool_release(struct pool *pool, struct pool_nest *nest)
{
    pthread_mutex_lock(&pool->lock);
    nest->users--;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- the pool's thread ---- */

/* The present one, if there is one, serves until the new one can. */
static void start_nest(struct pool *pool, struct kind *k)
{
    struct err err;
    struct jail *jail = NULL;

    k->state = KIND_STARTING;
    pthread_mutex_unlock(&pool->lock);
    int result = pool_make_nest(&k->spec, &jail, &err);
    pthread_mutex_lock(&pool->lock);
    if (result == 0 && !retire_nest(pool, k))
        result = err_set(&err, ERR_LIMIT, "too many zygotes wait for their last guests");
    if (result == 0) {
        k->nest = xcalloc(1, sizeof *k->nest);
        k->nest->jail = jail;
    } else {
        jail_free(jail);
    }
    k->state = result == 0 ? KIND_LIVE : KIND_FAILED;
    k->failed_ms = clock_mono_ms();
    if (result < 0)
        snprintf(pool->stats.problem, sizeof pool->stats.problem, "%.299s", err.msg);
    else
        pool->stats.zygotes_started++;
    pthread_cond_broadcast(&pool->settled);
}

static void fill(struct pool *pool, struct kind *k)
{
    struct pool_jail jail;
    struct err err;

    k->making++;
    bool made = make_now(pool, k, NULL, &jail, &err) == 0;
    k->making--;
    if (made && (k->state != KIND_LIVE || k->ready_n == READY_MAX))
        pool_jail_done(&jail);
    else if (made)
        k->ready[k->ready_n++] = jail;
}

static bool has_died(const struct kind *k)
{
    struct pollfd look = {.fd = jail_fd(k->nest->jail), .events = POLLIN};

    return k->nest->broken || poll(&look, 1, 0) > 0; /* it has nothing more to say than its end */
}

/* One thing that is to be done for this kind; false when there is none. */
static bool tend(struct pool *pool, struct kind *k, int64_t now)
{
    if (k->state == KIND_FAILED && now > k->failed_ms + FAILED_MS)
        k->state = KIND_WANTED;
    if (k->state == KIND_WANTED) {
        start_nest(pool, k);
        return true;
    }
    if (k->state == KIND_FREE)
        return false;
    if (!is_busy(k) && now > k->used_ms + IDLE_MS) {
        forget(pool, k);
        return true;
    }
    if (k->state != KIND_LIVE)
        return false;
    bool died = has_died(k);
    if (died || k->nest->forks >= pool->options.forks_max) {
        pool->stats.zygotes_died += died;
        pool->stats.zygotes_renewed += !died;
        if (died && !k->making)
            drop_ready(k);
        start_nest(pool, k);
        return true;
    }
    if (!k->spec.forks && k->ready_n < k->target && ready_in_all(pool) < pool->options.ready_max) {
        fill(pool, k);
        return true;
    }
    if (k->target > 1 && now > k->missed_ms + CALM_MS) {
        k->missed_ms = now;
        k->target--;
        if (k->ready_n > k->target)
            pool_jail_done(&k->ready[--k->ready_n]);
    }
    return false;
}

static void reap_retired(struct pool *pool)
{
    for (unsigned i = 0; i < RETIRED_MAX; i++) {
        struct pool_nest *nest = pool->retired[i];
        if (!nest || nest->users)
            continue;
        if (!nest->ending)
            (void)shutdown(jail_fd(nest->jail), SHUT_WR);
        nest->ending = true;
        struct pollfd look = {.fd = jail_fd(nest->jail), .events = POLLIN};
        if (poll(&look, 1, 0) > 0 && look.revents & POLLHUP)
            end_nest(mem_take(&pool->retired[i]));
    }
}

static void wait_for_work(struct pool *pool)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&pool->work, &pool->lock, &until);
}

static void *thread_main(void *ctx)
{
    struct pool *pool = ctx;

    pthread_mutex_lock(&pool->lock);
    while (!pool->closing) {
        bool busy = false;
        for (unsigned i = 0; i < pool->options.kinds_max && !pool->closing; i++)
            busy |= tend(pool, &pool->kinds[i], clock_mono_ms());
        reap_retired(pool);
        if (!busy)
            wait_for_work(pool);
    }
    for (unsigned i = 0; i < pool->options.kinds_max; i++)
        if (pool->kinds[i].state != KIND_FREE)
            forget(pool, &pool->kinds[i]);
    for (unsigned i = 0; i < RETIRED_MAX; i++)
        if (pool->retired[i])
            end_nest(pool->retired[i]); /* here: the kernel kills them with this thread anyway */
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* ---- from birth to death ---- */

int pool_open(const struct pool_options *options, struct pool **ret, struct err *err)
{
    struct pool *pool = xcalloc(1, sizeof *pool);
    pthread_condattr_t attr;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    pool->options = *options;
    if (!pool->options.ready_max)
        pool->options.ready_max = processors > 0 ? (unsigned)processors * 4 : 4;
    if (!pool->options.kinds_max)
        pool->options.kinds_max = 8;
    if (!pool->options.forks_max)
        pool->options.forks_max = 5000;
    pool->kinds = xcalloc(pool->options.kinds_max, sizeof *pool->kinds);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->work, &attr);
    pthread_cond_init(&pool->settled, &attr);
    pthread_condattr_destroy(&attr);
    errno = pthread_create(&pool->thread, NULL, thread_main, pool);
    if (errno) {
        free(pool->kinds);
        free(pool);
        return err_sys(err, "start the pool's thread");
    }
    cgroup_spare((int)pool->options.ready_max + SPARE_GROUPS);
    *ret = pool;
    return 0;
}

void pool_close(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    pthread_join(pool->thread, NULL);
    cgroup_spare(-((int)pool->options.ready_max + SPARE_GROUPS));
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->settled);
    pthread_mutex_destroy(&pool->lock);
    free(pool->kinds);
    free(pool);
}

void pool_stats(struct pool *pool, struct pool_stats *ret)
{
    pthread_mutex_lock(&pool->lock);
    *ret = pool->stats;
    ret->ready = ret->zygotes = 0;
    for (unsigned i = 0; i < pool->options.kinds_max; i++) {
        ret->ready += pool->kinds[i].ready_n;
        ret->zygotes += pool->kinds[i].nest != NULL;
    }
    pthread_mutex_unlock(&pool->lock);
}
