/* SPDX-License-Identifier: Apache-2.0 */
#include "server/workers.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/thread.h"
#include "server/queue.h"

enum {
    STACK_BYTES = 8 << 20, /* the parser of a large program is recursive */
    LONG_MS = 40,          /* a job that runs longer probably waits for something */
};

struct worker {
    struct workers *all;
    struct worker *next;
    pthread_t thread;
    struct job *job;
    int64_t since_ms;
    int cancel_fd;
};

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct mailbox *mailbox;
    struct queue queue;
    struct worker *threads;
    unsigned thread_count, threads_max;
    unsigned busy, idle;
    unsigned coming;  /* threads that were woken or started but have not looked at the queue yet */
    unsigned at_once; /* maximum of short jobs that run at the same time */
    unsigned slow;    /* jobs that had run for more than LONG_MS at the last tick */
    double mean_ms;
    bool ending;
};

/* ---- a worker ---- */

/* Returns the job that may start now, in addition to `coming` others that have not begun yet; NULL
 * if there is none. */
static struct job *may_start(const struct workers *w, unsigned coming)
{
    struct job *job = w->queue.count > coming ? queue_next(&w->queue) : NULL;

    return job && (w->busy + coming < w->at_once + w->slow || job->urgent) ? job : NULL;
}

static struct job *workers_take(struct worker *self)
{
    struct workers *w = self->all;
    struct job *job;

    while (!(job = may_start(w, 0)) && !w->ending) {
        w->idle++;
        pthread_cond_wait(&w->wake, &w->lock);
        if (w->coming) /* if it was meant for another worker, that one finds itself idle */
            w->coming--;
        else
            w->idle--;
    }
    if (!job)
        return NULL;
    queue_begin(&w->queue, job);
    job->worker = self;
    self->job = job;
    self->since_ms = clock_mono_ms();
    w->busy++;
    return job;
}

static void put_down(struct worker *self)
{
    struct workers *w = self->all;
    uint64_t count;
    double took = (double)(clock_mono_ms() - self->since_ms);

    w->mean_ms += (took - w->mean_ms) / 16;
    queue_end(&w->queue, self->job);
    self->job->worker = NULL;
    self->job = NULL;
    w->busy--;
    /* removes a cancel that came too late for the previous job */
    (void)!read(self->cancel_fd, &count, sizeof count);
}

static void work_on(struct worker *self, struct job *job)
{
    job->cancel_fd = self->cancel_fd;
    job->waited_us = (clock_mono_ns() - job->arrived_ns) / 1000;
    if (!atomic_load(&job->cancelled))
        job->work(job);
    job->cancel_fd = -1;
}

