/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <signal.h>

#include "tap.h"

static void *read_mask(void *ctx)
{
    (void)pthread_sigmask(SIG_SETMASK, NULL, ctx);
    return NULL;
}

static void test_signals(void)
{
    pthread_t thread;
    sigset_t mask, own;

    EQ_INT(thread_start(&thread, NULL, read_mask, &mask), 0);
    pthread_join(thread, NULL);
    OK(sigismember(&mask, SIGINT) && sigismember(&mask, SIGPIPE), "a thread gets no signals");
    (void)pthread_sigmask(SIG_SETMASK, NULL, &own);
    OK(!sigismember(&own, SIGINT), "and its caller does");
}

int main(void)
{
    RUN(test_signals());
    return tap_done();
}
