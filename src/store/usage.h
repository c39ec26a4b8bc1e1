/* SPDX-License-Identifier: Apache-2.0
 *
 * What models used, in the run log: one row for each component of a command, whether it ran a
 * program or not.
 */
#ifndef STORE_USAGE_H
#define STORE_USAGE_H

#include "store/store.h"

struct usage_record {
    int64_t time_ms;
    struct str run_id;    /* of the run that it was for; "" for none */
    struct str component; /* "generate", "review" */
    struct str provider, model;
    int64_t requests;
    int64_t prompt_tokens, completion_tokens, cached_tokens;
    bool tokens_known, cost_known;
    double cost; /* in dollars */
};

/* Opens the log, appends the records and closes it. `log` is a file, NULL for the default one, or
 * "off": then there is nothing to do. */
int usage_log(const char *log, const struct usage_record *records, size_t n, struct err *err);

enum usage_by { USAGE_BY_DAY, USAGE_BY_MODEL, USAGE_BY_COMPONENT, USAGE_TOTAL };

/* Counts are of the known part. */
struct usage_sum {
    struct str name; /* "2025-01-31" in local time, "openai/gpt-4o", "review"; "" of the total */
    int64_t runs;    /* different runs that a model was asked for */
    int64_t requests, prompt_tokens, completion_tokens, cached_tokens;
    double cost;
    int64_t without_tokens, without_cost; /* requests that are not in the sums above */
};

/* The name is valid only during the call. */
typedef void (*usage_row_fn)(const struct usage_sum *sum, void *ctx);
/* Days newest first, others by cost and tokens. since_ms 0: all. */
int usage_sums(struct store *s, enum usage_by by, int64_t since_ms, usage_row_fn row, void *ctx,
               struct err *err);

#endif
