/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads of ours. The signals of the process are for its other threads.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Starts a thread that gets no signals. A write to a closed pipe is then an error of the call.
 * `attributes` may be NULL. 0, or an error number. */
int thread_start(pthread_t *ret, const pthread_attr_t *attributes, void *(*begin)(void *ctx),
                 void *ctx);
/* The same for one that is never joined; 0 bytes are the usual stack. */
int thread_start_detached(size_t stack_bytes, void *(*begin)(void *ctx), void *ctx);

#endif
