/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_RULES_H
#define AGENT_RULES_H

#include "base/buf.h"
#include "base/err.h"
#include "request/request.h"

/* Appends what a model must know of the sandbox, a line each, from the request as it will run:
 * limits, network, what may be imported, how files come back. -1 with *err when the policy cannot
 * be opened. */
int rules_add(struct buf *b, const struct run_request *q, struct err *err);

#endif
