/* SPDX-License-Identifier: Apache-2.0
 *
 * A progress bar on standard error, for work that takes longer than a second, or a line with rate
 * and time left, for work that has verdicts. They are shown only on a terminal; elsewhere the line
 * is printed every half minute.
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
    bool on, drawn, rated;
    /* of progress_begin_rated */
    size_t passed, before; /* before: items that were done in an earlier run */
};

void progress_begin(struct progress *p, const char *what, size_t total);
/* Counts one more item as done; redraws the bar from time to time. */
void progress_step(struct progress *p);
/* As progress_begin, but shows a line with rate and time left instead of a bar. total 0:
 * unknown. */
void progress_begin_rated(struct progress *p, const char *what, size_t total);
/* Counts one more item; `before`: it was done in an earlier run. */
void progress_count(struct progress *p, bool passed, bool before);
/* Erases the bar. Call it before writing other text, and at the end. */
void progress_clear(struct progress *p);

#endif
