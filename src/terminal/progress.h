/* SPDX-License-Identifier: Apache-2.0
 *
 * A progress bar on standard error for work that takes longer than a second; only if that is a
 * terminal.
 */
#ifndef TERMINAL_PROGRESS_H
#define TERMINAL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    const char *what; /* "checking" */
    size_t total, done;
    int64_t begin_ns, drawn_ns;
    bool on, drawn;
};

void progress_begin(struct progress *p, const char *what, size_t total);
/* One more item is done; draws from time to time. */
void progress_step(struct progress *p);
/* Erases the bar: before any other text is written, and at the end. */
void progress_clear(struct progress *p);

#endif
