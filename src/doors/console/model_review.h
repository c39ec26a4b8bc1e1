/* SPDX-License-Identifier: Apache-2.0
 *
 * --review, for the commands that check or run programs.
 */
#ifndef CONSOLE_MODEL_REVIEW_H
#define CONSOLE_MODEL_REVIEW_H

#include "console/options.h"
#include "review/review.h"

/* Prints "glovebox: ..." to standard error, safe for a terminal. */
void model_note(void *ctx, const char *what);

/* If the request wants a review, opens the model and puts the reviewer into the request; otherwise
 * *ret is NULL. -1 if the model is missing or its options have no effect. Call review_close. */
int model_review_open(const struct cli_settings *set, struct run_request *q, struct review **ret,
                      struct err *err);
/* -1 with ERR_USAGE if the config file of a project names the model of a review, or the service
 * that a key file is for: another person may have written that file. It may name the model of other
 * tasks. */
int model_check_choice(const struct cli_settings *set, bool reviews, struct err *err);
/* The settings for a review by any command. */
struct review_settings model_review_settings(const struct cli_settings *set);

#endif
