/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/pool.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/mem.h"
#include "jail/pool_parts.h"

static void wake(struct pool *pool, enum pool_tender which)
{
    pthread_cond_signal(&pool->tenders[which].work);
}

/* ---- taking ---- */

static struct kind *pool_find(struct pool *pool, struct str key)
{
    for (unsigned i = 0; i < pool->kind_count; i++) {
        struct kind *k = &pool->kinds[i];
        if (k->state != KIND_FREE && str_eq(buf_str(&k->key), key))
            return k;
    }
    return NULL;
}

/* Called with the lock held; releases it while it works. */
static int make_in(struct pool *pool, struct pool_nest *nest, const struct pool_order *order,
                   struct pool_jail *ret, struct err *err)
{
    nest->users++;
    if (++nest->forks == pool->options.forks_max)
        wake(pool, TEND_ZYGOTES);
    pthread_mutex_unlock(&pool->lock);
    int result = pool_make_jail(nest->jail, order, ret, err);
    pthread_mutex_lock(&pool->lock);
    nest->users--;
    return result;
}

int pool_make_now(struct pool *pool, struct kind *k, const int channel[2], struct pool_jail *ret,
                  struct err *err)
{
    struct pool_order order = {.limits = &k->limits, .layers = k->layers, .channel = channel};
    struct pool_nest *nest = k->nest;

    k->users++;
    int result = make_in(pool, nest, &order, ret, err);
    k->users--;
    if (result < 0) {
        nest->broken = true;
        wake(pool, TEND_ZYGOTES);
        snprintf(pool->stats.problem, sizeof pool->stats.problem, "%.299s", err->msg);
    }
    return result;
}

static void doom(struct pool *pool, const struct pool_jail *jail)
{
    if (pool->doomed_n == pool->doomed_size) {
        pool->doomed_size = pool->doomed_size ? pool->doomed_size * 2 : 8;
        pool->doomed = xrealloc_array(pool->doomed, pool->doomed_size, sizeof *pool->doomed);
    }
    pool->doomed[pool->doomed_n++] = *jail;
    wake(pool, TEND_ALONE);
}

static struct pool_jail take_first(struct kind *k)
{
    struct pool_jail first = k->ready[0];

    memmove(k->ready, k->ready + 1, --k->ready_n * sizeof *k->ready);
    return first;
}

void pool_doom_first(struct pool *pool, struct kind *k)
{
    struct pool_jail first = take_first(k);

    doom(pool, &first);
}

/* Takes a ready jail; jails that died while they waited are doomed. Takes the newest fork, which is
 * still in the processor's caches; of other jails the oldest, so that none waits for days. */
static bool take_ready(struct pool *pool, struct kind *k, struct pool_jail *ret)
{
    while (k->ready_n) {
        *ret = k->alone ? take_first(k) : k->ready[--k->ready_n];
        struct pollfd look = {.fd = jail_fd(ret->jail), .events = POLLIN};
        if (poll(&look, 1, 0) == 0)
            return true;
        doom(pool, ret);
    }
    return false;
}

static void note_miss(struct pool *pool, struct kind *k)
{
    k->missed_ms = k->used_ms;
    if (k->target < READY_MAX && k->target < pool->options.ready_max)
        k->target++;
}

bool pool_take(struct pool *pool, struct str key, const int channel[2], struct pool_jail *ret)
{
    bool took = false;
    struct err err;

    pthread_mutex_lock(&pool->lock);
    struct kind *k = pool_find(pool, key);
    if (k)
        k->used_ms = clock_mono_ms();
    if (k && !channel && take_ready(pool, k, ret)) {
        pool->stats.hits++;
        took = true;
    } else if (k && !channel && k->state == KIND_LIVE) {
        note_miss(pool, k);
    }
    if (!took && k && k->nest && !k->nest->broken) {
        took = pool_make_now(pool, k, channel, ret, &err) == 0;
        pool->stats.on_demand += took;
    }
    pool->stats.misses += !took;
    bool last = k && !(took && k->ready_n), alone = k && k->alone;
    pthread_mutex_unlock(&pool->lock);
    if (last)
        wake(pool, alone ? TEND_ALONE : TEND_FORKS);
    return took;
}

