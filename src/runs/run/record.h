/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_RECORD_H
#define RUN_RECORD_H

#include "request/request.h"
#include "result/result.h"
#include "store/store.h"

/* The run log, opened while the guest runs; a failure to open it is kept for record_write. */
struct recorder {
    struct store *store;
    struct err err;
};

/* Returns the outcome of a run for the log and the metrics; if the run has tests, they decide
 * it. */
enum run_outcome outcome_of_result(const struct result *result);

void record_open(struct recorder *rec, const struct run_request *request);
/* Appends the run. A failure becomes a line in the result's notes and does not change the run's
 * result. */
void record_write(struct recorder *rec, const struct run_request *request, struct result *result);

/* Appends a run of `program` (NULL: the name in the request, if any) and keeps the log open for the
 * next one; end with record_close. */
void record_append(struct recorder *rec, const struct run_request *request, const char *program,
                   struct str code, struct result *result);
void record_close(struct recorder *rec);

#endif
