/* SPDX-License-Identifier: Apache-2.0
 *
 * The prices of models: a text with a line for each model,
 *
 *     NAME  INPUT  OUTPUT  [CACHED]     dollars for a million tokens; # begins a comment
 *
 * A NAME that ends with * is a prefix. The most exact line counts.
 */
#ifndef LLM_PRICES_H
#define LLM_PRICES_H

#include "base/err.h"
#include "base/str.h"
#include "llm/usage.h"

/* src/models/llm/prices.txt. */
extern const char llm_prices_txt[];

/* 0, or -1 with ERR_USAGE "name:line: ..." for an invalid line. */
int llm_prices_check(struct str prices, const char *name, struct err *err);
/* Sets cost and cost_known in the usage of one answer, by the line for "provider/model" or for
 * "model". The cost stays unknown if there is no such line, or if the tokens are unknown. */
void llm_prices_apply(struct str prices, const char *provider, const char *model,
                      struct llm_usage *usage);

#endif
