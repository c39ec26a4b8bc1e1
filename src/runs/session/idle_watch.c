/* SPDX-License-Identifier: Apache-2.0 */
#include "session/idle_watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/mem.h"
#include "base/thread.h"

struct idle_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    struct session *session;
    int64_t ms;
    idle_look *look;
    bool over;
};

static void *watch_main(void *ctx)
{
    struct idle_watch *w = ctx;

    pthread_mutex_lock(&w->lock);
    while (!w->over) {
        pthread_mutex_unlock(&w->lock);
        int64_t left = w->look(w->session, w->ms);
        pthread_mutex_lock(&w->lock);
        if (!w->over)
            (void)cond_wait_until(&w->woken, &w->lock, clock_mono_ms() + left);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void free_watch(struct idle_watch *w)
{
    pthread_cond_destroy(&w->woken);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

int idle_begin(struct session *session, int64_t ms, idle_look *look, struct idle_watch **ret,
               struct err *err)
{
    *ret = NULL;
    if (!ms)
        return 0;
    struct idle_watch *w = xcalloc(1, sizeof *w);
    w->session = session;
    w->ms = ms;
    w->look = look;
    pthread_mutex_init(&w->lock, NULL);
    cond_init(&w->woken);
    if ((errno = thread_start(&w->thread, NULL, watch_main, w)) != 0) {
        free_watch(w);
        return err_sys(err, "start a thread that looks after a session");
    }
    *ret = w;
    return 0;
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
    free_watch(w);
}
