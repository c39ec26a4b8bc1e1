/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of a pool of containers: one makes them, the other one removes them.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/mem.h"
#include "far/docker_pool_parts.h"

enum {
    IDLE_MS = 600000,  /* without a guest; then a kind is dropped */
    CALM_MS = 60000,   /* without a lack; then fewer containers are kept ready */
    FAILED_MS = 10000, /* pause before the next try */
    LOOK_MS = 1000,
};

/* The least recently used kind with a waiting container, except `but`. */
static struct kind *find_oldest(struct docker_pool *pool, const struct kind *but)
{
    struct kind *oldest = NULL;

    for (unsigned i = 0; i < pool->kinds_max; i++) {
        struct kind *k = &pool->kinds[i];
        if (k != but && k->ready_n && k->used_ms < but->used_ms &&
            (!oldest || k->used_ms < oldest->used_ms))
            oldest = k;
    }
    return oldest;
}

/* True if another container may wait. If the pool is full and this kind has none, removes a
 * container of the least recently used kind, which gets no new one until a guest misses it. */
static bool make_room(struct docker_pool *pool, struct kind *k)
{
    struct kind *other;

    if (docker_pool_ready(pool) < pool->ready_max)
        return true;
    if (k->ready_n || !(other = find_oldest(pool, k)))
        return false;
    docker_pool_doom(pool, docker_pool_first(other));
    other->target = other->ready_n;
    return docker_pool_ready(pool) < pool->ready_max;
}

/* Makes a container. Releases the lock meanwhile. */
static void make_one(struct docker_pool *pool, struct kind *k)
{
    struct far_guest *guest = docker_guest_new();
    struct docker_container *c = docker_container_of(guest);
    struct err err;

    k->making = true;
    pthread_mutex_unlock(&pool->lock);
    int result = docker_pool_connect(pool, &c->engine, &err);
    if (result == 0)
        result = docker_make_ready(guest, &k->key, &err);
    if (result == 0)
        docker_pool_sweep(c->engine);
    docker_pool_disconnect(pool, mem_take(&c->engine));
    pthread_mutex_lock(&pool->lock);
    k->making = false;
    if (result == 0 && k->ready_n < READY_MAX) {
        k->ready[k->ready_n++] = guest;
        return;
    }
    if (result < 0) {
        k->failed_ms = clock_mono_ms();
        snprintf(pool->stats.problem, sizeof pool->stats.problem, "%.299s", err.msg);
    }
    docker_pool_doom(pool, guest);
}

static void drop_dead(struct docker_pool *pool, struct kind *k)
{
    for (unsigned i = 0; i < k->ready_n; i++) {
        struct far_guest *guest = k->ready[i];
        if (docker_pool_lives(guest))
            continue;
        k->ready[i--] = k->ready[--k->ready_n];
        k->failed_ms = clock_mono_ms(); /* or it would be tried again and again */
        docker_pool_doom(pool, guest);
    }
}

static void calm(struct docker_pool *pool, struct kind *k, int64_t now)
{
    if (k->target <= 1 || now <= k->missed_ms + CALM_MS)
        return;
    k->missed_ms = now;
    k->target--;
    if (k->ready_n > k->target)
        docker_pool_doom(pool, docker_pool_first(k));
}

/* Returns true if a container was made, which takes long. */
static bool tend(struct docker_pool *pool, struct kind *k)
{
    int64_t now = clock_mono_ms();

    if (now > k->used_ms + IDLE_MS) {
        docker_pool_forget(pool, k);
        return false;
    }
    drop_dead(pool, k);
    bool failed = k->failed_ms && now < k->failed_ms + FAILED_MS;
    if (!failed && now >= k->not_before_ms && k->ready_n < k->target && make_room(pool, k)) {
        make_one(pool, k);
        return true;
    }
    calm(pool, k, now);
    return false;
}

static int64_t next_ms(const struct docker_pool *pool)
{
    int64_t now = clock_mono_ms(), next = now + LOOK_MS;

    for (unsigned i = 0; i < pool->kinds_max; i++) {
        const struct kind *k = &pool->kinds[i];
        if (k->used && k->not_before_ms > now && k->not_before_ms < next)
            next = k->not_before_ms;
    }
    return next;
}

void *docker_pool_make(void *ctx)
{
    struct docker_pool *pool = ctx;

    pthread_mutex_lock(&pool->lock);
    while (!pool->closing) {
        bool busy = false;
        for (unsigned i = 0; i < pool->kinds_max && !pool->closing; i++)
            busy |= pool->kinds[i].used && tend(pool, &pool->kinds[i]);
        if (!busy && !pool->closing)
            (void)cond_wait_until(&pool->work, &pool->lock, next_ms(pool));
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void docker_pool_tend_end(struct docker_pool *pool, struct far_guest *guest)
{
    const char *id = docker_container_of(guest)->id;
    struct engine *engine = NULL;
    struct err ignored;

    if (id && docker_pool_connect(pool, &engine, &ignored) == 0)
        (void)engine_remove(engine, id, &ignored);
    docker_pool_disconnect(pool, engine);
    docker_guest_free(guest);
}

void *docker_pool_unmake(void *ctx)
{
    struct docker_pool *pool = ctx;

    pthread_mutex_lock(&pool->lock);
    while (!pool->over || pool->doomed_n) {
        if (!pool->doomed_n) {
            pthread_cond_wait(&pool->work, &pool->lock);
            continue;
        }
        struct far_guest *guest = pool->doomed[--pool->doomed_n];
        pthread_cond_broadcast(&pool->removed);
        pthread_mutex_unlock(&pool->lock);
        docker_pool_tend_end(pool, guest);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}