void pool_rest(struct pool *pool)
{
    bool wanting[2] = {false, false};

    pthread_mutex_lock(&pool->lock);
    for (unsigned i = 0; i < pool->kind_count; i++) {
        const struct kind *k = &pool->kinds[i];
        wanting[k->alone] |= (k->nest || k->state == KIND_LIVE) && k->ready_n < k->target;
    }
    pthread_mutex_unlock(&pool->lock);
    if (wanting[false])
        wake(pool, TEND_FORKS);
    if (wanting[true])
        wake(pool, TEND_ALONE);
}

/* ---- learning ---- */

void pool_end_nest(struct pool_nest *nest)
{
    if (!nest)
        return;
    jail_free(nest->jail);
    free(nest);
}

bool pool_retire_nest(struct pool *pool, struct kind *k)
{
    for (unsigned i = 0; i < RETIRED_MAX && k->nest; i++)
        if (!pool->retired[i])
            pool->retired[i] = mem_take(&k->nest);
    return !k->nest;
}

void pool_forget(struct pool *pool, struct kind *k)
{
    while (k->ready_n)
        pool_doom_first(pool, k);
    if (!pool_retire_nest(pool, k))
        pool_end_nest(k->nest);
    spec_done(&k->spec);
    buf_done(&k->key);
    buf_done(&k->text);
    *k = (struct kind){.state = KIND_FREE};
}

bool pool_is_busy(const struct kind *k)
{
    return k->users || k->making || k->state == KIND_STARTING || (k->nest && k->nest->users);
}

/* A free slot, otherwise the least recently used idle kind, otherwise NULL. */
static struct kind *place(const struct pool *pool, struct kind *kinds)
{
    struct kind *oldest = NULL;

    for (unsigned i = 0; i < pool->options.kinds_max; i++) {
        struct kind *k = &kinds[i];
        if (k->state == KIND_FREE)
            return k;
        if (!pool_is_busy(k) && (!oldest || k->used_ms < oldest->used_ms))
            oldest = k;
    }
    return oldest;
}

/* Takes the spec over. Returns NULL if there is no slot. */
static struct kind *learn(struct pool *pool, struct kind *kinds, struct str key,
                          struct jail_spec *spec, const struct jail_limits *limits,
                          layer_mask layers)
{
    struct kind *k = pool->closing ? NULL : place(pool, kinds);

    if (!k)
        return NULL;
    if (k->state != KIND_FREE)
        pool_forget(pool, k);
    buf_init(&k->key, key.n);
    (void)buf_add_str(&k->key, key);
    k->spec = *spec;
    spec_init(spec);
    k->limits = *limits;
    k->layers = layers;
    k->target = 1;
    k->used_ms = clock_mono_ms();
    k->state = KIND_WANTED;
    wake(pool, kinds == pool->tenders[TEND_ALONE].kinds ? TEND_ALONE : TEND_ZYGOTES);
    return k;
}

void pool_learn(struct pool *pool, struct str key, struct jail_spec *spec,
                const struct jail_limits *limits, layer_mask layers)
{
    pthread_mutex_lock(&pool->lock);
    spec->park = true;
    if (!pool_find(pool, key))
        (void)learn(pool, pool->tenders[TEND_FORKS].kinds, key, spec, limits, layers);
    pthread_mutex_unlock(&pool->lock);
}

