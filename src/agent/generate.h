/* SPDX-License-Identifier: Apache-2.0
 *
 * A model writes a program; nothing of it is run.
 */
#ifndef AGENT_GENERATE_H
#define AGENT_GENERATE_H

#include "guard/guard.h"
#include "llm/llm.h"
#include "request/request.h"

struct generate_request {
    const char *task; /* in the user's words */
    /* What the program will be run with: its language, limits and policy stand in the prompt. Its
     * `code` is not used. */
    const struct run_request *run;
    const char *language; /* the name of a row */
    const char *prompts;  /* a folder of the user's own prompts; NULL: the usual one */
    bool has_temperature;
    double temperature;
    bool stream;
};

struct generate_result {
    struct buf code;      /* empty if the answer has none */
    struct buf complaint; /* then why, in a line */
    struct llm_answer answer;
    bool checked; /* the guard read the code: the verdict is set */
    struct verdict verdict;
};

/* 0 when the model answered; then `code` may still be empty, and the verdict may refuse. -1 as
 * llm_ask, or when the policy cannot be opened. Call generate_done in both cases. */
int generate(struct llm *llm, const struct generate_request *request, const struct llm_watch *watch,
             struct generate_result *ret, struct err *err);
void generate_done(struct generate_result *result);
/* {code, language, provider, model, reply, finish, attempts, verdict, usage, error}; `verdict` is
 * null without code. The caller's. */
json_t *generate_json(const struct llm *llm, const struct generate_request *request,
                      const struct generate_result *result);

#endif
