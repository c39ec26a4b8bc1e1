/* SPDX-License-Identifier: Apache-2.0 */
#include "server/workers.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

enum {
    STACK_BYTES = 8 << 20, /* the parser of a large program recurses */
    LONG_MS = 40,          /* a job that took so long waits for something */
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
    struct job *first, **end;
    size_t queued, queued_bytes;
    struct worker *threads;
    unsigned thread_count, threads_max;
    unsigned busy, idle;
    unsigned coming;  /* was woken or started, and has not looked at the queue yet */
    unsigned at_once; /* short jobs */
    unsigned slow;    /* jobs that have become long, as of the last tick */
    double mean_ms;
    bool ending;
};

/* ---- a worker ---- */

static struct job *unlink_job(struct workers *w, struct job **place)
{
    struct job *job = *place;

    *place = job->next;
    if (w->end == &job->next)
        w->end = place;
    job->next = NULL;
    job->queued = false;
    w->queued--;
    w->queued_bytes -= job->body.n;
    return job;
}

static bool may_start(const struct workers *w)
{
    return w->first && (w->busy < w->at_once + w->slow || w->first->urgent);
}

/* Besides those that are on their way. */
static bool may_start_another(const struct workers *w)
{
    return w->queued > w->coming &&
           (w->busy + w->coming < w->at_once + w->slow || w->first->urgent);
}

static struct job *take(struct worker *self)
{
    struct workers *w = self->all;

    while (!may_start(w) && !w->ending) {
        w->idle++;
        pthread_cond_wait(&w->wake, &w->lock);
        if (w->coming) /* perhaps another one was meant, who then finds itself idle */
            w->coming--;
        else
            w->idle--;
    }
    if (!w->first)
        return NULL;
    struct job *job = unlink_job(w, &w->first);
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
    self->job->worker = NULL;
    self->job = NULL;
    w->busy--;
    (void)!read(self->cancel_fd, &count, sizeof count); /* a cancel that came too late */
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
    while ((job = take(self))) {
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

/* Signals are the loop's. */
static int start_thread(struct workers *w)
{
    struct worker *worker = xcalloc(1, sizeof *worker);
    pthread_attr_t attributes;
    sigset_t all, old;

    *worker = (struct worker){.all = w, .next = w->threads};
    worker->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failed = worker->cancel_fd < 0 ||
                 pthread_create(&worker->thread, &attributes, worker_main, worker) != 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
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

/* ---- the loop's side ---- */

struct workers *workers_open(struct mailbox *mailbox, unsigned threads_max)
{
    struct workers *w = xcalloc(1, sizeof *w);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    w->mailbox = mailbox;
    w->end = &w->first;
    w->threads_max = threads_max;
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

void workers_max(struct workers *w, unsigned threads_max)
{
    pthread_mutex_lock(&w->lock);
    w->threads_max = threads_max;
    pthread_mutex_unlock(&w->lock);
}

/* None ends: guests that were started cold die with the thread that started them. And as long as
 * one is between two jobs, putting away what the last one left, another may be at work. */
static bool may_have_another(const struct workers *w)
{
    return w->thread_count < w->threads_max &&
           (w->thread_count < 2 * w->at_once + w->slow || w->first->urgent);
}

/* With the lock. One more thread at most: each that ends a job looks again. True when one is to be
 * woken, which is for after the lock: it would only wait for that. */
static bool let_through(struct workers *w)
{
    if (!may_start_another(w))
        return false;
    if (w->idle) {
        w->idle--;
        w->coming++;
        return true;
    }
    if (may_have_another(w) && start_thread(w) == 0)
        w->coming++;
    return false;
}

void workers_add(struct workers *w, struct job *job)
{
    pthread_mutex_lock(&w->lock);
    job->queued = true;
    if (job->urgent) {
        job->next = w->first;
        w->first = job;
        if (!job->next)
            w->end = &job->next;
    } else {
        job->next = NULL;
        *w->end = job;
        w->end = &job->next;
    }
    w->queued++;
    w->queued_bytes += job->body.n;
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
    if (was_queued) {
        struct job **place = &w->first;
        while (*place != job)
            place = &(*place)->next;
        (void)unlink_job(w, place);
    } else if (job->worker) {
        (void)!write(job->worker->cancel_fd, &one, sizeof one);
    }
    pthread_mutex_unlock(&w->lock);
    return was_queued;
}

/* With the lock, of one that works. */
static void end_work(struct worker *t, enum job_end why)
{
    uint64_t one = 1;

    t->job->end = why;
    atomic_store(&t->job->cancelled, true);
    (void)!write(t->cancel_fd, &one, sizeof one);
}

void workers_cancel_all(struct workers *w)
{
    pthread_mutex_lock(&w->lock);
    for (struct job *job = w->first; job; job = job->next)
        if (!job->urgent) {
            job->end = END_DAEMON;
            atomic_store(&job->cancelled, true);
        }
    for (struct worker *t = w->threads; t; t = t->next)
        if (t->job && !t->job->urgent)
            end_work(t, END_DAEMON);
    pthread_mutex_unlock(&w->lock);
}

static struct job *take_late(struct workers *w, int64_t now)
{
    struct job *late = NULL;

    for (struct job **place = &w->first; *place;) {
        struct job *job = *place;
        if (!job->deadline_ms || now < job->deadline_ms) {
            place = &job->next;
            continue;
        }
        (void)unlink_job(w, place);
        job->next = late;
        late = job;
    }
    return late;
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
    struct job *late = take_late(w, now);
    for (unsigned room = w->at_once; room > 0; room--)
        if (let_through(w))
            pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    return late;
}

void workers_stats(struct workers *w, struct workers_stats *ret)
{
    pthread_mutex_lock(&w->lock);
    *ret = (struct workers_stats){.threads = w->thread_count,
                                  .busy = w->busy,
                                  .queued = w->queued,
                                  .queued_bytes = w->queued_bytes,
                                  .free = w->busy + w->queued < w->at_once + w->slow &&
                                          w->busy + w->queued < w->threads_max,
                                  .mean_ms = w->mean_ms};
    pthread_mutex_unlock(&w->lock);
}
