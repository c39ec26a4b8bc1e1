/* SPDX-License-Identifier: Apache-2.0
 *
 * --review of the commands that check or run programs.
 */
#ifndef CONSOLE_MODEL_REVIEW_H
#define CONSOLE_MODEL_REVIEW_H

#include "agent/review.h"
#include "console/options.h"

/* For the `takes` of a command. */
#define REVIEW_TAKES                                                                               \
    ",model,provider,model-url,key-file,plain-http,model-timeout,model-retries,max-tokens,prices," \
    "prompts,record,replay,no-review-cache,"

/* "glovebox: ..." on standard error, safe for a terminal. */
void model_note(void *ctx, const char *what);

/* If the request asks for a review, opens the model and gives the request its reviewer; else *ret
 * is NULL. -1 when the model is missing or its options have no effect. Call review_close. */
int model_review_open(const struct cli_settings *set, struct run_request *q, struct review **ret,
                      struct err *err);
/* A project's config file may name the model, but neither that of a review nor the service that a
 * key file is for: a stranger may have written it. -1 with ERR_USAGE. */
int model_check_choice(const struct cli_settings *set, bool reviews, struct err *err);
/* The settings of any review of the command. */
struct review_settings model_review_settings(const struct cli_settings *set);

#endif
