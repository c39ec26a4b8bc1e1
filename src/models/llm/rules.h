/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LLM_RULES_H
#define LLM_RULES_H

#include "base/buf.h"
#include "base/err.h"
#include "request/request.h"

/* Appends the imports that the policy permits or forbids, a line for each list; nothing if it has
 * none. -1 with *err when the policy cannot be opened. */
int rules_add_imports(struct buf *b, const struct run_request *q, struct err *err);
/* Appends the facts about the sandbox that a model needs, one line each: limits, network, permitted
 * imports, how files come back. All of it is from the request as it will run. -1 with *err when the
 * policy cannot be opened. */
int rules_add(struct buf *b, const struct run_request *q, struct err *err);

#endif
