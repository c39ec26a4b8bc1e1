/* SPDX-License-Identifier: Apache-2.0
 *
 * A model rewrites a program by an instruction. The new program has to be right in its syntax and
 * allowed by the guard, and has to pass the cases if there are any.
 */
#ifndef AGENT_TRANSFORM_H
#define AGENT_TRANSFORM_H

#include "agent/trial.h"

struct transform_request {
    struct str code;
    const char *instruction;
    const struct trial_request *trial; /* TRIAL_READ or TRIAL_CASES */
};

/* 0 and agent->code; -1: agent->error, and agent->code is the last program there was, or empty. */
int transform(struct agent *agent, const struct transform_request *request);

#endif
