/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows that a log of the daemon could not write. They are reported on standard error when a failure
 * begins, once a minute while it lasts, and with their number when the log is written again. A log
 * that fails and succeeds in turns counts as failing until it has succeeded for some seconds, so
 * that there are few reports. One thread uses a struct losses.
 */
#ifndef SERVER_LOSSES_H
#define SERVER_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

struct losses {
    const char *log, *rows; /* "the access log", "lines": string literals */
    uint64_t total;         /* since the start */
    uint64_t since;         /* since the last line that reported an end */
    bool failing;
    int64_t failed_ms, said_ms; /* time of the last loss, and of the last report */
};

/* Counts lost rows, with the reason. */
void losses_add(struct losses *l, uint64_t count, const char *why);
/* Call it after a successful write. True if this ended the failure, which was reported. */
bool losses_end(struct losses *l);
/* Call it when the log is closed: reports what is not reported yet. */
void losses_close(struct losses *l);

#endif
