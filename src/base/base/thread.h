/* SPDX-License-Identifier: Apache-2.0
 *
 * Starts our own threads, with all signals blocked: the process's other threads receive them.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Starts a thread that receives no signals, so that a write to a closed pipe is an error of the
 * call. `attributes` may be NULL. 0, or an error number. */
int thread_start(pthread_t *ret, const pthread_attr_t *attributes, void *(*begin)(void *ctx),
                 void *ctx);
/* As thread_start, for a thread that is never joined. A size of 0 is the usual stack. */
int thread_start_detached(size_t stack_bytes, void *(*begin)(void *ctx), void *ctx);

#endif
