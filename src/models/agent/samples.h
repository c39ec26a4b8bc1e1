/* SPDX-License-Identifier: Apache-2.0
 *
 * Best of N: one task is done several times at the same time, each time with a separate
 * conversation (a sample). The first sample that succeeds wins; requests and runs of the others are
 * cancelled.
 *
 *     samples_run(&request, &samples);
 *     agent = samples_best(&samples);
 *     document = ...; samples_add_json(&samples, document);
 *     samples_done(&samples);
 */
#ifndef AGENT_SAMPLES_H
#define AGENT_SAMPLES_H

#include "agent/agent.h"
#include "request/settings.h"

/* Borrowed until samples_done. */
struct samples_request {
    /* The connection for the first sample; each of the others opens one with the settings. At the
     * end, this connection has counted the usage of all of them. */
    struct llm *llm;
    const struct model_settings *settings;
    /* Its limits on tokens and cost are divided by n; its time limit covers all samples together.
     */
    const struct agent_request *task;
    const struct agent_watch *watch; /* called by one thread at a time */
    /* number of samples; a single one is done in the calling thread */
    int n;
    int jobs; /* how many of them run at the same time */
    /* The flow, between agent_begin and agent_done. Several threads call it. */
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

/* -1 when a thread or descriptor could not be created. Call samples_done in both cases. */
int samples_run(const struct samples_request *request, struct samples *ret, struct err *err);
/* The winner, or the best of the others: by its score, and preferably one that was not ended by a
 * failure. */
struct agent *samples_best(const struct samples *samples);
/* Sets "samples": [{sample, stopped, attempts, score, won}] if there are several. */
void samples_add_json(const struct samples *samples, json_t *document);
/* The agent of one sample, from 0; also of a sample that did not begin. */
struct agent *samples_agent(const struct samples *samples, int i);
void samples_done(struct samples *samples);

#endif
