/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/workers.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/thread.h"

enum { STACK_BYTES = 8 << 20 }; /* the parser of a large program is recursive */

struct mcp_workers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct mcp_task *queue, *finished;
    unsigned threads, threads_max, idle;
    bool ending;
    int done_fd;
};

struct mcp_workers *mcp_workers_open(unsigned threads_max, int done_fd)
{
    struct mcp_workers *w = xcalloc(1, sizeof *w);

    w->threads_max = threads_max;
    w->done_fd = done_fd;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    return w;
}

static void workers_append(struct mcp_task **list, struct mcp_task *task)
{
    while (*list)
        list = &(*list)->next;
    task->next = NULL;
    *list = task;
}

static struct mcp_task *take_first(struct mcp_workers *w)
{
    struct mcp_task *task = w->queue;

    if (task)
        w->queue = task->next;
    return task;
}

/* Call it with the lock held; the lock is released during the work. */
static void work_on(struct mcp_workers *w, struct mcp_task *task)
{
    const uint64_t one = 1;

    pthread_mutex_unlock(&w->lock);
    task->work(task);
    pthread_mutex_lock(&w->lock);
    workers_append(&w->finished, task);
    (void)!write(w->done_fd, &one, sizeof one);
}

static void *worker_main(void *ctx)
{
    struct mcp_workers *w = ctx;
    struct mcp_task *task;

    pthread_mutex_lock(&w->lock);
    while (!w->ending) {
        if ((task = take_first(w))) {
            work_on(w, task);
            continue;
        }
        w->idle++;
        pthread_cond_wait(&w->changed, &w->lock);
        w->idle--;
    }
    w->threads--;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void start_thread(struct mcp_workers *w)
{
    if (thread_start_detached(STACK_BYTES, worker_main, w) == 0)
        w->threads++;
}

static unsigned length(const struct mcp_task *list)
{
    unsigned n = 0;

    for (; list; list = list->next)
        n++;
    return n;
}

/* Call it with the lock held. */
static bool workers_take_out(struct mcp_workers *w, const struct mcp_task *task)
{
    struct mcp_task **at = &w->queue;

    while (*at && *at != task)
        at = &(*at)->next;
    bool found = *at != NULL;
    if (found)
        *at = task->next;
    return found;
}

int mcp_workers_add(struct mcp_workers *w, struct mcp_task *task, bool urgent)
{
    pthread_mutex_lock(&w->lock);
    if (urgent) {
        task->next = w->queue;
        w->queue = task;
    } else {
        workers_append(&w->queue, task);
    }
    if (length(w->queue) > w->idle && (w->threads < w->threads_max || urgent))
        start_thread(w);
    bool possible = w->threads > 0; /* if so, one of the threads will take the task */
    if (!possible)
        (void)workers_take_out(w, task);
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return possible ? 0 : -1;
}

bool mcp_workers_remove(struct mcp_workers *w, struct mcp_task *task)
{
    pthread_mutex_lock(&w->lock);
    bool found = workers_take_out(w, task);
    pthread_mutex_unlock(&w->lock);
    return found;
}

void mcp_workers_deliver(struct mcp_workers *w)
{
    struct mcp_task *task;

    pthread_mutex_lock(&w->lock);
    while ((task = w->finished)) {
        w->finished = task->next;
        pthread_mutex_unlock(&w->lock);
        task->done(task);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
}

void mcp_workers_close(struct mcp_workers *w)
{
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_broadcast(&w->changed);
    while (w->threads)
        pthread_cond_wait(&w->changed, &w->lock);
    pthread_mutex_unlock(&w->lock);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