void pool_learn_alone(struct pool *pool, struct str key, struct jail_spec *spec,
                      const struct jail_limits *limits, layer_mask layers,
                      const struct pool_alone *more)
{
    struct kind *k = NULL;

    pthread_mutex_lock(&pool->lock);
    if (!pool_find(pool, key))
        k = learn(pool, pool->tenders[TEND_ALONE].kinds, key, spec, limits, layers);
    if (k) {
        k->alone = true;
        k->input = more->input;
        buf_init(&k->text, more->text.n);
        (void)buf_add_str(&k->text, more->text);
        k->state = KIND_LIVE;
    }
    pthread_mutex_unlock(&pool->lock);
}

/* ---- guests that will be forked ---- */

/* True if a usable nest may come: the first one, or one that replaces a broken one. */
static bool may_come(const struct kind *k)
{
    bool under_way = k->state == KIND_WANTED || k->state == KIND_STARTING;

    return k->nest ? (under_way || k->state == KIND_LIVE) && k->nest->broken : under_way;
}

/* Called with the lock held; releases it while it waits. Returns the kind's nest, or NULL with
 * *err. */
static struct pool_nest *wait_for_nest(struct pool *pool, struct kind *k, struct err *err)
{
    k->users++; /* so that the kind is not forgotten */
    while (!pool->closing && may_come(k))
        pthread_cond_wait(&pool->settled, &pool->lock);
    k->users--;
    if (k->nest && !k->nest->broken)
        return k->nest;
    err_set(err, ERR_SYSTEM, "%s",
            pool->stats.problem[0] ? pool->stats.problem : "its zygote could not be started");
    return NULL;
}

/* Called with the lock held; releases it while it works. Counts the jail as a user of its nest. */
static int make_held(struct pool *pool, struct kind *k, const int channel[2], struct pool_jail *ret,
                     struct err *err)
{
    struct pool_nest *nest = wait_for_nest(pool, k, err);

    if (!nest)
        return -1;
    nest->users++;
    k->used_ms = clock_mono_ms();
    int result = pool_make_now(pool, k, channel, ret, err);
    ret->nest = nest;
    nest->users -= result < 0;
    return result;
}

/* Try again once: the zygote of the first nest may just have died. */
#define REQUIRE_TRIES 2

int pool_require(struct pool *pool, struct str key, struct jail_spec *spec,
                 const struct pool_order *order, struct pool_jail *ret, struct err *err)
{
    int result = -1;

    pthread_mutex_lock(&pool->lock);
    struct kind *k = pool_find(pool, key);
    spec->park = true;
    if (!k)
        k = learn(pool, pool->tenders[TEND_FORKS].kinds, key, spec, order->limits, order->layers);
    if (!k)
        err_set(err, ERR_LIMIT, "there are too many zygotes");
    if (k)
        k->users++; /* so that the kind is not forgotten between two tries */
    for (int left = k ? REQUIRE_TRIES : 0; left && result < 0 && !pool->closing; left--)
        result = make_held(pool, k, order->channel, ret, err);
    if (k)
        k->users--;
    pool->stats.on_demand += result == 0;
    pthread_mutex_unlock(&pool->lock);
    return result;
}

int pool_fork(struct pool *pool, struct pool_nest *nest, const struct pool_order *order,
              struct pool_jail *ret, struct err *err)
{
    pthread_mutex_lock(&pool->lock);
    int result = make_in(pool, nest, order, ret, err);
    nest->users += result == 0;
    pthread_mutex_unlock(&pool->lock);
    return result;
}

void pool_release(struct pool *pool, struct pool_nest *nest)
{
    pthread_mutex_lock(&pool->lock);
    nest->users--;
    wake(pool, TEND_ZYGOTES);
    pthread_mutex_unlock(&pool->lock);
}

