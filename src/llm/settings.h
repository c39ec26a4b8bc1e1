/* SPDX-License-Identifier: Apache-2.0
 *
 * Which model, where, and how long to wait for it: the options that every command with a model has.
 */
#ifndef LLM_SETTINGS_H
#define LLM_SETTINGS_H

#include "base/opt.h"

/* A front door embeds it in its settings, and has the rows of llm/options.def in a table. */
struct llm_settings {
    char *model;    /* "gpt-4o", "ollama/llama3"; NULL: none was chosen */
    char *provider; /* a name of `glovebox help models`; NULL: from the model's name */
    char *url;      /* base address instead of the provider's */
    char *key_file; /* its first line is the key, instead of the provider's variables */
    bool plain_http;
    int64_t timeout_ms; /* of one answer; 0: none */
    int64_t retries;
    int64_t max_tokens; /* of one answer; 0: the service's */
    char *record, *replay;
    char *prices, *prompts; /* the user's own file and folder; NULL: those of the config folder */
};

struct llm; /* llm/llm.h */

#endif
