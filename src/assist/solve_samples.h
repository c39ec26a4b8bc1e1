/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox solve --samples N`: several conversations side by side, each with a session of its own.
 * The first answer that passes --answer-check wins.
 */
#ifndef ASSIST_SOLVE_SAMPLES_H
#define ASSIST_SOLVE_SAMPLES_H

#include <pthread.h>

#include "agent/samples.h"
#include "assist/solve_show.h"

/* -1 with ERR_USAGE for options that several samples cannot share. */
int solve_samples_check(const struct cli_settings *set, struct err *err);

struct solve_sample {
    const struct agent *agent;
    struct solve_result result;
};

struct solve_samples {
    struct solution *solution;
    struct samples_request request;
    struct samples samples;
    pthread_mutex_t lock; /* of n */
    struct solve_sample at[SAMPLES_MAX];
    int n;                    /* begun */
    struct solve_result none; /* of one that could not begin */
};

/* Call solve_samples_done in both cases. */
int solve_samples_run(struct solve_samples *s, struct solution *solution, struct err *err);
void solve_samples_done(struct solve_samples *s);
/* The result of an agent of theirs. */
const struct solve_result *solve_samples_result(const struct solve_samples *s,
                                                const struct agent *agent);

#endif
