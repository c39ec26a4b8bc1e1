/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cond.h"

#include <time.h>

void cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

bool cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until_ms)
{
    const struct timespec until = {.tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000};

    return pthread_cond_timedwait(cond, lock, &until) == 0;
}
