/* SPDX-License-Identifier: Apache-2.0
 *
 * The usage of models in the run log: one row for each component of a command, even if the command
 * ran no program.
 */
#ifndef STORE_USAGE_H
#define STORE_USAGE_H

#include "store/store.h"

struct usage_record {
    int64_t time_ms;
    struct str run_id;    /* the run that used the model; "" for none */
    struct str component; /* "generate", "review" */
    struct str provider, model;
    int64_t requests;
    int64_t prompt_tokens, completion_tokens, cached_tokens;
    bool tokens_known, cost_known;
    double cost; /* in dollars */
};

/* Opens the log, appends the records and closes it. `log` is a file, or NULL for the default file.
 * With "off" it does nothing. */
int usage_log(const char *log, const struct usage_record *records, size_t n, struct err *err);

enum usage_by { USAGE_BY_DAY, USAGE_BY_MODEL, USAGE_BY_COMPONENT, USAGE_TOTAL };

/* Totals of the requests whose figures are known. */
struct usage_sum {
    struct str name; /* "2025-01-31" in local time, "openai/gpt-4o", "review"; "" for the total */
    int64_t runs;    /* different runs that used a model */
    int64_t requests, prompt_tokens, completion_tokens, cached_tokens;
    double cost;
    int64_t without_tokens, without_cost; /* requests that are missing in the totals above */
};

/* The name is valid only during the call. */
typedef void (*usage_row_fn)(const struct usage_sum *sum, void *ctx);
/* Calls `row` for each sum: days newest first, others by cost and tokens. since_ms 0: all. */
int usage_sums(struct store *s, enum usage_by by, int64_t since_ms, usage_row_fn row, void *ctx,
               struct err *err);

#endif
