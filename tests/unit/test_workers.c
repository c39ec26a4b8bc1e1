/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads before a guest: none waits in vain, none is started in vain. Nobody ticks here, so
 * what is not let through at once never is.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/mailbox.h"
#include "server/workers.h"
#include "tap.h"

#define LONG_S 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Atomic unsigned begun, posted;

void mailbox_post(struct mailbox *box, struct mail *mail)
{
    (void)box;
    (void)mail;
    pthread_mutex_lock(&lock);
    posted++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* With the lock. */
static bool wait_for(const _Atomic unsigned *count, unsigned wanted)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LONG_S;
    while (*count < wanted)
        if (pthread_cond_timedwait(&changed, &lock, &until) != 0)
            return false;
    return true;
}

/* Begins, and ends when as many have begun as it was told of. */
static void meet(struct job *job)
{
    const unsigned *wanted = job->own;

    pthread_mutex_lock(&lock);
    begun++;
    pthread_cond_broadcast(&changed);
    (void)wait_for(&begun, *wanted);
    pthread_mutex_unlock(&lock);
}

/* That many jobs at once, each of which waits for all of them. */
static bool all_meet(struct workers *w, unsigned count)
{
    struct job *jobs = xcalloc(count, sizeof *jobs);

    begun = posted = 0;
    for (unsigned i = 0; i < count; i++) {
        jobs[i] = (struct job){.work = meet, .own = &count, .cancel_fd = -1};
        workers_add(w, &jobs[i]);
    }
    pthread_mutex_lock(&lock);
    bool met = wait_for(&begun, count);
    (void)wait_for(&posted, count);
    pthread_mutex_unlock(&lock);
    free(jobs);
    return met;
}

static void pass(struct job *job)
{
    (void)job;
    (void)poll(NULL, 0, 1);
}

static bool all_pass(struct workers *w, unsigned count)
{
    struct job *jobs = xcalloc(count, sizeof *jobs);

    posted = 0;
    for (unsigned i = 0; i < count; i++) {
        jobs[i] = (struct job){.work = pass, .cancel_fd = -1};
        workers_add(w, &jobs[i]);
    }
    pthread_mutex_lock(&lock);
    bool passed = wait_for(&posted, count);
    pthread_mutex_unlock(&lock);
    free(jobs);
    return passed;
}

static unsigned threads_of(struct workers *w)
{
    struct workers_stats stats;

    workers_stats(w, &stats);
    return stats.threads;
}

static unsigned usual(void)
{
    return 2 * (unsigned)sysconf(_SC_NPROCESSORS_ONLN) + 2;
}

/* Of many at once only a few are let through, and threads are started for those alone; while one is
 * between two jobs, another may be. */
static void test_few(void)
{
    struct workers *w = workers_open(NULL, 100, 1);
    bool passed = true;

    for (unsigned round = 0; round < 100 && passed; round++)
        passed = all_pass(w, 60);
    OK(passed, "many more than threads");
    OK(threads_of(w) <= 2 * usual(), "%u threads, for %u at once", threads_of(w), usual());
    workers_close(w);
}

/* What takes long lets others through. */
static void test_slow(void)
{
    struct workers *w = workers_open(NULL, 100, 1);
    unsigned count = usual() + 10, most = 0;
    struct job *jobs = xcalloc(count, sizeof *jobs);

    begun = posted = 0;
    for (unsigned i = 0; i < count; i++) {
        jobs[i] = (struct job){.work = meet, .own = &count, .cancel_fd = -1};
        workers_add(w, &jobs[i]);
    }
    for (int ms = 0; ms < LONG_S * 1000 && posted < count; ms += 10) {
        (void)poll(NULL, 0, 10);
        (void)workers_tick(w, clock_mono_ms());
        most = threads_of(w) > most ? threads_of(w) : most;
    }
    EQ_INT(posted, count);
    EQ_INT(most, count);
    OK(all_meet(w, 2), "and they go on");
    workers_close(w);
    free(jobs);
}

int main(void)
{
    struct workers *w = workers_open(NULL, 4, 1);

    OK(all_meet(w, 1), "one");
    (void)poll(NULL, 0, 50); /* it waits again */
    EQ_INT(threads_of(w), 1);
    OK(all_meet(w, 2), "two at once, where one thread waits");
    bool met = true;
    for (unsigned round = 0; round < 500 && met; round++)
        met = all_meet(w, 1 + round % 4);
    OK(met, "up to four at once, again and again");
    EQ_INT(threads_of(w), 4);
    workers_close(w);
    RUN(test_few());
    RUN(test_slow());
    return tap_done();
}