void pool_forked(struct pool *pool, const struct jail_limits *limits, layer_mask layers)
{
    pthread_mutex_lock(&pool->lock);
    pool->group.wanted = true;
    pool->group.limits = *limits;
    pool->group.layers = layers;
    wake(pool, TEND_ALONE);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- from birth to death ---- */

static void set_options(struct pool *pool, const struct pool_options *options)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
    struct pool_options *o = &pool->options;

    *o = *options;
    if (!o->ready_max)
        o->ready_max = processors > 0 ? (unsigned)processors * 4 : 4;
    if (!o->kinds_max)
        o->kinds_max = 8;
    if (!o->forks_max)
        o->forks_max = 5000;
    if (!o->memory_max)
        o->memory_max =
            pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 8 : (uint64_t)256 << 20;
}

static struct pool *pool_new(const struct pool_options *options)
{
    struct pool *pool = xcalloc(1, sizeof *pool);

    set_options(pool, options);
    pool->kind_count = 2 * pool->options.kinds_max;
    pool->kinds = xcalloc(pool->kind_count, sizeof *pool->kinds);
    struct kind *alone = pool->kinds + pool->options.kinds_max;
    pool->tenders[TEND_FORKS] =
        (struct tender){.pool = pool, .round = pool_tend_forks, .kinds = pool->kinds};
    pool->tenders[TEND_ZYGOTES] =
        (struct tender){.pool = pool, .round = pool_tend_zygotes, .kinds = pool->kinds};
    pool->tenders[TEND_ALONE] =
        (struct tender){.pool = pool, .round = pool_tend_alone, .kinds = alone};
    pthread_mutex_init(&pool->lock, NULL);
    for (unsigned i = 0; i < TENDERS; i++)
        cond_init(&pool->tenders[i].work);
    cond_init(&pool->settled);
    return pool;
}

static void pool_free(struct pool *pool)
{
    for (unsigned i = 0; i < TENDERS; i++)
        pthread_cond_destroy(&pool->tenders[i].work);
    pthread_cond_destroy(&pool->settled);
    pthread_mutex_destroy(&pool->lock);
    free(pool->doomed);
    free(pool->kinds);
    free(pool);
}

/* Spare groups for running jails, in addition to those for ready jails. */
#define SPARE_GROUPS 16

static int spare_groups(const struct pool *pool)
{
    return (int)pool->options.ready_max + SPARE_GROUPS;
}

/* Ends the threads that were started. */
static void end_threads(struct pool *pool, unsigned count)
{
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pool->forks_over = !count;
    for (unsigned i = 0; i < count; i++)
        pthread_cond_signal(&pool->tenders[i].work);
    pthread_cond_broadcast(&pool->settled);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < count; i++)
        pthread_join(pool->tenders[i].thread, NULL);
}

static unsigned start_threads(struct pool *pool)
{
    struct tender *all = pool->tenders;
    unsigned count = 0;

    while (count < TENDERS &&
           !(errno = pthread_create(&all[count].thread, NULL, pool_tend, &all[count])))
        count++;
    return count;
}

int pool_open(const struct pool_options *options, struct pool **ret, struct err *err)
{
    struct pool *pool = pool_new(options);
    unsigned count = start_threads(pool);

    if (count < TENDERS) {
        err_sys(err, "start the pool's thread");
        end_threads(pool, count);
        pool_free(pool);
        return -1;
    }
    cgroup_spare(spare_groups(pool));
    *ret = pool;
    return 0;
}

void pool_close(struct pool *pool)
{
    if (!pool)
        return;
    end_threads(pool, TENDERS);
    cgroup_spare(-spare_groups(pool));
    pool_free(pool);
}

void pool_stats(struct pool *pool, struct pool_stats *ret)
{
    pthread_mutex_lock(&pool->lock);
    *ret = pool->stats;
    ret->ready = ret->zygotes = 0;
    ret->memory = 0;
    for (unsigned i = 0; i < pool->kind_count; i++) {
        const struct kind *k = &pool->kinds[i];
        ret->ready += k->ready_n;
        ret->zygotes += k->nest != NULL;
        ret->memory += k->ready_n * k->bytes_each + (k->nest ? k->nest->bytes : 0);
    }
    pthread_mutex_unlock(&pool->lock);
}
