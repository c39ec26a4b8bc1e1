/* SPDX-License-Identifier: Apache-2.0
 *
 * The run log behind a queue: a thread of its own appends, many rows in one
 * transaction, so that no answer waits for it. What is still in the queue when
 * the daemon is killed is lost: the rows of the last moments.
 */
#ifndef SERVER_RUN_LOG_H
#define SERVER_RUN_LOG_H

#include <stdint.h>

#include "base/err.h"
#include "session/record.h"

struct run_log;

struct run_log_stats {
    uint64_t written, lost;
    size_t waiting;
};

/* `path` NULL: the default place; "off": none. A log that cannot be opened is
 * said in *err, by -1 with *ret NULL; the daemon runs on without one. */
int run_log_open(const char *path, struct run_log **ret, struct err *err);
void run_log_close(struct run_log *log); /* writes what waits; NULL is fine */

/* For run_request.sink; NULL for a log that is none. From any thread. */
const struct run_sink *run_log_sink(struct run_log *log);
/* Waits, two seconds at most, until all that was given is in the file. */
void run_log_flush(struct run_log *log);
void run_log_stats(struct run_log *log, struct run_log_stats *ret);
const char *run_log_path(const struct run_log *log); /* NULL: there is none */

#endif
