/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool's threads, which start, replace and end jails and nests. Jails and nests die with the
 * thread that started them.
 */
#include "jail/pool_parts.h"

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/fd.h"
#include "base/mem.h"
#include "limits/watch.h"

#define IDLE_MS   600000 /* a kind that no run has used for so long is forgotten */
#define CALM_MS   5000   /* a kind that no run has missed for so long needs one ready jail less */
#define FAILED_MS 10000  /* until a failed kind is tried again */
#define LOOK_MS   500

static void note_problem(struct pool *pool, const struct err *err)
{
    snprintf(pool->stats.problem, sizeof pool->stats.problem, "%.299s", err->msg);
}

/* ---- how many ---- */

static uint64_t bytes_of(const struct pool_jail *jail)
{
    struct cgroup_usage use;
    struct watch_tree tree;

    cgroup_usage(jail->group, &use);
    if (!use.memory_now && jail_tree(jail->jail, &tree))
        (void)watch_tree_part(&tree, &use.memory_now);
    return use.memory_now;
}

/* Measures one ready jail of each kind at intervals; jails of a kind are alike. */
static void look_at_memory(struct tender *t, int64_t now)
{
    if (now < t->looked_ms + LOOK_MS)
        return;
    t->looked_ms = now;
    for (unsigned i = 0; i < t->pool->options.kinds_max; i++) {
        struct kind *k = &t->kinds[i];
        if (k->ready_n)
            k->bytes_each = bytes_of(&k->ready[0]);
    }
}

static bool pool_tend_has_room(const struct pool *pool, const struct kind *one_more)
{
    uint64_t bytes = one_more->bytes_each;
    unsigned n = 0;

    for (unsigned i = 0; i < pool->kind_count; i++) {
        const struct kind *k = &pool->kinds[i];
        unsigned these = k->ready_n + k->making;
        n += these;
        bytes += these * k->bytes_each;
    }
    return n < pool->options.ready_max && bytes <= pool->options.memory_max;
}

/* A kind without a ready jail may take the place of one jail of the least recently used kind. That
 * kind gets no new jail until a run misses one again. */
static bool make_room(struct pool *pool, const struct kind *k)
{
    struct kind *other = NULL;

    if (pool_tend_has_room(pool, k))
        return true;
    if (k->ready_n + k->making)
        return false;
    for (unsigned i = 0; i < pool->kind_count; i++) {
        struct kind *o = &pool->kinds[i];
        if (o->ready_n && o->used_ms < k->used_ms && (!other || o->used_ms < other->used_ms))
            other = o;
    }
    if (!other)
        return false;
    pool_doom_first(pool, other);
    other->target = other->ready_n;
    return pool_tend_has_room(pool, k);
}

/* Lowers the number of ready jails of a kind that no run has missed for a while. */
static void calm(struct pool *pool, struct kind *k, int64_t now)
{
    if (k->target <= 1 || now <= k->missed_ms + CALM_MS)
        return;
    k->missed_ms = now;
    k->target--;
    if (k->ready_n > k->target)
        pool_doom_first(pool, k);
}

static void keep_or_doom(struct pool *pool, struct kind *k, const struct pool_jail *made)
{
    bool wanted = (k->state == KIND_LIVE || k->nest) && k->ready_n < READY_MAX;

    if (k->ready_n == READY_MAX)
        pool_doom_first(pool, k);
    k->ready[k->ready_n++] = *made;
    if (!wanted)
        pool_doom_first(pool, k);
}

/* ---- kinds with a zygote ---- */

static uint64_t zygote_bytes(const struct jail *nest)
{
    struct watch_tree tree;
    uint64_t bytes = 0;

    if (jail_tree(nest, &tree))
        (void)watch_tree_memory(&tree, &bytes);
    return bytes;
}

/* All zygotes together may use as many bytes as waiting jails. Forgets the least recently used
 * kinds beyond that; never the newest, nor one that is busy. */
static void fit_zygotes(struct pool *pool, const struct kind *newest)
{
    struct kind *oldest;
    uint64_t bytes;

    do {
        oldest = NULL;
        bytes = 0;
        for (unsigned i = 0; i < pool->kind_count; i++) {
            struct kind *k = &pool->kinds[i];
            if (!k->nest)
                continue;
            bytes += k->nest->bytes;
            if (k != newest && !pool_is_busy(k) && (!oldest || k->used_ms < oldest->used_ms))
                oldest = k;
        }
        if (bytes > pool->options.memory_max && oldest)
            pool_forget(pool, oldest);
    } while (bytes > pool->options.memory_max && oldest);
}

