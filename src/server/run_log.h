/* SPDX-License-Identifier: Apache-2.0
 *
 * The run log behind a queue: a thread of its own appends, many rows in one transaction, so that no
 * answer waits for it (while it fails, half a second at most). If the daemon is killed, the rows
 * that are still in the queue are lost: those of the last moments. Rows that cannot be written are
 * lost, too, and reported (server/losses.h); results note it while it lasts.
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

/* `path` NULL: the default place; "off": none. If a log cannot be opened, the reason is in *err,
 * with -1 and *ret NULL; the daemon runs on without a log. */
int run_log_open(const char *path, struct run_log **ret, struct err *err);
void run_log_close(struct run_log *log); /* writes the waiting rows; NULL is fine */

/* For run_request.sink; NULL if there is no log. From any thread. */
const struct run_sink *run_log_sink(struct run_log *log);
/* Waits, two seconds at most, until all rows so far are in the file. */
void run_log_flush(struct run_log *log);
void run_log_stats(struct run_log *log, struct run_log_stats *ret);
const char *run_log_path(const struct run_log *log); /* NULL: there is none */

#endif
