/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads before a guest: none waits in vain, none is started in vain. Nobody ticks here, so
 * what is not let through at once never is.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/mailbox.h"
#include "server/workers.h"
#include "tap.h"

#define LONG_S 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned begun, posted;

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
static bool wait_for(const unsigned *count, unsigned wanted)
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

int main(void)
{
    struct workers *w = workers_open(NULL, 4);

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

    /* Of many at once only a few are let through, and threads are started for those alone; while
     * one is between two jobs, another may be. */
    w = workers_open(NULL, 100);
    unsigned most = 2 * (unsigned)sysconf(_SC_NPROCESSORS_ONLN) + 2;
    for (unsigned round = 0; round < 100 && met; round++)
        met = all_pass(w, 60);
    OK(met, "many more than threads");
    OK(threads_of(w) <= 2 * most, "%u threads, for %u at once", threads_of(w), most);
    workers_close(w);
    return tap_done();
}
