/* SPDX-License-Identifier: Apache-2.0
 *
 * Containers that are ready before a guest needs one. In each, our helper waits for its first frame
 * (jail/contained_wire.h), and no code of a guest has run. Containers of one kind have the same
 * configuration (image, limits and network), and the same interpreter has started in them
 * (docker_early.c). The first guest of a kind finds none, and its container is made for it; from
 * then on one container waits, and more if guests had to do without. A container serves one guest.
 *
 * One thread makes containers, and another one removes those of guests that ended. A waiting
 * container ends with this process like any other: the engine closes its input, and the helper
 * exits.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/thread.h"
#include "far/docker_pool_parts.h"

enum { DOOMED_MAX = 32 }; /* with more, the threads of ended guests wait */

/* Memory of a waiting container, with an interpreter, and of the engine's process for it. */
#define EACH_BYTES ((uint64_t)32 << 20)

/* ---- connections ---- */

int docker_pool_connect(struct docker_pool *pool, struct engine **ret, struct err *err)
{
    if (pool) {
        pthread_mutex_lock(&pool->lock);
        *ret = pool->idle_n ? pool->idle[--pool->idle_n] : NULL;
        pthread_mutex_unlock(&pool->lock);
        if (*ret)
            return 0;
    }
    return engine_open(ret, err);
}

void docker_pool_disconnect(struct docker_pool *pool, struct engine *engine)
{
    if (pool && engine) {
        pthread_mutex_lock(&pool->lock);
        if (!pool->closing && pool->idle_n < IDLE_MAX) {
            pool->idle[pool->idle_n++] = engine;
            engine = NULL;
        }
        pthread_mutex_unlock(&pool->lock);
    }
    engine_close(engine);
}

/* ---- removing ---- */

static struct kind *docker_pool_find(struct docker_pool *pool, const struct docker_kind *key)
{
    for (unsigned i = 0; i < pool->kinds_max; i++)
        if (pool->kinds[i].used && docker_kind_is(&pool->kinds[i].key, key))
            return &pool->kinds[i];
    return NULL;
}

void docker_pool_doom(struct docker_pool *pool, struct far_guest *guest)
{
    fd_close(&guest->fd);
    if (pool->doomed_n == pool->doomed_size) {
        pool->doomed_size = pool->doomed_size ? pool->doomed_size * 2 : DOOMED_MAX;
        pool->doomed = xrealloc_array(pool->doomed, pool->doomed_size, sizeof(struct far_guest *));
    }
    pool->doomed[pool->doomed_n++] = guest;
    pthread_cond_broadcast(&pool->work);
}

struct far_guest *docker_pool_first(struct kind *k)
{
    struct far_guest *first = k->ready[0];

    memmove(k->ready, k->ready + 1, --k->ready_n * sizeof(struct far_guest *));
    return first;
}

void docker_pool_forget(struct docker_pool *pool, struct kind *k)
{
    while (k->ready_n)
        docker_pool_doom(pool, docker_pool_first(k));
    docker_kind_done(&k->key);
    *k = (struct kind){0};
}

void docker_pool_sweep(struct engine *engine)
{
    unsigned count;
    struct err ignored;

    (void)engine_sweep(engine, &count, &ignored);
    far_sweep_files();
}

/* Leaves the removal to the pool's thread. Returns false if there is none. */
static bool hand_over(struct docker_pool *pool, struct far_guest *guest)
{
    pthread_mutex_lock(&pool->lock);
    bool threads = pool->threads;
    while (threads && pool->doomed_n >= DOOMED_MAX)
        pthread_cond_wait(&pool->removed, &pool->lock);
    if (threads) {
        struct far_guest *rest = docker_guest_new();
        docker_container_of(rest)->id = mem_take(&docker_container_of(guest)->id);
        docker_pool_doom(pool, rest);
    }
    pthread_mutex_unlock(&pool->lock);
    return threads;
}

/* Called when a kind's first guest has ended: keeps one container of the kind ready from now on. */
static void expect_more(struct docker_pool *pool, const struct docker_kind *kind)
{
    pthread_mutex_lock(&pool->lock);
    struct kind *k = docker_pool_find(pool, kind);
    if (k && !k->target) {
        k->target = 1;
        k->not_before_ms = clock_mono_ms() + BUSY_MS;
        pthread_cond_broadcast(&pool->work);
    }
    pthread_mutex_unlock(&pool->lock);
}

void docker_pool_remove(struct far_guest *guest)
{
    struct docker_container *c = docker_container_of(guest);
    struct err ignored;

    if (c->kind.config)
        expect_more(c->pool, &c->kind);
    if (c->id && !(c->pool && hand_over(c->pool, guest))) {
        (void)engine_remove(c->engine, c->id, &ignored);
        docker_pool_sweep(c->engine);
    }
    docker_pool_disconnect(c->pool, mem_take(&c->engine));
}

/* ---- taking ---- */

bool docker_pool_lives(const struct far_guest *guest)
{
    struct pollfd look = {.fd = guest->fd, .events = POLLIN};

    return poll(&look, 1, 0) == 0;
}

static struct far_guest *take_alive(struct docker_pool *pool, struct kind *k)
{
    while (k->ready_n) {
        struct far_guest *guest = docker_pool_first(k);
        if (docker_pool_lives(guest))
            return guest;
        docker_pool_doom(pool, guest);
    }
    return NULL;
}

