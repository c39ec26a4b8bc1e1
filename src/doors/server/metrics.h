/* SPDX-License-Identifier: Apache-2.0
 *
 * The daemon's counters, in the text format of Prometheus. Only the loop's thread uses them; a
 * worker sends the figures of a run as struct run_figures.
 */
#ifndef SERVER_METRICS_H
#define SERVER_METRICS_H

#include "base/buf.h"
#include "result/result.h"
#include "store/store.h"

struct server;
struct metrics;

enum figures_kind { FIGURES_RUN, FIGURES_CELL, FIGURES_TEST, FIGURES_CHECK };

struct run_figures {
    enum figures_kind kind;
    enum run_outcome outcome;
    char language[24];
    int64_t total_us; /* time in the worker */
    int64_t cpu_ms;
    uint64_t memory_peak;
    char denied[8][24]; /* names of system calls */
    uint64_t denied_counts[8];
    size_t denied_n;
};

void figures_of(const struct result *result, enum figures_kind kind, int64_t total_us,
                struct run_figures *ret);

struct metrics *metrics_new(void);
void metrics_free(struct metrics *m);
void metrics_add(struct metrics *m, const struct run_figures *figures);
/* Counts a request, with its status and its time. */
void metrics_request(struct metrics *m, int status, int64_t us);
void metrics_waited(struct metrics *m, int64_t us); /* time in the queue */

enum refusal_kind {
    REFUSAL_QUEUE,    /* 429 */
    REFUSAL_SESSIONS, /* 429: too many sessions */
    REFUSAL_MEMORY,   /* 503: no memory for another session */
    REFUSAL_DEADLINE, /* waited too long in the queue */
    REFUSAL_TOKEN,    /* 401 */
    REFUSAL_SLOW,     /* a stream's client did not read its lines */
    REFUSAL_COUNT
};
void metrics_refused(struct metrics *m, enum refusal_kind kind);

/* The number of all runs, cells and tests. */
uint64_t metrics_total(const struct metrics *m);
void metrics_write(const struct server *server, struct buf *b);

#endif
