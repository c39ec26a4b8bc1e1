/* SPDX-License-Identifier: Apache-2.0
 *
 * One attempt to get an answer from a model.
 */
#ifndef LLM_ASK_H
#define LLM_ASK_H

#include "llm/exchange.h"

struct attempt {
    const struct llm_place *place;
    /* the place's, or the one for code execution on the provider's side */
    const struct protocol *protocol;
    struct model_wire *wire;
    const struct llm_request *request;
    const struct llm_watch *watch;
    int64_t max_tokens, timeout_ms;
    struct llm_answer *answer; /* empty unless the attempt succeeds */
    /* why it failed */
    bool retry;       /* another attempt may help, and no text of this one was shown */
    int64_t asked_ms; /* the wait that the server asks for; -1 for none */
    bool cancelled;
};

/* 0 with a whole answer, or -1 with *err. */
int attempt_run(struct attempt *a, struct err *err);

#endif
