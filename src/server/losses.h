/* SPDX-License-Identifier: Apache-2.0
 *
 * What a log of the daemon could not write: reported on standard error when it begins, once a
 * minute while it lasts, and with the number when the log is written again. A log that fails and
 * works by turns counts as one that fails until it has worked for some seconds, so lines stay few.
 * Not for several threads.
 */
#ifndef SERVER_LOSSES_H
#define SERVER_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

struct losses {
    const char *log, *rows; /* "the access log", "lines"; literals */
    uint64_t total;         /* since the start */
    uint64_t since;         /* since the last line that reported an end */
    bool failing;
    int64_t failed_ms, said_ms; /* when the last loss was, and the last line about it */
};

/* So many were lost now, for this reason. */
void losses_add(struct losses *l, uint64_t count, const char *why);
/* Something was written. True: this ended the losses, which was reported. */
bool losses_end(struct losses *l);
/* The log is closed. */
void losses_close(struct losses *l);

#endif
