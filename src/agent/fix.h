/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that fails goes to a model with what failed, until a program of the model's passes.
 */
#ifndef AGENT_FIX_H
#define AGENT_FIX_H

#include "agent/trial.h"

struct fix_request {
    struct str code;
    const struct trial_request *trial; /* a run, or cases */
};

/* 0 when a program passes; if that is the given one, the model was not asked. -1: agent->error, or
 * the model used all of its attempts. agent->code is the last program. */
int fix(struct agent *agent, const struct fix_request *request);
/* agent_document with `attempts` (answers of the model); once they are used up, the error's message
 * is "Max attempts reached". The caller's. */
json_t *fix_document(const struct agent *agent);

/* "This LANGUAGE program PROBLEM", and the program: as a flow shows one to the model. -1 when it is
 * too long for a question, and then the task is over. */
int fix_show_program(struct agent *agent, struct str code, const char *problem, struct buf *ret);

#endif