static void *worker_main(void *ctx)
{
    struct worker *self = ctx;
    struct workers *w = self->all;
    struct job *job;

    pthread_mutex_lock(&w->lock);
    w->coming--;
    while ((job = workers_take(self))) {
        pthread_mutex_unlock(&w->lock);
        work_on(self, job);
        void (*tidy)(void *rest) = job->tidy;
        void *rest = job->rest;
        pthread_mutex_lock(&w->lock);
        put_down(self);
        pthread_mutex_unlock(&w->lock);
        mailbox_post(w->mailbox, &job->over_mail);
        if (tidy)
            tidy(rest);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static int start_thread(struct workers *w)
{
    struct worker *worker = xcalloc(1, sizeof *worker);
    pthread_attr_t attributes;

    *worker = (struct worker){.all = w, .next = w->threads};
    worker->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool failed = worker->cancel_fd < 0 ||
                  thread_start(&worker->thread, &attributes, worker_main, worker) != 0;
    pthread_attr_destroy(&attributes);
    if (failed) {
        fd_close(&worker->cancel_fd);
        free(worker);
        return -1;
    }
    w->threads = worker;
    w->thread_count++;
    return 0;
}

/* ---- for the loop ---- */

struct workers *workers_open(struct mailbox *mailbox, unsigned threads_max, unsigned owners)
{
    struct workers *w = xcalloc(1, sizeof *w);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    w->mailbox = mailbox;
    workers_max(w, threads_max, owners);
    w->at_once = (unsigned)(processors > 0 ? processors : 1) * 2 + 2;
    return w;
}

void workers_close(struct workers *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    for (struct worker *t = w->threads, *next; t; t = next) {
        next = t->next;
        pthread_join(t->thread, NULL);
        fd_close(&t->cancel_fd);
        free(t);
    }
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void workers_max(struct workers *w, unsigned threads_max, unsigned owners)
{
    pthread_mutex_lock(&w->lock);
    w->threads_max = w->queue.workers_max = threads_max;
    w->queue.owners = owners;
    pthread_mutex_unlock(&w->lock);
}

/* A worker never ends, because a guest that was started cold dies with the thread that started it.
 * There may be two workers for each job at the same time: one tidies up after its last job while
 * another one works. */
static bool may_have_another(const struct workers *w, const struct job *job)
{
    return w->thread_count < w->threads_max &&
           (w->thread_count < 2 * w->at_once + w->slow || job->urgent);
}

/* Call it with the lock held. Starts at most one thread: each worker that finishes a job calls this
 * again. True if the caller must wake a worker; it does so after it has released the lock, for
 * which the worker would only wait. */
static bool let_through(struct workers *w)
{
    struct job *job = may_start(w, w->coming);

    if (!job)
        return false;
    if (w->idle) {
        w->idle--;
        w->coming++;
        return true;
    }
    if (may_have_another(w, job) && start_thread(w) == 0)
        w->coming++;
    return false;
}

void workers_add(struct workers *w, struct job *job)
{
    pthread_mutex_lock(&w->lock);
    queue_add(&w->queue, job);
    bool wake = let_through(w);
    pthread_mutex_unlock(&w->lock);
    if (wake)
        pthread_cond_signal(&w->wake);
}

bool workers_cancel(struct workers *w, struct job *job)
{
    uint64_t one = 1;
    bool was_queued;

    pthread_mutex_lock(&w->lock);
    was_queued = job->queued;
    if (was_queued)
        queue_remove(&w->queue, job);
    else if (job->worker)
        (void)!write(job->worker->cancel_fd, &one, sizeof one);
    pthread_mutex_unlock(&w->lock);
    return was_queued;
}

/* Call it with the lock held; the worker must have a job. */
static void end_work(struct worker *t, enum job_end why)
{
    uint64_t one = 1;

    t->job->end = why;
    atomic_store(&t->job->cancelled, true);
    (void)!write(t->cancel_fd, &one, sizeof one);
}

static void end_waiting(struct queue *q, struct job *job, void *ctx)
{
    (void)q;
    (void)ctx;
    if (job->urgent)
        return;
    job->end = END_DAEMON;
    atomic_store(&job->cancelled, true);
}

void workers_cancel_all(struct workers *w)
{
    pthread_mutex_lock(&w->lock);
    queue_walk(&w->queue, end_waiting, NULL);
    for (struct worker *t = w->threads; t; t = t->next)
        if (t->job && !t->job->urgent)
            end_work(t, END_DAEMON);
    pthread_mutex_unlock(&w->lock);
}

struct late {
    int64_t now;
    struct job *first;
};

static void take_if_late(struct queue *q, struct job *job, void *ctx)
{
    struct late *late = ctx;

    if (!job->deadline_ms || late->now < job->deadline_ms)
        return;
    queue_remove(q, job);
    job->next = late->first;
    late->first = job;
}

struct job *workers_tick(struct workers *w, int64_t now)
{
    pthread_mutex_lock(&w->lock);
    w->slow = 0;
    for (struct worker *t = w->threads; t; t = t->next) {
        if (!t->job)
            continue;
        w->slow += now - t->since_ms > LONG_MS;
        if (t->job->deadline_ms && now >= t->job->deadline_ms && !t->job->end)
            end_work(t, END_LATE);
    }
    struct late late = {.now = now};
    queue_walk(&w->queue, take_if_late, &late);
    for (unsigned room = w->at_once; room > 0; room--)
        if (let_through(w))
            pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    return late.first;
}

void workers_stats(struct workers *w, struct workers_stats *ret)
{
    pthread_mutex_lock(&w->lock);
    *ret = (struct workers_stats){.threads = w->thread_count,
                                  .busy = w->busy,
                                  .queued = w->queue.count,
                                  .queued_bytes = w->queue.bytes,
                                  .free = w->busy + w->queue.count < w->at_once + w->slow &&
                                          w->busy + w->queue.count < w->threads_max,
                                  .mean_ms = w->mean_ms};
    pthread_mutex_unlock(&w->lock);
}

size_t workers_queued(struct workers *w, const char *owner, size_t *ret_bytes)
{
    pthread_mutex_lock(&w->lock);
    size_t count = queue_of(&w->queue, owner, ret_bytes);
    pthread_mutex_unlock(&w->lock);
    return count;
}