/* The current nest, if any, serves until the new one is ready. */
static void start_nest(struct pool *pool, struct kind *k)
{
    struct err err;
    struct jail *jail = NULL;

    k->state = KIND_STARTING;
    pthread_mutex_unlock(&pool->lock);
    int result = pool_make_nest(&k->spec, &jail, &err);
    uint64_t bytes = result == 0 ? zygote_bytes(jail) : 0;
    pthread_mutex_lock(&pool->lock);
    if (result == 0 && !pool_retire_nest(pool, k))
        result = err_set(&err, ERR_LIMIT, "too many zygotes wait for their last guests");
    if (result == 0) {
        k->nest = xcalloc(1, sizeof *k->nest);
        *k->nest = (struct pool_nest){.jail = jail, .bytes = bytes};
        fit_zygotes(pool, k);
    } else {
        jail_free(jail);
    }
    k->state = result == 0 ? KIND_LIVE : KIND_FAILED;
    k->failed_ms = clock_mono_ms();
    if (result < 0)
        note_problem(pool, &err);
    else
        pool->stats.zygotes_started++;
    pthread_cond_broadcast(&pool->settled);
    pthread_cond_signal(&pool->tenders[TEND_FORKS].work);
}

static void fill(struct pool *pool, struct kind *k)
{
    struct pool_jail jail;
    struct err err;

    k->making++;
    bool made = pool_make_now(pool, k, NULL, &jail, &err) == 0;
    k->making--;
    if (made)
        keep_or_doom(pool, k, &jail);
}

static bool has_died(const struct kind *k)
{
    return k->nest->broken ||
           fd_readable(jail_fd(k->nest->jail)); /* the nest's only further message is its end */
}

static void renew(struct pool *pool, struct kind *k, bool died)
{
    pool->stats.zygotes_died += died;
    pool->stats.zygotes_renewed += !died;
    while (died && !k->making && k->ready_n)
        pool_doom_first(pool, k);
    start_nest(pool, k);
}

static bool tend_zygote(struct pool *pool, struct kind *k)
{
    if (k->state == KIND_WANTED) {
        start_nest(pool, k);
        return true;
    }
    if (k->state != KIND_LIVE)
        return false;
    bool died = has_died(k);
    if (!died && k->nest->forks < pool->options.forks_max)
        return false;
    renew(pool, k, died);
    return true;
}

/* The current zygote still serves while the next one starts. */
static bool one_forks(struct tender *t, struct kind *k, int64_t now)
{
    struct pool *pool = t->pool;

    if (!k->nest)
        return false;
    if (!k->nest->broken && !k->spec.forks && k->ready_n < k->target && make_room(pool, k)) {
        fill(pool, k);
        return true;
    }
    calm(pool, k, now);
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
            pool_end_nest(mem_take(&pool->retired[i]));
    }
}

/* ---- kinds without ---- */

static void fail_kind(struct pool *pool, struct kind *k, const struct err *err)
{
    note_problem(pool, err);
    k->state = KIND_FAILED;
    k->failed_ms = clock_mono_ms();
}

static void start_alone(struct pool *pool, struct kind *k)
{
    struct pool_order order = {.limits = &k->limits, .layers = k->layers};
    struct pool_jail jail;
    struct err err;

    k->making++;
    pthread_mutex_unlock(&pool->lock);
    struct pool_alone more = {.input = k->input, .text = buf_str(&k->text)};
    int result = pool_make_alone(&k->spec, &order, &more, &jail, &err);
    pthread_mutex_lock(&pool->lock);
    k->making--;
    if (result == 0)
        keep_or_doom(pool, k, &jail);
    else
        fail_kind(pool, k, &err);
}

/* Marks a kind as failed if its interpreter died while it waited, so that it is not started in a
 * loop. */
static void look_for_dead(struct pool *pool, struct kind *k)
{
    struct err err;

    for (unsigned i = 0; i < k->ready_n; i++) {
        struct pollfd look = {.fd = jail_fd(k->ready[i].jail), .events = POLLIN};
        if (poll(&look, 1, 0) == 0)
            continue;
        struct pool_jail dead = k->ready[i];
        k->ready[i--] = k->ready[0];
        k->ready[0] = dead;
        pool_doom_first(pool, k);
        err_set(&err, ERR_SYSTEM, "%s ended while it waited", k->spec.exec_path);
        fail_kind(pool, k, &err);
    }
}

static bool tend_alone(struct pool *pool, struct kind *k, int64_t now)
{
    if (k->state == KIND_WANTED)
        k->state = KIND_LIVE;
    if (k->state != KIND_LIVE)
        return false;
    look_for_dead(pool, k);
    if (k->state == KIND_LIVE && k->ready_n < k->target && make_room(pool, k)) {
        start_alone(pool, k);
        return true;
    }
    calm(pool, k, now);
    return false;
}

