/* SPDX-License-Identifier: Apache-2.0
 *
 * A run's use of a context: it reads the document before it starts, and writes to it afterwards.
 * The file of --context is locked only for those two moments, so that runs can overlap. The
 * document of a request is copied, and the result has the changed copy.
 */
#ifndef RUN_RUN_CONTEXT_H
#define RUN_RUN_CONTEXT_H

#include "request/request.h"
#include "result/result.h"
#include "run/first.h"
#include "text/context.h"

struct run_context {
    struct context
        context; /* as it was before the run; it has no document if no context was given */
    struct context_input *inputs;
    size_t input_count;
};

/* Sets ERR_POLICY and result->skipped if this invocation has failed too often. */
int run_context_begin(const struct run_request *q, int cancel_fd, struct run_context *ret,
                      struct result *result, struct err *err);
int run_context_end(const struct run_request *q, int cancel_fd, struct run_context *c,
                    const struct first *first, struct result *result, struct err *err);
void run_context_done(struct run_context *c);

#endif
