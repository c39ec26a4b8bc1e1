/* SPDX-License-Identifier: Apache-2.0
 *
 * A question about data files. A program of ours, inside the sandbox, finds their shape; the model
 * sees the shape and the question, and writes a program that prints the answer.
 */
#ifndef AGENT_ANALYZE_H
#define AGENT_ANALYZE_H

#include "agent/trial.h"

struct analyze_request {
    const char *question;
    /* Names of the data files in the workspace, where the agent's request lays them: UTF-8,
     * NULL-terminated. */
    char *const *names;
    const struct trial_request *trial; /* TRIAL_RUN */
};

/* 0: the last step's result has the answer as its output. -1: agent->error. */
int analyze(struct agent *agent, const struct analyze_request *request);
/* agent_document with "answer", null without success, and "attempts". The caller's. */
json_t *analyze_document(const struct agent *agent);

#endif
