/* SPDX-License-Identifier: Apache-2.0
 *
 * A model writes a program. Nothing of it is run, unless there are cases that it has to pass.
 */
#ifndef AGENT_GENERATE_H
#define AGENT_GENERATE_H

#include "agent/trial.h"

struct generate_result {
    struct buf complaint; /* why the answer has no program, in a line */
    struct llm_answer answer;
    bool checked; /* the guard read the code: the verdict is set */
    struct verdict verdict;
};

/* 0 when the model answered; then agent->code may still be empty, and the verdict may refuse. -1:
 * agent->error. Call generate_done in both cases. */
int generate(struct agent *agent, const char *task, struct generate_result *ret);
void generate_done(struct generate_result *result);
/* {code, language, provider, model, reply, finish, attempts, verdict, usage, error}; `verdict` is
 * null without code. The caller's. */
json_t *generate_document(const struct agent *agent, const struct generate_result *result);

/* With cases: what failed goes back to the model, until a program passes. Then, 0. The document is
 * fix_document. */
int generate_tested(struct agent *agent, const char *task, const struct trial_request *trial);

#endif
