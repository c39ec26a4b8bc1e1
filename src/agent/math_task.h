/* SPDX-License-Identifier: Apache-2.0
 *
 * A question about numbers in words. The model gives an expression and nothing else; it is checked
 * and computed as one that a person wrote (math/math.h).
 */
#ifndef AGENT_MATH_TASK_H
#define AGENT_MATH_TASK_H

#include "agent/agent.h"
#include "math/math.h"

/* 0: agent->code is the expression and *ret its value. -1: agent->error; *ret has what was wrong
 * with the last expression, if anything. The caller frees &ret->text with buf_done. */
int math_task(struct agent *agent, const char *question, struct math_answer *ret);
/* agent_document with "expression" and "value", null without success. The caller's. */
json_t *math_task_document(const struct agent *agent, const struct math_answer *answer);

#endif