/* Unlocks meanwhile: ending a jail may take a while. */
static void end_doomed(struct pool *pool)
{
    while (pool->doomed_n) {
        struct pool_jail jail = pool->doomed[--pool->doomed_n];
        pthread_mutex_unlock(&pool->lock);
        pool_jail_done(&jail);
        pthread_mutex_lock(&pool->lock);
    }
}

/* ---- the threads ---- */

static void wait_for_work(struct tender *t)
{
    (void)cond_wait_until(&t->work, &t->pool->lock, clock_mono_ms() + LOOK_MS);
}

/* Calls `tend` for each kind in use. True if one of the calls did something. */
static bool each_kind(struct tender *t, bool (*tend)(struct tender *t, struct kind *k, int64_t now))
{
    bool busy = false;

    for (unsigned i = 0; i < t->pool->options.kinds_max && !t->pool->closing; i++)
        if (t->kinds[i].state != KIND_FREE)
            busy |= tend(t, &t->kinds[i], clock_mono_ms());
    return busy;
}

/* Forgets a kind that no run has used for a long time. True if it did. */
static bool age(struct tender *t, struct kind *k, int64_t now)
{
    if (k->state == KIND_FAILED && now > k->failed_ms + FAILED_MS)
        k->state = KIND_WANTED;
    if (k->state == KIND_WANTED || pool_is_busy(k) || now <= k->used_ms + IDLE_MS)
        return false;
    pool_forget(t->pool, k);
    return true;
}

static bool one_zygote(struct tender *t, struct kind *k, int64_t now)
{
    return age(t, k, now) || tend_zygote(t->pool, k);
}

static bool one_alone(struct tender *t, struct kind *k, int64_t now)
{
    return age(t, k, now) || tend_alone(t->pool, k, now);
}

/* Zygotes are in no control group, so that the kernel does not kill them for a group's limit. Their
 * memory is subtracted from the ceiling. */
static void set_zygotes_apart(struct pool *pool)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < pool->kind_count; i++)
        bytes += pool->kinds[i].nest ? pool->kinds[i].nest->bytes : 0;
    for (unsigned i = 0; i < RETIRED_MAX; i++)
        bytes += pool->retired[i] ? pool->retired[i]->bytes : 0;
    if (bytes == pool->zygotes_bytes)
        return;
    pthread_mutex_unlock(&pool->lock);
    bool set = cgroup_ceiling_less(bytes);
    pthread_mutex_lock(&pool->lock);
    if (set)
        pool->zygotes_bytes = bytes;
}

void pool_tend_zygotes(struct tender *t)
{
    bool busy = each_kind(t, one_zygote);

    reap_retired(t->pool);
    set_zygotes_apart(t->pool);
    if (!busy)
        wait_for_work(t);
}

void pool_tend_forks(struct tender *t)
{
    bool busy = each_kind(t, one_forks);

    look_at_memory(t, clock_mono_ms());
    if (!busy)
        wait_for_work(t);
}

/* Makes a control group for the next fork. */
static bool make_group(struct pool *pool)
{
    struct jail_limits limits = pool->group.limits;
    layer_mask layers = pool->group.layers;

    if (!pool->group.wanted)
        return false;
    pool->group.wanted = false;
    pthread_mutex_unlock(&pool->lock);
    cgroup_make_early(&limits, layers & CGROUP_LAYERS);
    pthread_mutex_lock(&pool->lock);
    return true;
}

void pool_tend_alone(struct tender *t)
{
    bool busy = make_group(t->pool) || each_kind(t, one_alone);

    look_at_memory(t, clock_mono_ms());
    end_doomed(t->pool);
    if (!busy)
        wait_for_work(t);
}

/* Each thread ends the jails that it started, because the kernel kills them when it exits. */
static void end_all(struct tender *t)
{
    struct pool *pool = t->pool;

    for (unsigned i = 0; i < pool->options.kinds_max; i++)
        if (t->kinds[i].state != KIND_FREE)
            pool_forget(pool, &t->kinds[i]);
    for (unsigned i = 0; i < RETIRED_MAX && t == &pool->tenders[TEND_ZYGOTES]; i++)
        if (pool->retired[i])
            pool_end_nest(pool->retired[i]);
    end_doomed(pool);
}

void *pool_tend(void *ctx)
{
    struct tender *t = ctx;
    struct pool *pool = t->pool;

    pthread_mutex_lock(&pool->lock);
    while (!pool->closing)
        t->round(t);
    if (t == &pool->tenders[TEND_FORKS]) {
        pool->forks_over = true;
        pthread_cond_broadcast(&pool->settled);
    }
    while (!pool->forks_over)
        pthread_cond_wait(&pool->settled, &pool->lock);
    if (t != &pool->tenders[TEND_FORKS])
        end_all(t);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}
