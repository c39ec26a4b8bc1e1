/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_RECORD_H
#define SESSION_RECORD_H

#include "request/request.h"
#include "result/result.h"
#include "store/store.h"

/* Opens the run log while the guest runs; a failure is kept for record_write. */
struct recorder {
    struct store *store;
    struct err err;
};

/* The outcome of a run for the log and the metrics; if the run has tests, they decide it. */
enum run_outcome outcome_of_result(const struct result *result);

void record_open(struct recorder *rec, const struct run_request *request);
/* Appends the run. A failure becomes a line in the result's notes and does not change the run's
 * result. */
void record_write(struct recorder *rec, const struct run_request *request, struct result *result);

/* The same, but the log stays open for the next run; end with record_close. */
void record_append(struct recorder *rec, const struct run_request *request, struct result *result);
void record_close(struct recorder *rec);

#endif
