/* SPDX-License-Identifier: Apache-2.0
 *
 * Condition variables whose timed waits use the monotonic clock: a change of the host's time makes
 * no wait shorter or longer.
 */
#ifndef BASE_COND_H
#define BASE_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The caller calls pthread_cond_destroy. */
void cond_init(pthread_cond_t *cond);
/* The caller holds the lock. False when clock_mono_ms has reached until_ms. */
bool cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until_ms);

#endif