static void note_miss(struct docker_pool *pool, struct kind *k)
{
    k->missed_ms = k->used_ms;
    if (k->target < READY_MAX && k->target < pool->ready_max)
        k->target++;
}

bool docker_pool_take(struct far_guest *guest, const struct docker_kind *kind)
{
    struct docker_pool *pool = docker_container_of(guest)->pool;
    struct far_guest *waiting = NULL;

    if (!pool)
        return false;
    pthread_mutex_lock(&pool->lock);
    struct kind *k = docker_pool_find(pool, kind);
    if (k) {
        k->used_ms = clock_mono_ms();
        if (k->not_before_ms < k->used_ms)
            k->not_before_ms = k->used_ms + BUSY_MS;
        waiting = take_alive(pool, k);
        if (!waiting)
            note_miss(pool, k);
    }
    pool->stats.hits += waiting != NULL;
    pool->stats.misses += !waiting;
    pthread_mutex_unlock(&pool->lock);
    if (!waiting)
        return false;
    docker_adopt(guest, waiting);
    return true;
}

/* ---- learning ---- */

/* A free slot, or that of the least recently used kind. */
static struct kind *room_for_kind(struct docker_pool *pool)
{
    struct kind *oldest = NULL;

    for (unsigned i = 0; i < pool->kinds_max; i++) {
        struct kind *k = &pool->kinds[i];
        if (!k->used)
            return k;
        if (!k->making && (!oldest || k->used_ms < oldest->used_ms))
            oldest = k;
    }
    if (oldest)
        docker_pool_forget(pool, oldest);
    return oldest;
}

static void end_remover(struct docker_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->over = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    pthread_join(pool->remover, NULL);
}

/* Starts the threads. Call it with the lock. They start with the first kind, because most programs
 * use no containers. */
static bool start_threads(struct docker_pool *pool)
{
    if (pool->threads || pool->over)
        return pool->threads;
    if (thread_start(&pool->remover, NULL, docker_pool_unmake, pool) != 0)
        return false;
    pool->threads = thread_start(&pool->maker, NULL, docker_pool_make, pool) == 0;
    if (!pool->threads) {
        pool->over = true; /* so that no other thread tries this while the lock is released */
        pthread_mutex_unlock(&pool->lock);
        end_remover(pool);
        pthread_mutex_lock(&pool->lock);
    }
    return pool->threads;
}

void docker_pool_teach(struct far_guest *guest, const struct docker_kind *kind)
{
    struct docker_pool *pool = docker_container_of(guest)->pool;
    struct kind *k;

    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    if (start_threads(pool) && !docker_pool_find(pool, kind) && (k = room_for_kind(pool))) {
        int64_t now = clock_mono_ms();
        *k = (struct kind){.used = true,
                           .key = docker_kind_copy(kind),
                           .target = !pool->for_few,
                           .used_ms = now,
                           .not_before_ms = now + BUSY_MS};
        if (pool->for_few)
            docker_container_of(guest)->kind = docker_kind_copy(kind);
        pthread_cond_broadcast(&pool->work);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* ---- the table's entries ---- */

unsigned docker_pool_ready(const struct docker_pool *pool)
{
    unsigned n = 0;

    for (unsigned i = 0; i < pool->kinds_max; i++)
        n += pool->kinds[i].ready_n;
    return n;
}

static int pool_open(const struct backend_pool_options *options, void **ret_part, struct err *err)
{
    struct docker_pool *pool = xcalloc(1, sizeof *pool);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t fit = options->memory_max ? options->memory_max / EACH_BYTES : UINT32_MAX;

    (void)err;
    pool->ready_max =
        options->ready_max ? options->ready_max : (processors > 0 ? (unsigned)processors : 1) * 4;
    if (pool->ready_max > fit)
        pool->ready_max = (unsigned)fit;
    pool->for_few = options->for_few;
    pool->kinds_max =
        options->kinds_max && options->kinds_max < KINDS_MAX ? options->kinds_max : KINDS_MAX;
    pthread_mutex_init(&pool->lock, NULL);
    cond_init(&pool->work);
    cond_init(&pool->removed);
    *ret_part = pool;
    return 0;
}

static void end_threads(struct docker_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    pthread_join(pool->maker, NULL);
    pthread_mutex_lock(&pool->lock);
    for (unsigned i = 0; i < pool->kinds_max; i++)
        docker_pool_forget(pool, &pool->kinds[i]);
    pthread_mutex_unlock(&pool->lock);
    end_remover(pool);
}

static void pool_close(void *part)
{
    struct docker_pool *pool = part;

    if (pool->threads)
        end_threads(pool);
    while (pool->idle_n)
        engine_close(pool->idle[--pool->idle_n]);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->removed);
    pthread_mutex_destroy(&pool->lock);
    free(pool->doomed);
    free(pool);
}

static void pool_stats(void *part, struct backend_pool_stats *ret)
{
    struct docker_pool *pool = part;

    pthread_mutex_lock(&pool->lock);
    *ret = pool->stats;
    ret->ready = docker_pool_ready(pool);
    ret->memory = ret->ready * EACH_BYTES;
    pthread_mutex_unlock(&pool->lock);
}

const struct backend_pool_entries docker_pool = {
    .open = pool_open, .close = pool_close, .stats = pool_stats};

struct docker_pool *docker_pool_of(const struct backend_job *job)
{
    return backend_pool_part(job->pool, &docker_pool);
}
