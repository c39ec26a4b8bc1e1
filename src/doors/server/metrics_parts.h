/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_METRICS_PARTS_H
#define SERVER_METRICS_PARTS_H

#include "server/metrics.h"

enum { HISTOGRAM_BOUNDS = 15, NAMES_MAX = 65, FIGURES_KINDS = FIGURES_CHECK + 1 };

extern const int64_t histogram_bounds[HISTOGRAM_BOUNDS];

struct histogram {
    uint64_t buckets[HISTOGRAM_BOUNDS + 1], count;
    int64_t sum_us;
};

/* The count of a language or of a system call. */
struct named {
    char name[32];
    uint64_t count;
    uint64_t by_outcome[FIGURES_KINDS][OUTCOME_COUNT];
};

struct metrics {
    struct histogram runs[FIGURES_KINDS], requests, waited;
    struct named languages[NAMES_MAX], denied[NAMES_MAX];
    uint64_t by_status[600];
    uint64_t refused[REFUSAL_COUNT];
    uint64_t cpu_ms, memory_peak;
};

#endif
