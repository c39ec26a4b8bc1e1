/* SPDX-License-Identifier: Apache-2.0
 *
 * The model of a task: its name, its location, how long to wait for it, and how much of it one task
 * may use.
 */
#ifndef REQUEST_MODEL_SETTINGS_H
#define REQUEST_MODEL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct model_settings {
    char *model;    /* "gpt-4o", "ollama/llama3"; NULL: no model was chosen */
    char *provider; /* a name of `glovebox help models`; NULL: from the model's name */
    char *url;      /* replaces the provider's base address */
    char *key_file; /* a file with the key in its first line; replaces the provider's variables */
    bool plain_http;
    int64_t timeout_ms; /* of one answer; 0: no limit */
    int64_t retries;
    int64_t max_tokens; /* of one answer; 0: the service's own maximum */
    char *record, *replay;
    char *prices, *prompts; /* the user's own file and folder; NULL: those of the config folder */
};

struct task_bounds {
    int64_t steps;      /* answers of the model; 0: the flow's own number */
    int64_t tokens;     /* of all questions and answers together; 0: no limit */
    int64_t cost_milli; /* thousandths of a dollar; 0: no limit */
    int64_t time_ms;    /* of the whole task; 0: no limit */
};

#endif
