/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens and money, counted per component.
 */
#ifndef LLM_USAGE_H
#define LLM_USAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct llm_usage {
    int64_t requests;                                        /* requests that were answered */
    int64_t prompt_tokens, completion_tokens, cached_tokens; /* cached: a part of prompt_tokens */
    bool tokens_known; /* every answer reported its number of tokens */
    bool cost_known;   /* as tokens_known, and the price table has a price for each answer */
    double cost;       /* in dollars: the known part */
};

/* Prompt and completion tokens together. A server may report any number, so the sum stops at
 * INT64_MAX. */
int64_t llm_usage_tokens(const struct llm_usage *usage);

/* Adds `more` to *sum. A figure that is unknown in either is unknown in the sum. */
void llm_usage_add(struct llm_usage *sum, const struct llm_usage *more);

struct llm_usage_row {
    char *component;
    struct llm_usage usage;
};

struct llm_usage_table {
    struct llm_usage_row *at;
    size_t n;
};

void llm_usage_count(struct llm_usage_table *table, const char *component,
                     const struct llm_usage *usage);
/* Counts the usage in `json`, which llm_usage_table_json wrote. */
void llm_usage_count_json(struct llm_usage_table *table, const json_t *json);
void llm_usage_count_table(struct llm_usage_table *table, const struct llm_usage_table *more);
/* Sets *ret to the sum of all components. */
void llm_usage_total(const struct llm_usage_table *table, struct llm_usage *ret);
/* {COMPONENT: {requests, prompt_tokens, completion_tokens, total_tokens, cached_tokens, cost},
 * ...}; tokens and cost are null when they are unknown. The caller owns it. */
json_t *llm_usage_table_json(const struct llm_usage_table *table);
void llm_usage_table_done(struct llm_usage_table *table);

#endif
