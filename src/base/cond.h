/* SPDX-License-Identifier: Apache-2.0
 *
 * Condition variables with waits that end by the monotonic clock. Setting the host's time neither
 * ends them early nor prolongs them.
 */
#ifndef BASE_COND_H
#define BASE_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The caller calls pthread_cond_destroy. */
void cond_init(pthread_cond_t *cond);
/* With the lock. False when that time, of clock_mono_ms, has come. */
bool cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until_ms);

#endif
