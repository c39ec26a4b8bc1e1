/* SPDX-License-Identifier: Apache-2.0
 *
 * The run log for people: aligned columns, local times, and no text that a terminal would take as a
 * command.
 */
#ifndef REPORT_LOG_TEXT_H
#define REPORT_LOG_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "store/store.h"

enum { LOG_COLUMNS = 9 };

struct log_table {
    FILE *out;
    bool colour;
    size_t terminal_width; /* 0: lines are not cut */
    size_t widths[LOG_COLUMNS];
};

/* Finds out whether `out` is a terminal that supports colour (NO_COLOR, TERM), and its width. */
void log_table_init(struct log_table *t, FILE *out);
/* Both are a store_row_fn with a struct log_table: each run is measured first, then printed. */
int log_table_measure(const struct run_record *run, void *table);
void log_table_head(const struct log_table *t);
int log_table_row(const struct run_record *run, void *table);

/* "2026-11-24 14:35:47" */
void log_add_time(struct buf *b, int64_t ms);
void log_text_run(FILE *out, const struct run_record *run);
void log_text_stats(FILE *out, const struct store_stats *stats);

#endif
