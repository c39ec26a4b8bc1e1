/* SPDX-License-Identifier: Apache-2.0
 *
 * Best of N: one task is done several times side by side, each time with a conversation of its own.
 * The first that succeeds wins, and the rest are stopped: their requests and runs are cancelled.
 *
 *     samples_run(&request, &samples);
 *     agent = samples_best(&samples);
 *     document = ...; samples_add_json(&samples, document);
 *     samples_done(&samples);
 */
#ifndef AGENT_SAMPLES_H
#define AGENT_SAMPLES_H

#include "agent/agent.h"

enum {
    SAMPLES_MAX = 64,
    SAMPLES_JOBS = 4, /* at the same time, unless the user of a command chooses another number */
};

/* Lent until samples_done. */
struct samples_request {
    /* The connection for the first one; each of the others opens one with the settings. In the end
     * this one has counted what all of them used. */
    struct llm *llm;
    const struct llm_settings *settings;
    /* Its tokens and its cost are shared out evenly; its time is that of all together. */
    const struct agent_request *task;
    const struct agent_watch *watch; /* called by one thread at a time */
    int n;                           /* 1 is done in the calling thread */
    int jobs;                        /* how many at the same time */
    /* The flow, between agent_begin and agent_done; in several threads. */
    int (*flow)(void *ctx, struct agent *agent);
    void *ctx;
};

struct sample;
struct samples {
    const struct samples_request *request;
    struct sample *at;
    int n;
    int winner; /* -1 for none */
};

/* -1 when no thread or descriptor could be had. Call samples_done in both cases. */
int samples_run(const struct samples_request *request, struct samples *ret, struct err *err);
/* The winner, or the one that came closest: by its score, and rather one that was not ended by a
 * failure. */
struct agent *samples_best(const struct samples *samples);
/* Sets "samples": [{sample, stopped, attempts, score, won}] where there are several. */
void samples_add_json(const struct samples *samples, json_t *document);
void samples_done(struct samples *samples);

#endif
