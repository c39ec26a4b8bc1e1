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

int thread_start_detached(size_t stack_bytes, void *(*begin)(void *ctx), void *ctx)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    if (stack_bytes)
        pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int failed = thread_start(&thread, &attributes, begin, ctx);
    pthread_attr_destroy(&attributes);
    return failed;
}
