/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue before the workers: what one owner sends does not delay another owner's.
 */
#include <stdio.h>
#include <string.h>

#include "hosting/share.h"
#include "server/queue.h"
#include "tap.h"

static struct job *add(struct queue *q, struct job *job, const char *owner, bool urgent)
{
    *job = (struct job){.urgent = urgent};
    snprintf(job->owner, sizeof job->owner, "%s", owner);
    queue_add(q, job);
    return job;
}

/* Begins up to `count` jobs; their owners' first letters, in order. */
static const char *begin(struct queue *q, unsigned count)
{
    static char letters[64];
    size_t n = 0;
    struct job *job;

    while (n < count && (job = queue_next(q))) {
        letters[n++] = job->urgent ? '!' : job->owner[0];
        queue_begin(q, job);
    }
    letters[n] = '\0';
    return letters;
}

/* Takes a job out of the queue, whether it waits, is at work or is over. */
static void finish(struct queue *q, struct job *job)
{
    if (job->queued)
        queue_remove(q, job);
    else
        queue_end(q, job);
}

static void test_turns(void)
{
    struct queue q = {.owners = 2, .workers_max = 100};
    struct job a[6], b[2], u;

    for (int i = 0; i < 6; i++)
        add(&q, &a[i], "a", false);
    EQ_STR(begin(&q, 3), "aaa");
    for (int i = 0; i < 2; i++)
        add(&q, &b[i], "b", false);
    add(&q, &u, "a", true);
    EQ_STR(begin(&q, 4), "!bba");
    for (int i = 0; i < 4; i++)
        queue_end(&q, &a[i]);
    queue_end(&q, &b[0]);
    queue_end(&q, &b[1]);
    queue_end(&q, &u);
    EQ_STR(begin(&q, 9), "aa");
    queue_end(&q, &a[4]);
    queue_end(&q, &a[5]);
    OK(q.count == 0 && q.busy == 0 && !q.lanes, "nothing of it is left");
}

/* Two owners and eight workers: jobs that never end leave four for the other owner. */
static void test_workers(void)
{
    struct queue q = {.owners = 2, .workers_max = 8};
    struct job a[10], b[10];

    for (int i = 0; i < 10; i++)
        add(&q, &a[i], "a", false);
    EQ_STR(begin(&q, 10), "aaaa");
    for (int i = 0; i < 10; i++)
        add(&q, &b[i], "b", false);
    EQ_STR(begin(&q, 10), "bbbb");
    queue_end(&q, &a[0]);
    EQ_STR(begin(&q, 10), "a");
    q.owners = 1;
    q.workers_max = 12;
    EQ_INT(strlen(begin(&q, 20)), 4);
    for (int i = 0; i < 10; i++) {
        finish(&q, &a[i]);
        finish(&q, &b[i]);
    }
    OK(q.count == 0 && q.busy == 0 && !q.lanes, "all are over");
}

static void drop(struct queue *q, struct job *job, void *ctx)
{
    ++*(unsigned *)ctx;
    queue_remove(q, job);
}

static void test_removal(void)
{
    struct queue q = {.owners = 3, .workers_max = 8};
    struct job a[3], b, u;
    size_t bytes;
    unsigned walked = 0;

    for (int i = 0; i < 3; i++)
        add(&q, &a[i], "a", false);
    add(&q, &b, "b", false);
    add(&q, &u, "", true);
    queue_remove(&q, &a[2]);
    EQ_INT(queue_of(&q, "a", &bytes), 2);
    add(&q, &a[2], "a", false);
    queue_remove(&q, &a[0]);
    OK(queue_next(&q) == &u, "urgent first");
    queue_walk(&q, drop, &walked);
    EQ_INT(walked, 4);
    OK(q.count == 0 && !q.lanes && !queue_next(&q), "all removed while they were walked");
}

static void test_shares(void)
{
    OK(share_allows(0, 1, 99, 100, 50), "an owner with nothing may have one, if there is room");
    OK(!share_allows(0, 1, 100, 100, 50), "and not where there is none");
    OK(share_allows(59, 1, 59, 60, 1), "one owner alone may have all");
    OK(share_allows(29, 1, 29, 60, 2) && !share_allows(30, 1, 30, 60, 2), "half of two owners");
    OK(share_allows(29, 1, 59, 60, 2), "the other half stays the other's");
    OK(share_allows(20, 1, 20, 60, 4), "more than a quarter, while others leave it free");
    OK(!share_allows(30, 1, 30, 60, 4), "not more than is left then");
    OK(!share_allows(1, UINT64_MAX, 1, 60, 2), "no overflow");
}

int main(void)
{
    RUN(test_turns());
    RUN(test_workers());
    RUN(test_removal());
    RUN(test_shares());
    return tap_done();
}
