/* SPDX-License-Identifier: Apache-2.0 */
#include "api/idle.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"

struct idle_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    struct session *session;
    int64_t idle_ms;
    bool over;
};

static void sleep_for(struct idle_watch *w, int64_t ms)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    (void)pthread_cond_timedwait(&w->woken, &w->lock, &until);
}

static void *watch_main(void *ctx)
{
    struct idle_watch *w = ctx;

    pthread_mutex_lock(&w->lock);
    while (!w->over) {
        pthread_mutex_unlock(&w->lock);
        int64_t left = session_end_if_idle(w->session, w->idle_ms);
        pthread_mutex_lock(&w->lock);
        if (!w->over)
            sleep_for(w, left);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct idle_watch *idle_begin(struct session *session, int64_t idle_ms)
{
    if (!idle_ms)
        return NULL;
    struct idle_watch *w = xcalloc(1, sizeof *w);
    w->session = session;
    w->idle_ms = idle_ms;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->woken, NULL);
    if (pthread_create(&w->thread, NULL, watch_main, w) == 0)
        return w;
    free(w);
    return NULL;
}

void idle_done(struct idle_watch *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_signal(&w->woken);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->woken);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
