/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <signal.h>

int thread_start(pthread_t *ret, const pthread_attr_t *attributes, void *(*begin)(void *ctx),
                 void *ctx)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(ret, attributes, begin, ctx);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}
