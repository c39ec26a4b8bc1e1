/* SPDX-License-Identifier: Apache-2.0
 *
 * The run log, written by a thread of its own: rows wait in a queue, and many rows are appended in
 * one transaction, so that no answer waits for the log (while the log fails, for at most half a
 * second). If the daemon is killed, the rows in the queue are lost: those of the last moments. Rows
 * that cannot be written are lost, too. This is reported (server/losses.h), and results mention it
 * as long as the log fails.
 */
#ifndef SERVER_RUN_LOG_H
#define SERVER_RUN_LOG_H

#include <stdint.h>

#include "base/err.h"
#include "run/record.h"

struct run_log;

struct run_log_stats {
    uint64_t written, lost;
    size_t waiting;
};

/* `path` NULL: the default location; "off": no log. 0, or -1 with *err and *ret NULL if the log
 * cannot be opened; then the daemon runs without a log. */
int run_log_open(const char *path, struct run_log **ret, struct err *err);
void run_log_close(struct run_log *log); /* writes the waiting rows; NULL is fine */

/* For run_request.sink; NULL if there is no log. Any thread may call it. */
const struct run_sink *run_log_sink(struct run_log *log);
/* Waits until all rows so far are in the file, for at most two seconds. */
void run_log_flush(struct run_log *log);
void run_log_stats(struct run_log *log, struct run_log_stats *ret);
const char *run_log_path(const struct run_log *log); /* NULL: there is none */

#endif
