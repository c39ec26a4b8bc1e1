/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits that end by the monotonic clock. By the other one, 50 ms from the machine's start have
 * passed long ago.
 */
#include "base/cond.h"

#include "base/clock.h"
#include "tap.h"

enum { WAIT_MS = 50, ANSWER_MS = 20000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static bool answered;

static void *answer(void *ctx)
{
    (void)ctx;
    pthread_mutex_lock(&lock);
    answered = true;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void test_time(void)
{
    int64_t until = clock_mono_ms() + WAIT_MS;

    pthread_mutex_lock(&lock);
    while (cond_wait_until(&cond, &lock, until))
        ;
    pthread_mutex_unlock(&lock);
    OK(clock_mono_ms() >= until, "a wait lasts until its time");
}

static void test_answer(void)
{
    int64_t until = clock_mono_ms() + ANSWER_MS;
    pthread_t thread;
    bool in_time = true;

    pthread_mutex_lock(&lock);
    OK(pthread_create(&thread, NULL, answer, NULL) == 0, "a thread");
    while (!answered && in_time)
        in_time = cond_wait_until(&cond, &lock, until);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    OK(answered && in_time, "and ends before it with an answer");
}

int main(void)
{
    cond_init(&cond);
    RUN(test_time());
    RUN(test_answer());
    pthread_cond_destroy(&cond);
    return tap_done();
}
